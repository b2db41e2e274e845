package library_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	. "recall/library"
	"recall/library/disk"
	"recall/library/merge"
)

func filled(t testing.TB) *Library {
	t.Helper()
	l := newLib(t)
	src := t.TempDir()
	for _, text := range []string{"one\n", "one\ntwo\n", "rewritten\n"} {
		write(t, filepath.Join(src, "transcript.jsonl"), text)
		write(t, filepath.Join(src, "tool-results", "x.txt"), strings.Repeat("long\n", 100))
		archive(t, l, find(t, id, src))
	}
	if err := l.Place(id, meta(t, l, "Fix jobs")); err != nil {
		t.Fatal(err)
	}
	return l
}

// A backup in one file comes back as the library that it was.
func TestBackupFile(t *testing.T) {
	ctx := context.Background()
	l := filled(t)
	file := filepath.Join(t.TempDir(), "recall.tar.zst")
	m, err := merge.BackupFile(ctx, l, file, false)
	if err != nil || m.Sessions != 1 || m.Files < 7 {
		t.Fatalf("%+v, %v", m, err)
	}
	if _, err := merge.BackupFile(ctx, l, file, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an earlier one: %v, want ErrExist", err)
	}
	if _, err := merge.BackupFile(ctx, l, file, true); err != nil {
		t.Errorf("over an earlier one, as asked: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "Recall")
	back, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	for _, again := range []bool{false, true} {
		m, err := merge.Import(ctx, back, file, merge.Options{})
		if err != nil || len(m.Problems) > 0 || m.New != map[bool]int{false: 1, true: 0}[again] || again && m.Files != 0 {
			t.Errorf("again %v: %+v, %v", again, m, err)
		}
	}
	if diff := cmp.Diff(everything(t, l), everything(t, back)); diff != "" {
		t.Errorf("(-was +is):\n%s", diff)
	}
	if back.ID() != l.ID() {
		t.Errorf("id %s, want the backup's, %s", back.ID(), l.ID())
	}
	equal(t, l, dir)
}

// A library that was unpacked by hand has the sums of what it was lying in it.
func TestBackupFileBesideOldSums(t *testing.T) {
	l := filled(t)
	write(t, filepath.Join(l.Dir(), "SHA256SUMS"), strings.Repeat("0", 64)+"  Recall/library.toml\n")
	file := filepath.Join(t.TempDir(), "recall.tar.zst")
	if _, err := merge.BackupFile(t.Context(), l, file, false); err != nil {
		t.Fatal(err)
	}
	if m, err := merge.Import(t.Context(), newLib(t), file, merge.Options{}); err != nil || m.New != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

// Files that are no backup, or not all of one, or one with something in it, are
// refused with a word why, and change nothing.
func TestImportRefuses(t *testing.T) {
	ctx := context.Background()
	l := filled(t)
	good := filepath.Join(t.TempDir(), "good.tar.zst")
	if _, err := merge.BackupFile(ctx, l, good, false); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	toml := entry{name: "Recall/library.toml", text: "id = \"abc\"\nformat = 1\n"}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 8
	for name, c := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"cut short":         {whole[:len(whole)/2], ErrDamaged, ""},
		"its end missing":   {whole[:len(whole)-3], ErrDamaged, ""},
		"a flipped bit":     {flipped, nil, ""},
		"no zstd":           {[]byte("hello, I am a letter, not a backup"), merge.ErrSuspect, "not a backup"},
		"empty":             {nil, nil, ""},
		"out of the folder": {packed(t, toml, entry{name: "Recall/../../evil", text: "x"}), merge.ErrSuspect, "leads out"},
		"an absolute name":  {packed(t, toml, entry{name: "/etc/evil", text: "x"}), merge.ErrSuspect, "leads out"},
		"a Windows name":    {packed(t, toml, entry{name: `Recall\..\evil`, text: "x"}), merge.ErrSuspect, "leads out"},
		"a symbolic link": {packed(t, toml, entry{name: "Recall/a", link: "/etc/passwd", kind: tar.TypeSymlink}),
			merge.ErrSuspect, "link"},
		"a hard link": {packed(t, toml, entry{name: "Recall/a", link: "/etc/passwd", kind: tar.TypeLink}),
			merge.ErrSuspect, "link"},
		"a device":       {packed(t, toml, entry{name: "Recall/a", kind: tar.TypeChar}), merge.ErrSuspect, "device"},
		"one name twice": {packed(t, toml, toml), merge.ErrSuspect, "twice"},
		"a bomb": {packed(t, toml, entry{name: "Recall/a", text: strings.Repeat("\x00", 80<<20)}),
			merge.ErrSuspect, "far more"},
		"no library": {packed(t, entry{name: "Recall/a", text: "x"}), ErrNoLibrary, ""},
		"a wrong sum": {packed(t, toml, entry{name: "Recall/SHA256SUMS", text: strings.Repeat("0", 64) +
			"  Recall/library.toml\n"}), ErrDamaged, "doesn't match its checksum"},
		"one more than told": {packed(t, toml, entry{name: "Recall/x", text: "x"},
			entry{name: "Recall/SHA256SUMS", text: disk.HexSum([]byte(toml.text)) + "  Recall/library.toml\n"}),
			merge.ErrSuspect, "more files than"},
		"of a newer recall": {packed(t, entry{name: "Recall/library.toml", text: "id = \"abc\"\nformat = 99\n"}), ErrNewer,
			""},
	} {
		into := newLib(t)
		file := filepath.Join(t.TempDir(), "b.tar.zst")
		if err := os.WriteFile(file, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := merge.Import(ctx, into, file, merge.Options{})
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v %q", name, err, c.want, c.says)
		}
		if all, err := again(t, into).Sessions(); err != nil || len(all) > 0 {
			t.Errorf("%s: %d sessions were taken over, %v", name, len(all), err)
		}
	}
}

type entry struct {
	name, text, link string
	kind             byte
}

func packed(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		if e.kind == 0 {
			e.kind = tar.TypeReg
		}
		if err := w.WriteHeader(&tar.Header{Name: e.name, Linkname: e.link, Typeflag: e.kind, Mode: 0o600,
			Size: int64(len(e.text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{w.Close(), z.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// A segment that is damaged here goes into the backup, something may be got out
// of it; but it is told.
func TestBackupFileOfDamaged(t *testing.T) {
	l, _ := everyKind(t)
	to := filepath.Join(t.TempDir(), "b.tar.zst")
	m, err := merge.BackupFile(context.Background(), l, to, false)
	if err != nil || len(m.Problems) > 0 {
		t.Fatalf("of a sound library: problems %v, error %v", m.Problems, err)
	}
	segs, err := filepath.Glob(filepath.Join(rawOf(t, l), "*.zst"))
	if err != nil || len(segs) == 0 {
		t.Fatal("no segments", err)
	}
	text, err := os.ReadFile(segs[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 8
	if err := os.WriteFile(segs[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err = merge.BackupFile(context.Background(), l, to, true)
	if err != nil || len(m.Problems) != 1 || m.Problems[0].Path != segs[0] {
		t.Errorf("got problems %v and error %v, want one about %s", m.Problems, err, segs[0])
	}
}

// A folder whose session.json can't be read is in the file all the same: its
// bytes may be nowhere else.
func TestBackupFileOfUnreadable(t *testing.T) {
	l, _ := everyKind(t)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	write(t, SessionFile(e.Folder), `{"id": "7f3c`)
	segs, err := disk.Glob(e.Folder, "raw", "*.zst")
	if err != nil || len(segs) == 0 {
		t.Fatal(segs, err)
	}
	path := filepath.Join(t.TempDir(), "all.tar.zst")
	m, err := merge.BackupFile(t.Context(), again(t, l), path, false)
	if err != nil || len(m.Problems) != 1 {
		t.Fatalf("problems %v, %v; want one", m.Problems, err)
	}
	in, done, err := merge.OpenBackup(t.Context(), l, path)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, seg := range segs {
		if rel, _ := filepath.Rel(l.Dir(), seg); !disk.Exists(filepath.Join(in.Dir(), rel)) {
			t.Errorf("%s isn't in it", rel)
		}
	}
}
