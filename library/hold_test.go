package library_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"recall/ingest"
	. "recall/library"
	"recall/payload"
)

// A process that holds its look at the sessions sees at once what another one writes, whether that ends or stays, and
// else doesn't look again.
func TestHold(t *testing.T) {
	l := newLib(t)
	for _, id := range []string{"aaaa1111-0000", "bbbb1111-0000"} {
		addSession(t, l, id, meta(t, l, "First"))
	}
	held := again(t, l)
	held.Hold(time.Hour)
	catalog := func(of *Library) *Catalog {
		t.Helper()
		s, err := of.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// settle has all that was written be an hour old, and a look at it be held.
	settle := func() {
		t.Helper()
		old := time.Now().Add(-time.Hour)
		inside, err := filepath.Glob(filepath.Join(l.Dir(), "*"))
		if err != nil {
			t.Fatal(err)
		}
		locks, err := filepath.Glob(filepath.Join(l.Dir(), ".locks", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range append(append(inside, locks...), l.Dir()) {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		catalog(held)
		catalog(held)
		if held.Stamp() == "" {
			t.Error("the library never settles")
		}
	}
	yes := true
	mark := func(l *Library, id ingest.SessionID) error {
		return l.AppendEdits(id, []payload.Edit{{Op: payload.OpMark, Who: "ann", Mark: &payload.Mark{Star: &yes}}})
	}
	for _, step := range []struct {
		name string
		do   func(l *Library) error
	}{
		{"a star", func(l *Library) error { return mark(l, "aaaa1111-0000") }},
		{"another title", func(l *Library) error { return l.Place("bbbb1111-0000", meta(t, l, "Other")) }},
		{"a session", func(l *Library) error { addSession(t, l, "cccc1111-0000", meta(t, l, "New")); return nil }},
		{"a star of another", func(l *Library) error { return mark(l, "bbbb1111-0000") }},
		{"another project", func(l *Library) error { return l.RenameProject(meta(t, l, "").Project, "moved") }},
		{"one frozen", func(l *Library) error { return l.Freeze("aaaa1111-0000") }},
		{"one forgotten", func(l *Library) error { return l.Forget([]ingest.SessionID{"bbbb1111-0000"}, nil) }},
	} {
		settle()
		before := catalog(held)
		if strings.Contains(step.name, "star") { // by one that ends; the others by one that was there before
			o := again(t, l)
			if err := step.do(o); err != nil {
				t.Fatal(err)
			}
			if err := o.Close(); err != nil {
				t.Fatal(err)
			}
		} else if err := step.do(l); err != nil {
			t.Fatal(err)
		}
		now, want := catalog(held), catalog(again(t, l))
		if diff := cmp.Diff(want, now); diff != "" {
			t.Errorf("%s: (-is +held)\n%s", step.name, diff)
		}
		if cmp.Equal(before, now) {
			t.Errorf("%s changes nothing", step.name)
		}
	}

	settle()
	e, err := l.Session("aaaa1111-0000")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.Folder, "session.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), `"First"`, `"By hand"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"First", "By hand"} {
		if e := catalog(held).Entries[0]; e.ID != "aaaa1111-0000" || e.Title != want {
			t.Errorf("%s is %q, want %q", e.ID, e.Title, want)
		}
		held.Hold(0)
	}
}

// Several that go by one look at once, each of whom adds to what is closed, take nothing from one another.
func TestHoldTogether(t *testing.T) {
	l := newLib(t)
	addSession(t, l, "aaaa1111-0000", meta(t, l, "First"))
	old := time.Now().Add(-time.Hour)
	tops, err := filepath.Glob(filepath.Join(l.Dir(), "*"))
	if err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob(filepath.Join(l.Dir(), ".locks", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Concat(tops, locks, []string{l.Dir()}) {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	held := again(t, l)
	held.Hold(time.Hour)
	var readers errgroup.Group
	for range 4 {
		readers.Go(func() error {
			for i := range 50 {
				s, err := held.Catalog()
				if err != nil {
					return err
				}
				if s.Closed["x"] != "" {
					return errors.New("another one's closed session is among one's own")
				}
				s.Closed["x"] = fmt.Sprint(i)
				s.List("", nil)
				if some, err := held.SessionsOf(func(string) bool { return true }); err != nil || len(some) == 0 {
					return fmt.Errorf("%d sessions: %v", len(some), err)
				}
			}
			return nil
		})
	}
	for i := range 20 {
		if err := l.Place("aaaa1111-0000", meta(t, l, fmt.Sprint("Title ", i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := readers.Wait(); err != nil {
		t.Error(err)
	}
	if s, err := held.Catalog(); err != nil || s.Entries[0].Title != "Title 19" {
		t.Errorf("at the end it is %+v (%v)", s.Entries, err)
	}
}
