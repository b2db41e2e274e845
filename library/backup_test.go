package library_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/forget"
	"recall/library/merge"
)

// A backup equals its library, file by file, is done once, follows what grows and
// is forgotten, and verifies.
func TestBackup(t *testing.T) {
	ctx := context.Background()
	l := newLib(t)
	src, src2 := t.TempDir(), t.TempDir()
	text := line(rand.New(rand.NewPCG(8, 5)), 2000)
	write(t, filepath.Join(src, "transcript.jsonl"), text)
	archive(t, l, find(t, id, src))
	write(t, filepath.Join(src2, "transcript.jsonl"), "other\n")
	archive(t, l, find(t, "b0000000-0000-4000-8000-000000000002", src2))
	if err := l.Place(id, meta(t, l, "Fix jobs")); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "disk", "backup")
	backup := func() merge.Merged {
		t.Helper()
		m, err := merge.Backup(ctx, l, dir, nil)
		if err != nil || len(m.Problems) > 0 {
			t.Fatalf("%v, %v", m.Problems, err)
		}
		equal(t, l, dir)
		return m
	}
	if m := backup(); m.New != 2 || m.Files == 0 {
		t.Errorf("the first: %+v", m)
	}
	if m := backup(); m.New+m.Changed+m.Files != 0 {
		t.Errorf("again, with nothing new: %+v", m)
	}
	write(t, filepath.Join(src, "transcript.jsonl"), text+text)
	archive(t, l, find(t, id, src))
	if err := l.AppendNotes(id, []json.RawMessage{json.RawMessage(`{"note":"of it"}`)}); err != nil {
		t.Fatal(err)
	}
	if m := backup(); m.Changed != 1 || m.New != 0 {
		t.Errorf("grown: %+v", m)
	}
	if err := l.RenameProject(mustProject(t, l), "billing 2"); err != nil {
		t.Fatal(err)
	}
	backup()
	if err := forget.Sessions(l, []ingest.SessionID{id}, nil); err != nil {
		t.Fatal(err)
	}
	if m := backup(); len(m.Gone) != 1 {
		t.Errorf("forgotten: %+v", m)
	}
	// What merely vanished from the library stays in the backup.
	e, err := l.Session("b0000000-0000-4000-8000-000000000002")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(e.Folder); err != nil {
		t.Fatal(err)
	}
	l = again(t, l)
	if _, err := merge.Backup(ctx, l, dir, nil); err != nil {
		t.Fatal(err)
	}
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got := content(t, b, "b0000000-0000-4000-8000-000000000002", "transcript.jsonl"); got != "other\n" {
		t.Errorf("what vanished from the library reads %q in the backup", got)
	}
	v, err := check.Verify(ctx, b, nil)
	if err != nil || v.Damage() > 0 {
		t.Errorf("verify: %v, %v", v.Findings, err)
	}
}

func mustProject(t testing.TB, l *Library) string {
	t.Helper()
	all, err := l.Projects()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return all[0].ID
}

// equal holds a backup against its library: every file but those of locks, the
// journal and library.toml.
func equal(t testing.TB, l *Library, dir string) {
	t.Helper()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := again(t, l).Close(); err != nil {
		t.Fatal(err)
	}
	strip := func(m map[string]string) map[string]string {
		for name := range m {
			if strings.HasPrefix(name, "unsorted/") && strings.Count(name, "/") == 1 {
				delete(m, name) // perhaps empty
			}
		}
		return m
	}
	if diff := cmp.Diff(strip(tree(t, l.Dir())), strip(tree(t, dir))); diff != "" {
		t.Errorf("library and backup differ (-library +backup):\n%s", diff)
	}
}

func TestBackupRefuses(t *testing.T) {
	l := newLib(t)
	other := newLib(t)
	full := t.TempDir()
	write(t, filepath.Join(full, "letter.txt"), "mine\n")
	for dir, want := range map[string]error{
		filepath.Join(l.Dir(), "backup"): merge.ErrInside, filepath.Dir(l.Dir()): merge.ErrInside, l.Dir(): merge.ErrInside,
		other.Dir(): merge.ErrOther, full: merge.ErrOther,
	} {
		if _, err := merge.Backup(context.Background(), l, dir, nil); !errors.Is(err, want) {
			t.Errorf("to %s: %v, want %v", dir, err, want)
		}
	}
}

// A backup that was cut off at any change of the disk is finished by the next.
func TestBackupIsFinishedLater(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	l := newLib(t)
	src := t.TempDir()
	for _, text := range []string{"one\n", "one\ntwo\n", "rewritten\n"} {
		write(t, filepath.Join(src, "transcript.jsonl"), text)
		archive(t, l, find(t, id, src))
	}
	broken := errors.New("the disk fails")
	for fail := 1; ; fail++ {
		dir := filepath.Join(t.TempDir(), "backup")
		n := 0
		disk.Through(dir, func(op disk.Op, do func() error) error {
			if n++; n == fail {
				return broken
			}
			return do()
		})
		_, err := merge.Backup(context.Background(), l, dir, nil)
		disk.Through(dir, nil)
		if err == nil && n < fail {
			break
		}
		if _, err := merge.Backup(context.Background(), l, dir, nil); err != nil {
			t.Fatalf("after change %d failed: %v", fail, err)
		}
		equal(t, l, dir)
		if fail > 200 {
			t.Fatal("it never ends")
		}
	}
}
