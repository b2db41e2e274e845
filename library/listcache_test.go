package library_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

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
