package library_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recall/ingest"
	. "recall/library"
	"recall/library/inbox"
	"recall/library/merge"
)

// texts of a session's notes, in order.
func noted(t testing.TB, l *Library, id ingest.SessionID) []string {
	t.Helper()
	notes, err := l.Notes(id)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, n := range notes {
		var note struct{ Text string }
		if err := json.Unmarshal(n, &note); err != nil {
			t.Fatal(err)
		}
		all = append(all, note.Text)
	}
	return all
}

func fold(t testing.TB, l *Library) inbox.Report {
	t.Helper()
	f, err := inbox.Fold(l)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func inboxNote(t testing.TB, l *Library, session, text string) {
	t.Helper()
	if err := inbox.Add(l, map[string]string{"session": session, "text": text}); err != nil {
		t.Fatal(err)
	}
}

// Events go to the notes of their session, once however often they are folded;
// those of a session that isn't there yet wait for it.
func TestFoldInbox(t *testing.T) {
	l := newLib(t)
	if f := fold(t, l); f.Notes != 0 {
		t.Errorf("an empty inbox: %+v", f)
	}
	addSession(t, l, id, meta(t, l, "T"))
	inboxNote(t, l, id, "one")
	inboxNote(t, l, "local_later", "early")
	inboxNote(t, l, id, "two")
	if f := fold(t, l); f.Notes != 2 || f.Waiting != 1 || len(f.Sessions) != 1 || len(f.Problems) != 0 {
		t.Errorf("got %+v", f)
	}
	inboxNote(t, l, id, "three")
	for range 2 {
		fold(t, again(t, l))
	}
	if got := noted(t, l, id); fmt.Sprint(got) != "[one two three]" {
		t.Errorf("got %q", got)
	}
	dir := filepath.Join(t.TempDir(), "local_later")
	write(t, filepath.Join(dir, "transcript.jsonl"), "x\n")
	archive(t, l, find(t, "local_later", dir))
	if f := fold(t, l); f.Notes != 1 || f.Waiting != 0 {
		t.Errorf("when its session is there: %+v", f)
	}
	if got := noted(t, l, "local_later"); fmt.Sprint(got) != "[early]" {
		t.Errorf("got %q", got)
	}
	if v := verify(t, l); len(v.Findings) > 0 {
		t.Error(said(v))
	}
}

// What a killed process left half costs no other event, and is kept.
func TestFoldTorn(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	inboxNote(t, l, id, "one")
	path := filepath.Join(l.Dir(), "inbox", "events.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"session":"7f3c","text":"tor`)
	f.Close()
	inboxNote(t, l, id, "two")
	got := fold(t, l)
	if got.Notes != 2 || len(got.Problems) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := noted(t, l, id); fmt.Sprint(got) != "[one two]" {
		t.Errorf("got %q", got)
	}
	if kept, _ := os.ReadFile(filepath.Join(l.Dir(), "inbox", "unreadable.txt")); strings.Count(string(kept), "tor") != 1 {
		t.Errorf("kept %q", kept)
	}
	if got := fold(t, l); len(got.Problems) != 0 {
		t.Errorf("told again: %+v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(l.Dir(), "inbox", "events*")); len(left) != 0 || len(noted(t, l, id)) != 2 {
		t.Errorf("left %v, notes %q", left, noted(t, l, id))
	}
}

// Appends and folds at once lose nothing.
func TestInboxTogether(t *testing.T) {
	l := newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	var wg sync.WaitGroup
	const writers, each = 4, 60
	for w := range writers {
		wg.Go(func() {
			o, err := Open(l.Dir())
			if err != nil {
				t.Error(err)
				return
			}
			defer o.Close()
			for i := range each {
				if err := inbox.Add(o, map[string]string{"session": id, "text": fmt.Sprint(w, " ", i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for folding := true; folding; {
		select {
		case <-done:
			folding = false
		default:
		}
		fold(t, l)
	}
	fold(t, l)
	seen := map[string]int{}
	for _, text := range noted(t, l, id) {
		seen[text]++
	}
	if len(seen) != writers*each || len(noted(t, l, id)) != writers*each {
		t.Errorf("got %d notes, %d of them different, want %d", len(noted(t, l, id)), len(seen), writers*each)
	}
}

// Nor does a merge that brings events of its own.
func TestInboxBesideMerges(t *testing.T) {
	l, other := newLib(t), newLib(t)
	addSession(t, l, id, meta(t, l, "T"))
	const each = 400
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range each {
			if err := inbox.Add(l, map[string]string{"session": id, "text": fmt.Sprint("here ", i)}); err != nil {
				t.Error(err)
			}
		}
	}()
	merges := 0
	for merging := true; merging; merges++ {
		select {
		case <-done:
			merging = false
		default:
		}
		if err := inbox.Add(other, map[string]string{"session": id, "text": fmt.Sprint("there ", merges)}); err != nil {
			t.Fatal(err)
		}
		if _, err := merge.Merge(t.Context(), again(t, l), other, merge.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := fold(t, l); got.Notes != each+merges || len(got.Problems) > 0 {
		t.Errorf("%d notes of %d events, problems %v", got.Notes, each+merges, got.Problems)
	}
}
