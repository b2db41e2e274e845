package library_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"recall/ingest"
	. "recall/library"
	"recall/library/inbox"
	"recall/payload"
)

// manySources writes n sessions of two projects of one name.
func manySources(t *testing.T, src string, n int, text string) (dirs []string) {
	for i := range n {
		dir := filepath.Join(src, []string{"b", "a"}[i%2], "app", fmt.Sprintf("%08d-0000", i))
		write(t, filepath.Join(dir, "transcript.jsonl"), strings.Repeat(fmt.Sprintf("%s %d\n", text, i), 50+i))
		dirs = append(dirs, dir)
	}
	return dirs
}

// Several processes (here: several opened libraries, whose locks are as
// strange to one another) take in the same sessions at once.
func TestTogether(t *testing.T) {
	src := t.TempDir()
	shared, calm := newLib(t), newLib(t)
	for _, text := range []string{"first", "first"} {
		dirs := manySources(t, src, 8, text)
		if err := syncDirs(calm, dirs); err != nil {
			t.Fatal(err)
		}
		var g errgroup.Group
		for range 3 {
			l := again(t, shared)
			for _, half := range [][]string{dirs[:4], dirs[4:]} {
				g.Go(func() error {
					for _, d := range half {
						// Two that render at once may see one another's file as an edit.
						if err := syncOne(l, d); err != nil && !errors.Is(err, ErrEdited) {
							return fmt.Errorf("%s: %w", d, err)
						}
					}
					return inbox.Add(l, map[string]any{"session": id, "folders": half})
				})
			}
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		shared = again(t, shared)
		if err := syncDirs(shared, dirs); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(shared.Settle(), calm.Settle()); err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(filepath.Join(shared.Dir(), "inbox"))
		if diff := cmp.Diff(tree(t, calm.Dir()), tree(t, shared.Dir())); diff != "" {
			t.Errorf("one after the other and together differ (-one +together):\n%s", diff)
		}
		for _, d := range dirs { // grow for the second round
			path := filepath.Join(d, "transcript.jsonl")
			old, _ := os.ReadFile(path)
			write(t, path, string(old)+"more\n")
		}
	}
}

// A folder that another recall has moved since it was read lacks no segment.
func TestMovedMeanwhile(t *testing.T) {
	l, src := newLib(t), t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	write(t, path, "{}\n")
	archive(t, l, find(t, id, src))
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []Change{{Unchanged: true}, {Grown: []string{"transcript.jsonl"}, Bytes: 3}} {
		if round > 0 {
			write(t, path, "{}\n{}\n")
		}
		moved := e.Folder + " moved"
		if err := os.Rename(e.Folder, moved); err != nil {
			t.Fatal(err)
		}
		got, err := l.Archive(context.Background(), find(t, id, src))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("round %d: %v (-want +got):\n%s", round, err, diff)
		}
		if _, err := os.Stat(filepath.Join(moved, "raw", "versions.jsonl")); (err == nil) != (round > 0) {
			t.Errorf("round %d: versions.jsonl: %v", round, err)
		}
		e.Folder = moved
	}
}

// Somebody who can't wait is told so in time.
func TestBusy(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	unlock, err := Acquire(l, SessionLock(id), time.Second)
	if err != nil {
		t.Fatal(err)
	}
	hook := again(t, l)
	hook.LockWait(20 * time.Millisecond)
	start := time.Now()
	if err := hook.SavePayload(id, derived("one\n")); !errors.Is(err, ErrBusy) {
		t.Errorf("locked session: got %v, want ErrBusy", err)
	}
	if err := inbox.Add(hook, map[string]string{"session": id}); err != nil {
		t.Errorf("inbox while a session is locked: %v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("waited %v, want about 20 ms", took)
	}
	unlock()
	if err := hook.SavePayload(id, derived("one\n")); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

func TestQuiet(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	files := []FileState{{Sources: []SourceState{{Mod: now.Add(-time.Minute)}}}}
	for _, c := range []struct {
		name string
		end  time.Time
		want time.Duration
	}{
		{"stated", now.Add(-time.Hour), time.Hour},
		{"none stated", time.Time{}, time.Minute},
		{"still to come", now.Add(time.Hour), time.Minute},
	} {
		if got := (Entry{Meta: Meta{End: c.end}, Files: files}).Quiet(now); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// All shared transcripts come back byte for byte and take at most a quarter
// of their size.
func TestSharedTranscripts(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED is not set")
	}
	l := newLib(t)
	var source, stored int64
	folders, err := filepath.Glob(filepath.Join(shared, "transcripts", "dev", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal("no transcripts", err)
	}
	for i, dir := range folders {
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
			continue
		}
		sid := fmt.Sprintf("shared-%d", i)
		f := find(t, sid, dir)
		if _, err := l.Archive(context.Background(), f); err != nil {
			t.Fatal(err)
		}
		got, err := l.Found(ingest.SessionID(sid))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Files) != len(f.Files) {
			t.Fatalf("%s: %d files archived, want %d", dir, len(got.Files), len(f.Files))
		}
		for j, file := range got.Files {
			text, err := readAll(file)
			want, err2 := os.ReadFile(f.Files[j].Path)
			if err != nil || err2 != nil || text != string(want) {
				t.Errorf("%s: other bytes: %v %v", f.Files[j].Path, err, err2)
			}
			source += int64(len(want))
		}
	}
	filepath.WalkDir(l.Dir(), func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".zst") {
			fi, _ := d.Info()
			stored += fi.Size()
		}
		return err
	})
	t.Logf("%d bytes of transcripts in %d, %.1f %%", source, stored, 100*float64(stored)/float64(source))
	if stored > source/4 {
		t.Errorf("stored %d bytes of %d, want at most a quarter", stored, source)
	}
}

// Of marks that several recalls make at once none is missing in session.json.
func TestMarksTogether(t *testing.T) {
	l, src := newLib(t), t.TempDir()
	write(t, filepath.Join(src, "transcript.jsonl"), "{}\n")
	archive(t, l, find(t, id, src))
	who := []*Library{again(t, l), again(t, l), again(t, l)}
	for round := range 20 {
		var g errgroup.Group
		for n, own := range who {
			g.Go(func() error {
				mark := &payload.Mark{Tag: []string{fmt.Sprintf("t%d-%d", n, round)}}
				return own.AppendEdits(id, []payload.Edit{{Op: payload.OpMark, Mark: mark}})
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		e, err := again(t, l).Session(id)
		if want := len(who) * (round + 1); err != nil || len(e.Marks.Tags) != want {
			t.Fatalf("got %d tags, %v, want %d", len(e.Marks.Tags), err, want)
		}
	}
}
