package library_test

import (
	"context"
	"errors"
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
	"recall/payload"
)

// broken is a library with every kind of file, in which a session.json can't be read, and the session's source, which
// was rewritten since.
func broken(t testing.TB) (l *Library, source string, before map[string]string) {
	t.Helper()
	l, src := everyKind(t)
	before = contents(t, l, id)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(e.Folder, "mine.txt"), "a person's")
	page, err := os.ReadFile(filepath.Join(e.Folder, "payload.md"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(e.Folder, "payload.md"), strings.Replace(string(page), "\n", "\n\n", 1))
	write(t, SessionFile(e.Folder), `{"id": "94d0`)
	l.Close()
	source = filepath.Join(src, "home", "billing", id)
	write(t, filepath.Join(source, "transcript.jsonl"), strings.Repeat("rewritten once more\n", 20))
	return again(t, l), source, before
}

// revived checks that a session has one folder, with all that it had and what its source has.
func revived(t testing.TB, l *Library, before map[string]string) {
	t.Helper()
	if lost := missing(t, l, before); len(lost) > 0 {
		t.Errorf("lost %v", lost)
	}
	if found, _ := filepath.Glob(filepath.Join(l.Dir(), "[a-z]*", "*"+id[:8]+"*")); len(found) != 1 {
		t.Fatalf("folders: %v, want one", found)
	}
	if now := content(t, l, id, "transcript.jsonl"); !strings.HasPrefix(now, "rewritten once more") {
		t.Errorf("the source isn't archived: %.40q", now)
	}
	edits, err := l.Edits(id)
	if !slices.ContainsFunc(edits, func(e payload.Edit) bool { return e.Op == "drop" }) || err != nil {
		t.Errorf("edits %v lack the drop, %v", edits, err)
	}
	if notes, err := l.Notes(id); len(notes) != 1 || err != nil {
		t.Errorf("notes: %s, %v", notes, err)
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine.txt", "payload before repair*.md"} {
		if found, _ := filepath.Glob(filepath.Join(e.Folder, name)); len(found) == 0 {
			t.Errorf("%s is gone", name)
		}
	}
}

// A session whose session.json can't be read is mended by the next sync of its source, in its folder: no second one
// comes.
func TestRevive(t *testing.T) {
	base, source, before := broken(t)
	found := find(t, id, source)
	cutOff(t, base, func(l *Library) error {
		_, err := l.Archive(context.Background(), found)
		return err
	}, func(l *Library) { revived(t, l, before) })
}

// A session that was archived anew while its folder was away gets one folder of both.
func TestUnite(t *testing.T) {
	l, src := everyKind(t)
	before := contents(t, l, id)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(e.Folder, "mine.txt"), "a person's")
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(e.Folder, away); err != nil {
		t.Fatal(err)
	}
	l = again(t, l)
	source := filepath.Join(src, "home", "billing", id)
	write(t, filepath.Join(source, "transcript.jsonl"), strings.Repeat("rewritten once more\n", 20))
	archive(t, l, find(t, id, source))
	if err := l.AppendEdits(id, []payload.Edit{{Op: "pin", ID: "k3v9t2m8qb", At: tick, Who: "ann"}}); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := os.CopyFS(e.Folder, os.DirFS(away)); err != nil {
		t.Fatal(err)
	}
	cutOff(t, l, func(l *Library) error {
		_, err := check.Repair(context.Background(), l, verify(t, l).Findings, nil)
		return err
	}, func(l *Library) {
		if lost := missing(t, l, before); len(lost) > 0 {
			t.Errorf("lost %v", lost)
		}
		if now := content(t, l, id, "transcript.jsonl"); !strings.HasPrefix(now, "rewritten once more") {
			t.Errorf("got %.40q, want what was archived last", now)
		}
		if edits, err := l.Edits(id); len(edits) != 2 || err != nil {
			t.Errorf("edits: %v, %v; want those of both", edits, err)
		}
		if notes, err := l.Notes(id); len(notes) != 1 || err != nil {
			t.Errorf("notes: %s, %v", notes, err)
		}
		kept, _ := filepath.Glob(filepath.Join(l.Dir(), "[a-z]*", "*", "mine.txt"))
		aside, _ := filepath.Glob(filepath.Join(l.Dir(), "[a-z]*", "*", "before repair*", "mine.txt"))
		if len(kept)+len(aside) != 1 || len(l.Broken()) > 0 {
			t.Errorf("a person's file: %v, %v; want one; can't be read: %v", kept, aside, l.Broken())
		}
	})
}

// cutOff does something to a copy of a library, which ends at each change to the disk in turn, as if the power were
// gone, and once more to what that left; what comes of it must be as it was written.
func cutOff(t *testing.T, base *Library, do func(*Library) error, holds func(*Library)) {
	t.Helper()
	base.Close()
	from, each := some(t)
	for at := from; ; at += each {
		dir := filepath.Join(t.TempDir(), "Recall")
		if err := os.CopyFS(dir, os.DirFS(base.Dir())); err != nil {
			t.Fatal(err)
		}
		l, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
			if n++; n < at {
				return calmly(op, do)
			}
			return errors.New("a fault")
		})
		fault := do(l)
		disk.Through(l.Dir(), calmly)
		l.Close()
		l = again(t, l)
		if err := do(l); err != nil {
			t.Fatal(err)
		}
		holds(l)
		if v := verify(t, again(t, l)); v.Damage() > 0 {
			t.Errorf("verify:\n%s", said(v))
		}
		l.Close()
		if t.Failed() {
			t.Fatalf("fault at %d", at)
		}
		if n < at && fault == nil {
			return
		}
	}
}

// A second folder of a session, of which one can't be read, isn't taken for it, nor thrown away.
func TestRepairBesideAnother(t *testing.T) {
	l, _, _ := broken(t)
	if _, err := l.Sessions(); err != nil {
		t.Fatal(err)
	}
	e := l.Broken()
	if len(e) != 1 {
		t.Fatal(e)
	}
	good := filepath.Join(filepath.Dir(e[0].Path), "copy "+id[:8])
	if err := os.CopyFS(good, os.DirFS(e[0].Path)); err != nil {
		t.Fatal(err)
	}
	repair(t, l) // one is rebuilt, the other stays
	told := 0
	for range 2 {
		for _, m := range repair(t, again(t, l)).Mended {
			says := strings.Contains(m.How, "holds the same session")
			if strings.HasSuffix(m.Path, "session.json") && !m.Done && says {
				told++
			}
		}
	}
	if told != 2 {
		t.Errorf("told %d times, want 2", told)
	}
	if !disk.Exists(good) || !disk.Exists(e[0].Path) {
		t.Error("a folder is gone")
	}
}

// A backup doesn't take over a folder whose session.json can't be read, tells of it, and keeps what it has.
func TestBackupOfBrokenFolders(t *testing.T) {
	ctx, to := context.Background(), filepath.Join(t.TempDir(), "backup")
	l, _, before := broken(t)
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
	if lost := missing(t, b, before); len(lost) > 0 {
		t.Errorf("the backup lacks %v", lost)
	}
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	write(t, SessionFile(e.Folder), "{")
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
