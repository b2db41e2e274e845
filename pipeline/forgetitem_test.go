package pipeline_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/index"
	"recall/index/indextest"
	"recall/ingest"
	"recall/library/disk"
	"recall/library/inbox"
	"recall/library/merge"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/improve"
)

// One item goes for good, from all that was made of its session, and stays away: when the session
// grows, is distilled again by rules or by a model, and when an older backup is taken in. Other items stay.
func TestForgetItem(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	p.Now = func() time.Time { return day.AddDate(0, 1, 0) }
	s := newService(t, 0)
	s.ask(t, p, improve.Caps{})
	k := forgettable
	k.write(t, root)
	improved(t, p, root)
	id := ingest.SessionID(k.id)
	it := quokkas(t, p)
	why := "quokkas are quick"
	err := p.Library.AppendEdits(id, []payload.Edit{{Op: payload.OpSet, ID: it.ID, At: day, Who: "ann",
		Set: &payload.Fields{Why: &why}}})
	if err == nil {
		err = inbox.Add(p.Library, payload.Note{Type: payload.NoteType, Session: k.id, By: "agent", Kind: payload.Decision,
			Text: "The importer's queue is a heap of quokkas.", Quote: it.First().Quote})
	}
	if err != nil {
		t.Fatal(err)
	}
	syncAll(t, p, root)
	backup := t.TempDir()
	if _, err := merge.Backup(t.Context(), p.Library, backup, nil); err != nil {
		t.Fatal(err)
	}
	older := t.TempDir()
	if _, err := merge.Backup(t.Context(), p.Library, older, nil); err != nil {
		t.Fatal(err)
	}
	before := made(t, p.Library.Dir())
	for _, name := range []string{"session.json", "payload.md", "edits.jsonl", "notes.jsonl", ".zst"} {
		if !slices.ContainsFunc(before, func(path string) bool { return strings.HasSuffix(path, name) }) {
			t.Fatalf("no %s holds its words, only %q: this test proves nothing", name, before)
		}
	}

	if _, err := p.PlanForgetItem(t.Context(), id, payload.Item{ID: "zzzzzzzzzz"}); !errors.Is(err, index.ErrNoItem) {
		t.Errorf("of an item that isn't there the plan says %v", err)
	}
	plan, err := p.PlanForgetItem(t.Context(), id, it)
	if err != nil || plan.Edits != 1 || plan.Notes != 1 {
		t.Fatalf("%d edits and %d notes would go (%v), want 1 and 1", plan.Edits, plan.Notes, err)
	}
	if err := p.ForgetItem(t.Context(), id, it); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(p.Cache, "index.db")
	away := func(when string) {
		t.Helper()
		all, err := indextest.Dump(db)
		if err != nil || bytes.Contains(all, []byte("quokka")) || !bytes.Contains(all, []byte("retries")) {
			t.Errorf("%s: the index holds its words, or none of the rest (%v)", when, err)
		}
		if left := made(t, p.Library.Dir()); len(left) > 0 {
			t.Errorf("%s: %q hold its words", when, left)
		}
		if _, err := p.Index.ItemByID(t.Context(), it.ID); !errors.Is(err, index.ErrNoItem) {
			t.Errorf("%s: the index has it (%v)", when, err)
		}
		if own, err := p.Library.Payload(id); err != nil || !strings.Contains(own.Written, "limit of retries") {
			t.Errorf("%s: the other decision is gone (%v)", when, err)
		}
	}
	away("forgotten")
	k.said = append(k.said, "Let's keep the port at 8080 for the importer.", "8080 it is.")
	k.write(t, root)
	syncAll(t, p, root)
	away("grown")
	again, err := asker(p).Run(t.Context(), improve.Options{Only: []ingest.SessionID{id}})
	if err != nil || again.Improved != 1 {
		t.Fatalf("asking again: %+v, %v", again, err)
	}
	away("distilled again by a model")
	if _, err := p.Sync(t.Context(), pipeline.Options{Reindex: true}); err != nil {
		t.Fatal(err)
	}
	away("indexed again")
	if _, err := merge.Import(t.Context(), p.Library, older, merge.Options{}); err != nil {
		t.Fatal(err)
	}
	syncAll(t, p, root)
	away("an older backup was imported")

	if _, err := merge.Backup(t.Context(), p.Library, backup, nil); err != nil {
		t.Fatal(err)
	}
	if left := made(t, backup); len(left) > 0 {
		t.Errorf("the next backup: %q hold its words", left)
	}
	o := open(t, t.TempDir()) // a library that has it learns that it was forgotten
	for _, from := range []string{older, backup} {
		if _, err := merge.Import(t.Context(), o.Library, from, merge.Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := o.Sync(t.Context(), pipeline.Options{Reindex: true}); err != nil {
			t.Fatal(err)
		}
		if left := made(t, o.Library.Dir()); (from == backup) != (len(left) == 0) {
			t.Errorf("after %s came: %q hold its words", from, left)
		}
	}
}

// Of two dropped items that begin alike the beginning names neither.
func TestRetired(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	forgettable.write(t, root)
	syncAll(t, p, root)
	id := ingest.SessionID(forgettable.id)
	for _, item := range []payload.ItemID{"aaaa222222", "aaaa333333"} {
		err := p.Library.AppendEdits(id, []payload.Edit{
			{Op: payload.OpAdd, ID: item, At: day, Who: "ann", Item: &payload.Item{Kind: payload.Decision,
				Text: "Dropped " + string(item)}},
			{Op: payload.OpDrop, ID: item, At: day, Who: "ann"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Sync(t.Context(), pipeline.Options{Only: id}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[payload.ItemID]payload.ItemID{"aaaa333333": "aaaa333333", "aaaa2": "aaaa222222",
		"aaaa": "", "aaa": ""} {
		if _, item, err := p.Retired(name); item != want || (want == "") != errors.Is(err, index.ErrNoItem) {
			t.Errorf("%s is %q (%v), want %q", name, item, err, want)
		}
	}
}

// Cut off at any write, forgetting an item is finished by the next sync.
func TestForgetItemCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	stop := errors.New("cut off")
	for n, done := 0, false; !done; n++ {
		root, dir := t.TempDir(), t.TempDir()
		p := open(t, dir)
		p.Now = func() time.Time { return day.AddDate(0, 1, 0) }
		forgettable.write(t, root)
		syncAll(t, p, root)
		it := quokkas(t, p)
		count, cut := 0, false
		disk.Through(p.Library.Dir(), func(_ disk.Op, do func() error) error {
			if count++; count > n {
				cut = true
				return stop
			}
			return do()
		})
		err := p.ForgetItem(t.Context(), ingest.SessionID(forgettable.id), it)
		disk.Through(p.Library.Dir(), nil)
		if done = !cut; done != (err == nil) {
			t.Fatalf("%d writes: %v", n, err)
		}
		p.Index.Close()
		p.Library.Close()
		p = open(t, dir)
		known, err := p.Library.ForgottenItems()
		if err != nil {
			t.Fatal(err)
		}
		syncAll(t, p, root)
		if left := made(t, p.Library.Dir()); (len(left) > 0) != (len(known) == 0) {
			t.Errorf("cut off after %d writes, %d entered: %q hold its words", n, len(known), left)
		}
	}
}

var forgettable = talk{id: "cccccccc-0000-4000-8000-000000000003", start: day,
	said: []string{"Let's keep the limit of retries at five for the importer's queue.", "Five it is.",
		"Let's use a heap of quokkas for the importer's queue instead of the sorted list of jobs.", "Done: it is in.",
		"Good, then let's ship the importer on Monday instead of today.", "Monday."}}

// quokkas is the decision about them.
func quokkas(t *testing.T, p *pipeline.Pipeline) payload.Item {
	t.Helper()
	own, err := p.Library.Payload(ingest.SessionID(forgettable.id))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(own.Items, func(it payload.Item) bool { return strings.Contains(it.Text, "quokka") })
	if i < 0 {
		t.Fatalf("no item of quokkas in\n%s", own.Written)
	}
	return own.Items[i]
}

// made lists the files of a library that hold the words, but for the transcript.
func made(t *testing.T, dir string) []string {
	return slices.DeleteFunc(held(t, dir, "quokka"), func(path string) bool {
		return filepath.Base(filepath.Dir(path)) == "raw" || strings.HasPrefix(filepath.Base(path), "transcript")
	})
}
