package pipeline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// A payload.md that can't be read back is reported with its line, stays as it
// is and costs no other session.
func TestEditThatMakesNoSense(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	first.write(t, root)
	second.write(t, root)
	syncAll(t, p, root)
	path := filepath.Join(folder(t, p.Library, first.id), "payload.md")
	bad := []byte("# Rehydration payload: x\n\n## In their own words\n\n### deeper\n<<<<<<< mine\n\x00\xff\n")
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	third.write(t, root)
	for i := range 2 {
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(path); string(text) != string(bad) {
			t.Errorf("sync %d: it was written over: %s", i+1, text)
		}
		if len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Reason(), "payload.md: line 6") {
			t.Errorf("sync %d: %v, want one problem with line 6 of payload.md", i+1, r.Problems)
		}
		if want := 1 - i; r.Distilled != want {
			t.Errorf("sync %d: %d distilled, want %d", i+1, r.Distilled, want)
		}
	}
	if got := items(t, p.Library); len(got[third.id]) == 0 {
		t.Errorf("the new session was not distilled: %v", got)
	}
}

// payload.md is made again if somebody deletes it; a folder that was deleted is
// taken in again, one that was renamed goes back to its name.
func TestDeletedAndMovedByHand(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	for _, k := range []talk{first, second, third} {
		k.write(t, root)
	}
	syncAll(t, p, root)
	want := tree(t, p.Library.Dir())
	nothing := func(what string) {
		t.Helper()
		if d := cmp.Diff(want, tree(t, p.Library.Dir())); d != "" {
			t.Errorf("%s (-before +after): %s", what, d)
		}
		if r := syncAll(t, p, root); r.Distilled+r.Indexed+r.New+r.Grown != 0 {
			t.Errorf("%s: the sync after that did something: %+v", what, r)
		}
	}
	if err := os.Remove(filepath.Join(folder(t, p.Library, first.id), "payload.md")); err != nil {
		t.Fatal(err)
	}
	if r := syncAll(t, p, root); r.Distilled != 1 {
		t.Errorf("payload.md deleted: %+v", r)
	}
	nothing("payload.md deleted")

	dir := folder(t, p.Library, first.id)
	if err := os.Rename(dir, filepath.Join(filepath.Dir(dir), "mine")); err != nil {
		t.Fatal(err)
	}
	if r := syncAll(t, p, root); r.Distilled != 0 {
		t.Errorf("a renamed folder was distilled again: %+v", r)
	}
	nothing("renamed")

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r := syncAll(t, p, root); r.New != 1 || r.Distilled != 1 {
		t.Errorf("a deleted folder: %+v", r)
	}
	nothing("deleted")

	path := filepath.Join(root, "projects", "-home-ann-app", third.id+".jsonl")
	if err := errors.Join(os.Remove(path), os.RemoveAll(folder(t, p.Library, third.id))); err != nil {
		t.Fatal(err)
	}
	syncAll(t, p, root)
	stamps, err := p.Index.Stamps(context.Background())
	if err != nil || len(stamps) != 2 {
		t.Errorf("%d sessions in the index, %v; want the deleted one out", len(stamps), err)
	}
	if r := syncAll(t, p, root); r.Distilled+r.Indexed+r.New+r.Grown != 0 {
		t.Errorf("after a session deleted for good: %+v", r)
	}
}

// A library that was moved on the disk, or renamed a project, isn't distilled again.
func TestMovedLibrary(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	p := open(t, dir)
	first.write(t, root)
	second.write(t, root)
	syncAll(t, p, root)
	e, err := p.Library.Session(ingest.SessionID(first.id))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Library.RenameProject(e.Project, "queue"); err != nil {
		t.Fatal(err)
	}
	if r := syncAll(t, p, root); r.Distilled+r.Indexed+r.New+r.Grown != 0 {
		t.Errorf("after a project's renaming: %+v", r)
	}
	p.Library.Close()
	to := filepath.Join(dir, "elsewhere")
	if err := os.Rename(p.Library.Dir(), to); err != nil {
		t.Fatal(err)
	}
	if p.Library, err = library.Open(to); err != nil {
		t.Fatal(err)
	}
	defer p.Library.Close()
	if r := syncAll(t, p, root); r.Distilled+r.Indexed+r.New+r.Grown != 0 {
		t.Errorf("after the library was moved: %+v", r)
	}
	edit(t, filepath.Join(folder(t, p.Library, first.id), "payload.md"), "- Asked for by hand.")
	if r := syncAll(t, p, root); r.Edited != 1 {
		t.Errorf("an edit in the moved library: %+v", r)
	}
}

// A hand edit is noticed although the table of what was seen was lost.
func TestEditAfterLostCache(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	first.write(t, root)
	second.write(t, root)
	syncAll(t, p, root)
	edit(t, filepath.Join(folder(t, p.Library, first.id), "payload.md"), "- Asked for by hand.")
	if err := os.Remove(filepath.Join(p.Cache, "state.db")); err != nil {
		t.Fatal(err)
	}
	if r := syncAll(t, p, root); r.Edited != 1 || r.Distilled != 1 {
		t.Errorf("%+v, want one edited", r)
	}
	if r := syncAll(t, p, root); r.Distilled+r.Indexed != 0 {
		t.Errorf("after that: %+v", r)
	}
}

// What a person said is applied by the next sync if the process that recorded it was killed before it did.
func TestWordNotYetApplied(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	first.write(t, root)
	second.write(t, root)
	syncAll(t, p, root)
	say := func(id string, e payload.Edit) {
		e.At, e.Who = day, "Ann"
		if err := p.Library.AppendEdits(ingest.SessionID(id), []payload.Edit{e}); err != nil {
			t.Fatal(err)
		}
	}
	for _, lost := range []string{"", "state.db"} { // with it nothing is known of the folder
		say(first.id, payload.Edit{Op: payload.OpTitle, Title: "named" + lost})
		if err := os.Remove(filepath.Join(p.Cache, lost)); err != nil && lost != "" {
			t.Fatal(err)
		}
		r := syncAll(t, p, root)
		e, err := p.Library.Session(ingest.SessionID(first.id))
		if err != nil || e.Title != "named"+lost || r.Distilled != 1 {
			t.Errorf("lost %q: title %q, %+v, %v", lost, e.Title, r, err)
		}
	}
	if r := syncAll(t, p, root); r.Distilled+r.Indexed != 0 {
		t.Errorf("after that: %+v", r)
	}
	away := true
	say(second.id, payload.Edit{Op: payload.OpMark, Mark: &payload.Mark{Archive: &away}})
	if r := syncAll(t, p, root); r.Distilled != 0 {
		t.Errorf("after a mark: %+v", r)
	}
	a, err := p.Index.Search(context.Background(), index.Query{Text: "queue"})
	if err != nil || a.Archived != 1 {
		t.Errorf("%d archived sessions were left out, %v; want 1", a.Archived, err)
	}
}

// A payload.md that somebody edits while a sync is still at work on others is
// taken in by the next one.
func TestEditWhileSyncing(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	for _, k := range crowd() {
		k.write(t, root)
	}
	edited := false
	p.Progress = func(s pipeline.Progress) {
		pages, _ := filepath.Glob(filepath.Join(p.Library.Dir(), "app", "*", "payload.md"))
		if s.Stage != "distill" || edited || len(pages) == 0 {
			return
		}
		for _, path := range pages {
			text, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(text), "\n## In their own words (") {
				edited = true
				edit(t, path, "- Asked for by hand.")
				return
			}
		}
	}
	r := syncAll(t, p, root)
	if !edited {
		t.Skip("there was no moment for it")
	}
	p.Progress = nil
	again := syncAll(t, p, root)
	if r.Edited+again.Edited != 1 {
		t.Errorf("taken in by the sync: %d, by the next: %d; want once", r.Edited, again.Edited)
	}
	for text := range tree(t, p.Library.Dir()) {
		if strings.HasSuffix(text, "edits.jsonl") {
			return
		}
	}
	t.Error("no edits.jsonl")
}
