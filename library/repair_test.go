package library_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	. "recall/library"
	"recall/library/check"
)

func repair(t testing.TB, l *Library) check.Repaired {
	t.Helper()
	r, err := check.Repair(context.Background(), l, verify(t, l).Findings, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rawOf is a session's folder of segments.
func rawOf(t testing.TB, l *Library) string {
	t.Helper()
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(e.Folder, "raw")
}

// Whatever file is damaged, repair makes the library whole again as far as that
// can be, and no content that the source has is lost.
func TestRepairEach(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	base, src := everyKind(t)
	current := content(t, base, id, "transcript.jsonl")
	for _, damage := range []struct {
		name string
		do   func(text []byte) []byte // nil: delete the file
	}{
		{"flipped", func(text []byte) []byte { text[len(text)/2] ^= 4; return text }},
		{"garbled", func(text []byte) []byte { return []byte("\x00\x01 not what it was") }},
		{"halved", func(text []byte) []byte { return text[:len(text)/2] }},
		{"deleted", nil},
	} {
		for _, path := range files(t, base.Dir()) {
			rel, _ := filepath.Rel(base.Dir(), path)
			switch filepath.Base(path) {
			case "library.toml":
				continue // told when it is opened
			case "payload.md":
				if damage.do != nil {
					continue // an edit
				}
			}
			dir := filepath.Join(t.TempDir(), "Recall")
			if err := os.CopyFS(dir, os.DirFS(base.Dir())); err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(path); err != nil {
				t.Fatal(err)
			} else if damage.do == nil {
				os.Remove(filepath.Join(dir, rel))
			} else if err := os.WriteFile(filepath.Join(dir, rel), damage.do(text), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			r := repair(t, l)
			var lost []string
			for _, m := range r.Mended {
				if !m.Done {
					lost = append(lost, m.Path+": "+m.How)
				}
			}
			l.Close()
			l, _ = Open(dir)
			for _, s := range []string{id, "8f3c1a2b-0000-4000-8000-000000000002"} {
				if err := syncOne(l, filepath.Join(src, "home", "billing", s)); err != nil {
					t.Errorf("%s %s: the next sync: %v", damage.name, rel, err)
				}
			}
			if got := content(t, l, id, "transcript.jsonl"); got != current {
				t.Errorf("%s %s: other bytes", damage.name, rel)
			}
			v := verify(t, l)
			left := slices.DeleteFunc(v.Findings, func(f check.Finding) bool { return f.State == check.Unknown })
			if len(left) > 0 && len(lost) == 0 {
				t.Errorf("%s %s: repair said nothing is lost (%v), afterwards: %s", damage.name, rel, r.Mended, said(v))
			}
			if len(left) > 0 && !strings.HasSuffix(rel, ".zst") {
				t.Errorf("%s %s: repair said %v, afterwards: %s", damage.name, rel, r.Mended, said(v))
			}
			l.Close()
		}
	}
}

// A segment comes back from the source, and from another session that has the
// same bytes, with the checksum of the file as stored now.
func TestRepairSegment(t *testing.T) {
	for _, from := range []string{"source", "another session"} {
		l := newLib(t)
		dir := filepath.Join(t.TempDir(), id)
		write(t, filepath.Join(dir, "transcript.jsonl"), "one\n")
		archive(t, l, find(t, id, dir))
		if from == "another session" {
			f := find(t, "twin-00000000", dir)
			archive(t, l, f)
			os.RemoveAll(dir)
		}
		segs, _ := filepath.Glob(filepath.Join(rawOf(t, l), "*.zst"))
		if err := os.WriteFile(segs[0], []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		if v := verify(t, l); v.Damage() != 1 || v.Findings[0].Session != id {
			t.Fatal(said(v))
		}
		if r := repair(t, l); len(r.Mended) != 1 || !r.Mended[0].Done {
			t.Errorf("%s: %+v", from, r.Mended)
		}
		if v := verify(t, l); len(v.Findings) > 0 {
			t.Errorf("%s: %s", from, said(v))
		}
		if got := content(t, l, id, "transcript.jsonl"); got != "one\n" {
			t.Errorf("%s: got %q", from, got)
		}
	}
}

// A segment whose file was stored otherwise is found by its checksum, and
// stored again.
func TestStoredOtherwise(t *testing.T) {
	l := newLib(t)
	dir := filepath.Join(t.TempDir(), id)
	text := line(rand.New(rand.NewPCG(6, 5)), 20_000)
	write(t, filepath.Join(dir, "transcript.jsonl"), text)
	archive(t, l, find(t, id, dir))
	segs, _ := filepath.Glob(filepath.Join(rawOf(t, l), "*.zst"))
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	write(t, segs[0], string(enc.EncodeAll([]byte(text), nil)))
	if v := verify(t, l); v.Damage() != 1 {
		t.Error(said(v))
	}
	if r := repair(t, l); !r.Mended[0].Done || r.Mended[0].How != "stored again" {
		t.Errorf("%+v", r.Mended)
	}
	if v := verify(t, l); len(v.Findings) > 0 {
		t.Error(said(v))
	}
}

// A session.json that can't be read is made again, under the session's own id.
func TestRepairSessionFile(t *testing.T) {
	l, _ := everyKind(t)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, l, id)
	for _, text := range []string{"", "{", `{"id":"../.."}`} {
		if err := os.WriteFile(SessionFile(e.Folder), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l = again(t, l)
		if r := repair(t, l); len(r.Render) != 1 || r.Render[0] != id {
			t.Errorf("%q: %+v", text, r)
		}
		if diff := cmp.Diff(before, contents(t, again(t, l), id)); diff != "" {
			t.Errorf("%q (-before +after):\n%s", text, diff)
		}
	}
}

// With session.json and versions.jsonl both gone, the segments still are what
// the session was: nothing of them is dropped.
func TestRepairWithoutAnyList(t *testing.T) {
	l, src := everyKind(t)
	want := content(t, l, id, "transcript.jsonl")
	var all []string
	for _, text := range contents(t, l, id) {
		all = append(all, text)
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{SessionFile(e.Folder), filepath.Join(e.Folder, "raw", "versions.jsonl")} {
		if err := os.WriteFile(name, []byte(`{"id": "94d0`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		l = again(t, l)
		repair(t, l)
	}
	got := contents(t, again(t, l), id)
	for _, text := range all {
		found := false
		for _, have := range got {
			found = found || strings.Contains(have, text)
		}
		if !found {
			t.Errorf("%d bytes that were archived can't be read any more", len(text))
		}
	}
	if v := verify(t, again(t, l)); v.Damage() > 1 { // the payload waits to be made again
		t.Error(said(v))
	}
	if err := syncOne(again(t, l), filepath.Join(src, "home", "billing", id)); err != nil {
		t.Fatal(err)
	}
	if got := content(t, again(t, l), id, "transcript.jsonl"); got != want {
		t.Error("the next sync doesn't set it right")
	}
}

// A line of versions.jsonl whose checksum is wrong, as after an edit by hand, is kept where the bytes are what it
// says, so an older version isn't lost with it; a line that says something else is put aside.
func TestRepairUnsealedVersions(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string // in versions.jsonl
		kept     bool
	}{
		{"another checksum", `{"file"`, `{ "file"`, true},
		{"no checksum", `,"check":"`, `,"was":"`, true},
		{"content", `"sha256":"2c8b`, `"sha256":"3c8b`, false},
	} {
		l := newLib(t)
		path := filepath.Join(t.TempDir(), "transcript.jsonl")
		for _, text := range []string{"one\n", "two\n"} {
			write(t, path, text)
			archive(t, l, find(t, id, filepath.Dir(path)))
		}
		before := contents(t, l, id)
		list := filepath.Join(rawOf(t, l), "versions.jsonl")
		text, err := os.ReadFile(list)
		if err != nil || !strings.Contains(string(text), c.old) {
			t.Fatalf("%s: %v in %s", c.name, err, text)
		}
		write(t, list, strings.Replace(string(text), c.old, c.new, 1))
		l = again(t, l)
		if v := verify(t, l); v.Damage() == 0 {
			t.Errorf("%s: the damage isn't told", c.name)
		}
		r := repair(t, l)
		diff := cmp.Diff(before, contents(t, again(t, l), id))
		if _, err := os.Stat(list + ".damaged"); c.kept != (diff == "") || c.kept != os.IsNotExist(err) {
			t.Errorf("%s: %+v\nversions (-before +after):\n%s", c.name, r.Mended, diff)
		}
	}
}
