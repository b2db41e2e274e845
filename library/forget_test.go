package library_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	. "recall/library"
	"recall/library/check"
	"recall/library/disk"
	"recall/library/forget"
	"recall/library/holders"
	"recall/library/inbox"
	"recall/library/needle"
	"recall/payload"
)

// Forgetting leaves a library that verifies, with nothing in it that names the
// session but its tombstone.
func TestForget(t *testing.T) {
	l := newLib(t)
	dir := l.Dir()
	addSession(t, l, id, meta(t, l, "T"))
	addSession(t, l, "8f3c1a2b-0000-4000-8000-000000000002", meta(t, l, "U"))
	entries, err := l.Sessions()
	if err != nil || len(entries) < 2 {
		t.Fatalf("%d sessions, %v", len(entries), err)
	}
	gone := entries[0]
	for _, err := range []error{
		l.Correct(payload.Correction{Op: "join", A: string(gone.ID), B: string(entries[1].ID)}),
		inbox.Add(l, map[string]any{"session": gone.ID, "note": "of it"}),
		inbox.Add(l, map[string]any{"session": entries[1].ID, "note": "of the other"}),
		disk.AppendAside(filepath.Join(dir, "threads.jsonl.damaged"), []byte(`{"op":"join","a":"`+string(gone.ID)+"\n")),
		os.MkdirAll(filepath.Join(dir, "billing"), 0o700),
		disk.AppendAside(filepath.Join(dir, "billing", "links.jsonl.damaged"),
			[]byte(`{"from_session":"`+string(gone.ID)+`","quo`+"\n")),
		os.MkdirAll(filepath.Join(dir, "cache"), 0o700),
		os.WriteFile(filepath.Join(dir, "cache", "answer.json"), []byte(`{"text":"anything"}`), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	twin := filepath.Join(dir, "unsorted", "twin") // somebody copied the folder by hand
	if err := os.CopyFS(twin, os.DirFS(gone.Folder)); err != nil {
		t.Fatal(err)
	}
	if err := forget.Sessions(l, []ingest.SessionID{gone.ID}, nil); err != nil {
		t.Fatal(err)
	}
	needles, err := needle.New(string(gone.ID))
	if err != nil {
		t.Fatal(err)
	}
	holders, problems, err := holders.Of(context.Background(), l, needles)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	for _, h := range holders {
		for _, name := range h.Files {
			if name != "tombstones.jsonl" && name != "journal.jsonl" {
				t.Errorf("%s still names it", name)
			}
		}
	}
	if _, err := l.Session(gone.ID); !errors.Is(err, ErrNoSession) {
		t.Errorf("session: %v, want ErrNoSession", err)
	}
	notes, err := l.Notes(entries[1].ID)
	if err != nil || !strings.Contains(fmt.Sprintf("%s", notes), "of the other") {
		t.Errorf("the other session's note is gone: %s, %v", notes, err)
	}
	v, err := check.Verify(context.Background(), again(t, l), nil)
	if err != nil || v.Damage() > 0 {
		t.Errorf("verify: %v, %v", v.Findings, err)
	}
	src := t.TempDir()
	write(t, filepath.Join(src, "transcript.jsonl"), "one\n")
	if _, err := l.Archive(context.Background(), find(t, string(gone.ID), src)); !errors.Is(err, ErrForgotten) {
		t.Errorf("archive: %v, want ErrForgotten", err)
	}
}

// A text is found wherever it stands: as JSON writes it, across segments, in
// older versions; and nowhere else.
func TestHolders(t *testing.T) {
	l := newLib(t)
	src := t.TempDir()
	path := filepath.Join(src, "transcript.jsonl")
	for i, text := range []string{`{"text":"a \"quo`, `{"text":"a \"quokka\" é\n"}` + "\n", "rewritten\n"} {
		write(t, path, text)
		archive(t, l, find(t, "0a000000-0000-4000-8000-000000000001", src))
		if i == 0 {
			continue
		}
	}
	other := t.TempDir()
	write(t, filepath.Join(other, "transcript.jsonl"), strings.Repeat("nothing of the kind\n", 1000))
	archive(t, l, find(t, "0b000000-0000-4000-8000-000000000002", other))
	for text, want := range map[string]int{`"quokka" é`: 1, "a \"quokka\" é\n": 1, "uokka": 1, "rewritten": 1,
		"nothing of": 1, "transcript.jsonl": 2, "wombat": 0} {
		n, err := needle.New(text)
		if err != nil {
			t.Fatal(err)
		}
		got, problems, err := holders.Of(context.Background(), l, n)
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		sessions := 0
		for _, h := range got {
			if h.ID != "" {
				sessions++
			}
		}
		if sessions != want {
			t.Errorf("%q stands in %d sessions, want %d: %v", text, sessions, want, got)
		}
	}
	if _, err := needle.New(" ab "); err == nil {
		t.Error("two letters are enough to forget by, want an error")
	}
}

// Cut off after any step, forgetting is finished by doing it again.
func TestForgetIsFinishedLater(t *testing.T) {
	for _, failing := range []disk.Kind{disk.OpRename, disk.OpRemove, disk.OpAppend, disk.OpWrite} {
		l := newLib(t)
		src := t.TempDir()
		write(t, filepath.Join(src, "transcript.jsonl"), "one\n")
		archive(t, l, find(t, id, src))
		if err := inbox.Add(l, map[string]any{"session": id}); err != nil {
			t.Fatal(err)
		}
		broken := errors.New("the disk fails")
		disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
			if op.Kind == failing {
				return broken
			}
			return do()
		})
		err := forget.Sessions(l, []ingest.SessionID{id}, nil)
		disk.Through(l.Dir(), nil)
		if !errors.Is(err, broken) {
			t.Errorf("%s fails: %v", failing, err)
		}
		l = again(t, l)
		if err := forget.Sessions(l, []ingest.SessionID{id}, nil); err != nil {
			t.Errorf("after %s failed, again: %v", failing, err)
		}
		err = filepath.WalkDir(l.Dir(), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".zst") && !strings.Contains(path, ".tmp") {
				t.Errorf("after %s failed: %s is left", failing, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
