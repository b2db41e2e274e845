package pipeline_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recall/ingest"
	"recall/library"
	"recall/library/check"
	"recall/library/raw"
	"recall/pipeline"
)

// A source that is overwritten by a shorter one, emptied, or filled with zeros keeps what it said: found, shown as no
// longer in the source, and offered by restore.
func TestShrunkSourceStaysFindable(t *testing.T) {
	for name, left := range map[string]string{"emptied": "", "zeros": strings.Repeat("\x00", 40),
		"as many zeros": strings.Repeat("\x00", 9000), "another": "another"} {
		root := t.TempDir()
		p := open(t, t.TempDir())
		path := first.write(t, root)
		syncAll(t, p, root)
		was, err := p.Read(t.Context(), ingest.SessionID(first.id))
		if err != nil {
			t.Fatal(err)
		}
		if left == "another" {
			other := first
			other.said, other.start = []string{"hello?"}, first.start.AddDate(0, 0, 3)
			text, err := os.ReadFile(other.write(t, t.TempDir()))
			if err != nil {
				t.Fatal(err)
			}
			left = strings.ReplaceAll(string(text), `"uuid":"`, `"uuid":"x`)
			defer func() { // the source is again as it was: what it said between is kept, too
				first.write(t, root)
				syncAll(t, p, root)
				s, err := p.Read(t.Context(), ingest.SessionID(first.id))
				between := func(t ingest.Turn) bool { return t.Gone && t.Text == "hello?" }
				if err != nil || !slices.ContainsFunc(s.Turns, between) {
					t.Errorf("nothing is left of the talk between, %v", err)
				}
			}()
		}
		if err := os.WriteFile(path, []byte(left), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := syncAll(t, p, root); r.Shrunk != 1 || r.Grown != 0 || len(r.Problems) > 0 {
			t.Errorf("%s: %+v, want one that has shrunk", name, r)
		}
		now, err := p.Read(t.Context(), ingest.SessionID(first.id))
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range was.Turns {
			if !slices.ContainsFunc(now.Turns, func(t ingest.Turn) bool { return t.Gone && t.Text == turn.Text }) {
				t.Errorf("%s: %q is gone, or isn't marked", name, turn.Text)
			}
		}
		e, err := p.Library.Session(ingest.SessionID(first.id))
		if state, _ := e.State(nil); err != nil || state != library.Shorter || e.Title != was.Title {
			t.Errorf("%s: it is %q with title %q, %v; want %q", name, state, e.Title, err, was.Title)
		}
		plan, err := p.PlanRestore(t.Context(), e, pipeline.RestoreOptions{To: t.TempDir()})
		if err != nil || plan.Files[0].Version != 1 {
			t.Errorf("%s: restore offers version %d, %v; want the fullest", name, plan.Files[0].Version, err)
		}
	}
}

// An older copy of the library, or of a session's folder, is put back: the next sync archives and renders what is
// newer.
func TestOlderCopyIsPutBack(t *testing.T) {
	for _, whole := range []bool{true, false} {
		root, older := t.TempDir(), t.TempDir()
		p := open(t, t.TempDir())
		first.write(t, root)
		syncAll(t, p, root)
		e, err := p.Library.Session(ingest.SessionID(first.id))
		if err != nil {
			t.Fatal(err)
		}
		dir := p.Library.Dir()
		if !whole {
			dir = e.Folder
		}
		if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		more := first
		more.said = append(slices.Clone(first.said), "Also keep failed jobs for 30 days.", "They are kept for 30 days.")
		more.write(t, root)
		syncAll(t, p, root)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, os.DirFS(older)); err != nil {
			t.Fatal(err)
		}
		if r := syncAll(t, p, root); r.Grown != 1 || r.Distilled != 1 {
			t.Errorf("whole %v: %+v, want one grown and distilled", whole, r)
		}
		text, err := os.ReadFile(filepath.Join(e.Folder, "transcript.md"))
		if !strings.Contains(string(text), "for 30 days") {
			t.Errorf("whole %v: the transcript lacks what is newer, %v", whole, err)
		}
		if r := syncAll(t, p, root); r.New+r.Grown+r.Distilled != 0 {
			t.Errorf("whole %v, again: %+v, want nothing new", whole, r)
		}
	}
}

// A session whose segments are gone isn't safe, and the next sync archives them again, from a source that hasn't
// changed.
func TestSegmentsGone(t *testing.T) {
	for _, gone := range []string{"raw", filepath.Join("raw", "*.zst"), "emptied"} {
		root := t.TempDir()
		p := open(t, t.TempDir())
		first.write(t, root)
		syncAll(t, p, root)
		e, err := p.Library.Session(ingest.SessionID(first.id))
		if err != nil {
			t.Fatal(err)
		}
		paths, err := filepath.Glob(filepath.Join(e.Folder, gone))
		for _, path := range paths {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		if gone == "emptied" {
			if err := os.Truncate(raw.Path(e.Folder, raw.In(e.Folder)[0]), 0); err != nil {
				t.Fatal(err)
			}
		}
		if state, _ := e.State(nil); err != nil || state != library.Behind {
			t.Errorf("%s gone: it is %q, %v; want behind", gone, state, err)
		}
		if r := syncAll(t, p, root); r.Again != 1 {
			t.Errorf("%s gone: %+v, want one archived again", gone, r)
		}
		v, err := check.Verify(t.Context(), p.Library, nil)
		if err != nil || len(v.Findings) > 0 {
			t.Errorf("%s gone: %+v, %v", gone, v.Findings, err)
		}
	}
}
