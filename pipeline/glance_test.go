package pipeline_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/synthtest"
	"recall/pipeline"
)

// A question goes by a glance only while nothing has happened: whatever a person or a client
// does next to the sessions last written to, or anywhere a session may turn up, has everything
// looked at.
func TestGlance(t *testing.T) {
	const all, watched = 12, 6
	t.Cleanup(pipeline.LookAtMost(watched))
	root := filepath.Join(t.TempDir(), ".claude")
	made, err := synthtest.Write(root, synthtest.Options{Sessions: all, BytesEach: 2 << 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(root, "projects", "-home-ann-empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	p := own(open(t, t.TempDir()), root)
	page := func(n int) string {
		e, err := p.Library.Session(ingest.SessionID(made[n].ID))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(e.Folder, "payload.md")
	}
	add := func(path, text string) {
		t.Helper()
		os.Mkdir(filepath.Dir(path), 0o700)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	last, first := all-1, 0
	for _, c := range []struct {
		name string
		do   func()
		from ingest.SessionID
		same bool
	}{
		{name: "nothing", do: func() {}, same: true},
		{name: "nothing, asked from one that is watched", do: func() {}, from: ingest.SessionID(made[last].ID), same: true},
		{name: "asked from one that isn't watched", do: func() {}, from: ingest.SessionID(made[first].ID)},
		{name: "the last session grew", do: func() { add(made[last].Path, "{}\n") }},
		{name: "same size and time, other bytes", do: func() {
			was, err := os.Stat(made[last].Path)
			if err != nil {
				t.Fatal(err)
			}
			add(made[last].Path, "{}\n")
			if err := os.Truncate(made[last].Path, was.Size()); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(made[last].Path, was.ModTime(), was.ModTime()); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a session in a folder that was empty", do: func() { add(filepath.Join(empty, "x.jsonl"), "{}\n") }},
		{name: "an old session gone", do: func() { os.Remove(made[1].Path) }},
		{name: "a page edited", do: func() { add(page(last), "\n") }},
		{name: "a note", do: func() { add(filepath.Join(p.Library.Dir(), "inbox", "n.jsonl"), "{}\n") }},
		{name: "a session's folder gone", do: func() { os.RemoveAll(filepath.Dir(page(first))) }},
		{name: "an unfinished sync", do: func() { add(filepath.Join(p.Cache, "unfinished"), "") }},
		// what the background finds out
		{name: "an old session grew", do: func() { add(made[2].Path, "{}\n") }, same: true},
	} {
		ready := func() bool {
			if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
				t.Fatal(err)
			}
			_, same := p.Unchanged("")
			return same
		}
		for try := 0; !ready(); try++ {
			if try == 3 {
				t.Fatalf("before %q: nothing new, and no glance holds", c.name)
			}
			for _, dir := range []string{p.Library.Dir(), filepath.Join(root, "projects")} { // what is recent never holds
				age(t, dir)
			}
		}
		c.do()
		if looked, same := p.Unchanged(c.from); same != c.same || same && time.Since(looked) > time.Minute {
			t.Errorf("%s: got %v of %v, want %v", c.name, same, looked, c.same)
		}
	}
}

// Where session.json are good and not as they were known, one sync learns that of all sessions, however many: the
// next ones have the library read none.
func TestIdleOfVeryMany(t *testing.T) {
	t.Cleanup(pipeline.LookAtMost(3))
	root := t.TempDir()
	if _, err := synthtest.Write(root, synthtest.Options{Sessions: 20, BytesEach: 2 << 10, Seed: 4}); err != nil {
		t.Fatal(err)
	}
	p := own(open(t, t.TempDir()), root)
	var seen []string
	for i := range 4 {
		if i == 1 { // what a copy of a library has
			age(t, p.Library.Dir())
		}
		if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(p.Cache, "seen.gob"))
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(text))
	}
	if seen[1] != seen[2] || seen[2] != seen[3] {
		t.Error("the third and fourth sync learned more than the second")
	}
}

// age has all below a folder look as if it was written an hour ago.
func age(t *testing.T, dir string) {
	t.Helper()
	recent := time.Now().Add(-time.Minute)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if fi, bad := os.Stat(path); err == nil && bad == nil && fi.ModTime().After(recent) {
			err = os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
