package library_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/forget"
	"recall/library/merge"
	"recall/library/raw"
	"recall/payload"
)

// takenInAnew is a library with every kind of file, of which one session was
// archived anew after its session.json was damaged: it has two folders.
func takenInAnew(t testing.TB, harm func(folder string)) (l *Library, before map[string]string) {
	t.Helper()
	l, src := everyKind(t)
	before = contents(t, l, id)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(e.Folder, "outputs", "plot.svg"), "changed by hand")
	write(t, filepath.Join(e.Folder, "mine.txt"), "a person's")
	write(t, filepath.Join(e.Folder, "mine.jsonl"), "{}\n")
	page, err := os.ReadFile(filepath.Join(e.Folder, "payload.md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(e.Folder, "payload.md"), strings.Replace(string(page), "\n", "\n\n", 1))
	if err := os.WriteFile(SessionFile(e.Folder), []byte(`{"id": "94d0`), 0o600); err != nil {
		t.Fatal(err)
	}
	if harm != nil {
		harm(e.Folder)
	}
	l.Close()
	l = again(t, l)
	dir := filepath.Join(src, "home", "billing", id)
	write(t, filepath.Join(dir, "transcript.jsonl"), strings.Repeat("rewritten once more\n", 20))
	if err := syncOne(l, dir); err != nil {
		t.Fatal(err)
	}
	if err := l.AppendEdits(id, []payload.Edit{{Op: "pin", ID: "b7xw4c5d2e", At: tick, Who: "bea"}}); err != nil {
		t.Fatal(err)
	}
	maps.Copy(before, map[string]string{"now": content(t, l, id, "transcript.jsonl")})
	return l, before
}

// united checks that a session has one folder, with all that two had.
func united(t testing.TB, l *Library, before map[string]string) {
	t.Helper()
	if lost := missing(t, l, before); len(lost) > 0 {
		t.Errorf("lost %v", lost)
	}
	if found, _ := filepath.Glob(filepath.Join(l.Dir(), "[a-z]*", "*"+id[:8]+"*")); len(found) != 1 {
		t.Errorf("folders: %v, want one", found)
	}
	edits, err := l.Edits(id)
	if err != nil {
		t.Error(err)
	}
	for _, op := range []string{"drop", "pin"} {
		if !slices.ContainsFunc(edits, func(e payload.Edit) bool { return string(e.Op) == op }) {
			t.Errorf("edits %v lack the %s", edits, op)
		}
	}
	if notes, err := l.Notes(id); len(notes) != 1 || err != nil {
		t.Errorf("notes: %s, %v", notes, err)
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"mine.txt": "a person's", "mine.jsonl": "{}\n",
		"outputs/plot.svg": "changed by hand", "session.json": `{"id": "94d0`} {
		found, _ := filepath.Glob(filepath.Join(e.Folder, "before repair*", name)) // cut off, there are two
		if len(found) != 1 {
			t.Errorf("%s: %v", name, found)
		} else if text, err := os.ReadFile(found[0]); err != nil || string(text) != want {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
	if v := verify(t, again(t, l)); v.Damage() > 0 {
		t.Errorf("verify:\n%s", said(v))
	}
}

// A session that was taken in anew because its session.json was damaged is one
// again after repair, and nothing of either folder is lost.
func TestRepairTakenInAnew(t *testing.T) {
	for name, harm := range map[string]func(folder string){
		"session.json": nil,
		"versions.jsonl too": func(folder string) {
			path := filepath.Join(folder, "raw", "versions.jsonl")
			text, _ := os.ReadFile(path)
			text[len(text)/2] ^= 1
			os.WriteFile(path, text, 0o600)
		},
		"a line of edits too": func(folder string) {
			if err := disk.AppendAside(filepath.Join(folder, "edits.jsonl"), []byte("{half a li\n")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, before := takenInAnew(t, harm)
			for _, m := range repair(t, l).Mended {
				if !m.Done {
					t.Errorf("%s: %s", m.Path, m.How)
				}
			}
			united(t, l, before)
		})
	}
}

// A segment that no version names holds bytes that are nowhere else: it is kept.
func TestRepairTakenInAnewKeepsStrays(t *testing.T) {
	said := []byte("what nobody else has")
	stray := raw.Segment{Length: int64(len(said)), Sum: fmt.Sprintf("%x", sha256.Sum256(said))}
	l, before := takenInAnew(t, func(folder string) { write(t, raw.Path(folder, stray), string(raw.Pack(said))) })
	repair(t, l)
	united(t, l, before)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(e.Folder, "before repair*", "raw", stray.String()))
	if len(found) != 1 {
		t.Errorf("kept %v, want the stray segment", found)
	}
}

// Bytes that can't be read keep the old folder where it is until a backup
// brings them.
func TestRepairTakenInAnewFromBackup(t *testing.T) {
	to := filepath.Join(t.TempDir(), "backup")
	l, before := takenInAnew(t, func(folder string) {
		l, err := Open(filepath.Dir(filepath.Dir(folder)))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		bad, _ := os.ReadFile(SessionFile(folder))
		rel, _ := filepath.Rel(l.Dir(), SessionFile(folder))
		key := check.Finding{Path: filepath.ToSlash(rel), State: check.Damaged}
		r, err := check.Repair(context.Background(), l, []check.Finding{key}, nil)
		if err != nil || !r.Mended[0].Done {
			t.Fatal(r.Mended, err)
		}
		if _, err := merge.Backup(context.Background(), l, to, nil); err != nil {
			t.Fatal(err)
		}
		os.WriteFile(SessionFile(folder), bad, 0o600)
		segs, _ := filepath.Glob(filepath.Join(folder, "raw", "0-*.zst"))
		for _, path := range segs {
			os.WriteFile(path, []byte("damaged"), 0o600)
		}
	})
	r := repair(t, l)
	if !slices.ContainsFunc(r.Mended, func(m check.Mended) bool {
		return !m.Done &&
			strings.Contains(m.How, "a backup may have")
	}) {
		t.Errorf("%+v", r.Mended)
	}
	b, err := merge.OpenBackup(l, to)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := check.Repair(context.Background(), l, verify(t, l).Findings, b); err != nil {
		t.Fatal(err)
	}
	united(t, l, before)
}

// Cut off at any change of the disk, the next repair finishes it.
func TestRepairTakenInAnewFaults(t *testing.T) {
	fault := errors.New("a fault")
	base, before := takenInAnew(t, nil)
	base.Close()
	from, each := some(t)
	for _, done := range []bool{false, true} {
		for at := from; ; at += each {
			dir := filepath.Join(t.TempDir(), "Recall")
			if err := os.CopyFS(dir, os.DirFS(base.Dir())); err != nil {
				t.Fatal(err)
			}
			l, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			found := verify(t, l).Findings
			n := 0
			disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
				if n++; n != at {
					return calmly(op, do)
				}
				if done {
					do()
				}
				return fault
			})
			check.Repair(context.Background(), l, found, nil)
			disk.Through(l.Dir(), calmly)
			l.Close()
			if n < at {
				break
			}
			l = again(t, l)
			repair(t, l)
			united(t, l, before)
			if t.Failed() {
				t.Fatalf("fault at %d, done %v", at, done)
			}
			l.Close()
		}
	}
}

// A backup doesn't take over a folder whose session.json can't be read, tells of it, and keeps what it has.
func TestBackupOfBrokenFolders(t *testing.T) {
	ctx, to := context.Background(), filepath.Join(t.TempDir(), "backup")
	l, before := takenInAnew(t, nil)
	for range 2 {
		m, err := merge.Backup(ctx, l, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Problems) != 1 || !strings.Contains(m.Problems[0].Reason(), "not copied") {
			t.Fatalf("problems: %v", m.Problems)
		}
	}
	repair(t, l)
	for range 2 { // follows, then is the same
		if m, err := merge.Backup(ctx, l, to, nil); err != nil || len(m.Problems) > 0 {
			t.Fatal(m, err)
		}
	}
	b, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	united(t, b, before)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(SessionFile(e.Folder), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	l = again(t, l)
	if m, err := merge.Backup(ctx, l, to, nil); err != nil || len(m.Problems) != 1 {
		t.Fatal(m, err)
	}
	if v := verify(t, again(t, b)); v.Damage() > 0 {
		t.Error(said(v))
	}
	if err := forget.Sessions(l, []ingest.SessionID{id}, nil); err != nil {
		t.Fatal(err)
	}
	if disk.Exists(e.Folder) {
		t.Error("forgotten, its damaged folder is still there")
	}
}
