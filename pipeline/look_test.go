package pipeline_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/synthtest"
	"recall/pipeline"
)

// A question trusts the last look only while nothing has happened: whatever a person or a client
// does next to the sessions last written to, or anywhere a session may turn up, has everything
// looked at.
func TestUnchanged(t *testing.T) {
	const all = 12
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
		same bool
	}{
		{name: "nothing", do: func() {}, same: true},
		{name: "the last session grew", do: func() { add(made[last].Path, "{}\n") }},
		// On Windows nothing but the bytes would tell: it has no time of change that can be had without opening.
		{name: "same size and time, other bytes", same: runtime.GOOS == "windows", do: func() {
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
		{name: "an unfinished sync", do: func() {
			if err := p.LookAgain(); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "an archive", do: func() {
			add(made[2].Path, "{}\n")
			if _, err := p.Archive(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		ready := func() bool {
			if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
				t.Fatal(err)
			}
			_, same := p.Unchanged()
			return same
		}
		for try := 0; !ready(); try++ {
			if try == 3 {
				t.Fatalf("before %q: nothing is new, and no look says so", c.name)
			}
			for _, dir := range []string{p.Library.Dir(), filepath.Join(root, "projects")} { // what is recent never holds
				age(t, dir)
			}
		}
		c.do()
		since, same := p.Unchanged()
		if same != c.same || same && time.Since(since) > pipeline.LookHolds {
			t.Errorf("%s: got %v since %v, want %v", c.name, same, since, c.same)
		}
	}
}

// A root that has a folder "projects" without being a client's own is searched, and so watched, as a whole, even if it
// is a link.
func TestUnchangedInAnyRoot(t *testing.T) {
	root := filepath.Join(t.TempDir(), "kept")
	if _, err := synthtest.Write(root, synthtest.Options{Sessions: 2, BytesEach: 2 << 10, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(root, "old", "deep")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip(err)
	}
	for _, root := range []string{root, link} {
		p := own(open(t, t.TempDir()), root)
		for range 3 {
			if _, err := p.Sync(t.Context(), pipeline.Options{}); err != nil {
				t.Fatal(err)
			}
			age(t, p.Library.Dir())
			age(t, root+string(filepath.Separator))
		}
		if _, same := p.Unchanged(); !same {
			t.Fatalf("%s: nothing is new, and no look says so", root)
		}
		if err := os.Mkdir(filepath.Join(deep, filepath.Base(root)), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, same := p.Unchanged(); same {
			t.Errorf("%s: a new folder far below it, and everything looks the same", root)
		}
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
