package library_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
)

// The remembered list never hides what has changed in the library since.
func TestListCache(t *testing.T) {
	l := newLib(t)
	cache := t.TempDir()
	ids := []string{"aaaa1111-0000", "bbbb1111-0000", "cccc1111-0000"}
	for _, id := range ids {
		addSession(t, l, id, meta(t, l, "First"))
	}
	age := func() {
		for _, f := range folders(t, l) {
			old := time.Now().Add(-time.Hour)
			os.Chtimes(filepath.Join(l.Dir(), f, "session.json"), old, old)
		}
	}
	titles := func(t *testing.T) map[string]string {
		t.Helper()
		o := again(t, l)
		o.KeepListIn(cache)
		all, err := o.Sessions()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, e := range all {
			got[string(e.ID)] = e.Title
			if _, err := ReadEntry(e.Folder); err != nil {
				t.Errorf("folder of %s: %v", e.ID, err)
			}
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		return got
	}
	check := func(when string, want ...string) {
		t.Helper()
		for _, run := range []string{"first", "second"} {
			got := titles(t)
			for i, id := range ids {
				if want[i] != got[id] {
					t.Errorf("%s, %s run: %s has title %q, want %q", when, run, id, got[id], want[i])
				}
			}
		}
	}
	age()
	check("at first", "First", "First", "First")
	m := meta(t, l, "Other")
	if err := l.Place("aaaa1111-0000", m); err != nil {
		t.Fatal(err)
	}
	check("one changed", "Other", "First", "First")
	if err := l.RenameProject(m.Project, "moved"); err != nil {
		t.Fatal(err)
	}
	check("all moved", "Other", "First", "First")
	e, err := l.Session("bbbb1111-0000")
	if err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(e.Folder)
	check("one removed", "Other", "", "First")
	files, _ := filepath.Glob(filepath.Join(cache, "*"))
	if len(files) != 1 {
		t.Fatalf("cache: got %v, want one file", files)
	}
	for _, junk := range []string{"", "junk", "{}\n{}\n"} {
		os.WriteFile(files[0], []byte(junk), 0o600)
		check("junk "+junk, "Other", "", "First")
	}
}

// Sessions of a project are as they are; others aren't looked at, and are seen
// by the next who asks for all.
func TestSessionsOf(t *testing.T) {
	l := newLib(t)
	cache := t.TempDir()
	mine := meta(t, l, "First")
	addSession(t, l, "aaaa1111-0000", mine)
	addSession(t, l, "bbbb1111-0000", mine)
	of := func(id string) bool { return id == mine.Project }
	for _, f := range folders(t, l) {
		old := time.Now().Add(-time.Hour)
		os.Chtimes(filepath.Join(l.Dir(), f, "session.json"), old, old)
	}
	look := func(project func(string) bool) (got []string) {
		t.Helper()
		o := again(t, l)
		defer o.Close()
		o.KeepListIn(cache)
		all, err := o.SessionsOf(project)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			got = append(got, string(e.ID)[:4]+" "+e.Title)
		}
		if rest, err := o.Sessions(); err != nil || len(rest) != 3 && len(rest) != 2 {
			t.Fatalf("%d sessions, %v", len(rest), err)
		}
		return got
	}
	look(of) // the list is remembered
	if err := l.Place("aaaa1111-0000", meta(t, l, "Other")); err != nil {
		t.Fatal(err)
	}
	addSession(t, l, "cccc1111-0000", meta(t, l, "New"))
	if d := cmp.Diff([]string{"aaaa Other", "bbbb First", "cccc New"}, look(of)); d != "" {
		t.Error(d)
	}
	if got := look(func(string) bool { return false }); len(got) != 0 {
		t.Errorf("of no project: %q", got)
	}
}

// Who asks for a project's sessions makes the list anew where it lacks too many, else leaves it.
func TestSessionsOfUnlisted(t *testing.T) {
	const unlisted = 32
	l := newLib(t)
	cache := t.TempDir()
	mine := meta(t, l, "First")
	ask := func() int {
		t.Helper()
		o := again(t, l)
		o.KeepListIn(cache)
		all, err := o.SessionsOf(func(id string) bool { return id == mine.Project })
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	listed := func() bool {
		files, _ := filepath.Glob(filepath.Join(cache, "*"))
		return len(files) > 0
	}
	addSession(t, l, "aaaa1111-0000", mine)
	if n := ask(); n != 1 || listed() {
		t.Errorf("%d sessions of 1, a list: %v", n, listed())
	}
	for i := range unlisted {
		addSession(t, l, fmt.Sprintf("bbbb1111-%04d", i), mine)
	}
	if n := ask(); n != unlisted+1 || !listed() {
		t.Errorf("%d sessions of %d, a list: %v", n, unlisted+1, listed())
	}
}

// One session is found by its folder's name, or else, where it has another name, by looking at all.
func TestSessionAlone(t *testing.T) {
	l := newLib(t)
	ids := []string{"aaaa1111-0000", "aaaa1111-0001", "bbbb1111-0000", "cccc1111-0000"}
	for _, id := range ids {
		addSession(t, l, id, meta(t, l, "First"))
	}
	e, err := l.Session("cccc1111-0000")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(e.Folder, filepath.Join(filepath.Dir(e.Folder), "renamed")); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(l.Dir(), "unsorted", "broken")
	write(t, filepath.Join(broken, "session.json"), "{")
	for _, id := range ids {
		o := again(t, l)
		e, err := o.Session(ingest.SessionID(id))
		if err != nil || string(e.ID) != id {
			t.Errorf("%s: got %q, %v", id, e.ID, err)
		}
		if all := id == "aaaa1111-0001" || id == "cccc1111-0000"; all != (len(o.Broken()) > 0) {
			t.Errorf("%s: looked at all folders: %v, want %v", id, !all, all)
		}
	}
	if _, err := again(t, l).Session("bbbb1111-0009"); !errors.Is(err, ErrNoSession) {
		t.Errorf("an id with a session's beginning: %v, want ErrNoSession", err)
	}
}

// What another recall writes about sessions shows in the stamp at once, whether that one ends or stays.
func TestStamp(t *testing.T) {
	l := newLib(t)
	addSession(t, l, "aaaa1111-0000", meta(t, l, "First"))
	n := 0
	fresh := func() string { n++; return fmt.Sprintf("cccc%04d-0000", n) }
	for name, do := range map[string]func(*Library) error{
		"a title":   func(l *Library) error { return l.Place("aaaa1111-0000", meta(t, l, fresh())) },
		"a session": func(l *Library) error { addSession(t, l, fresh(), meta(t, l, "New")); return nil },
		"a project": func(l *Library) error { return l.RenameProject(meta(t, l, "").Project, fresh()) },
	} {
		for _, ends := range []bool{false, true} {
			tops, _ := filepath.Glob(filepath.Join(l.Dir(), "*"))
			for _, path := range tops { // else they are too recent to tell
				old := time.Now().Add(-time.Hour)
				os.Chtimes(path, old, old)
			}
			before, o := l.Stamp(), again(t, l)
			if err := do(o); err != nil {
				t.Fatal(err)
			}
			if ends {
				o.Close()
			}
			if now := l.Stamp(); before == "" || now == before {
				t.Errorf("%s, ended %v: the stamp stays %q", name, ends, now)
			}
		}
	}
}
