package team

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"

	"recall/internal/hint"
)

// A session that two devices of one person share is one; projects that were merged are one to who reads the one.
func TestOneOfTwo(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	desk, bob := c.at(c.Owner), c.admit(ana, "bob")
	app, fork := ana.project(t, "app"), ana.project(t, "fork")
	s := said("s1", app, "Retry five times")
	c.put(ana, 1, s)
	c.put(desk, 1, s)
	if got := search(t, ana, "retry"); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	if err := ana.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	c.put(ana, 1, said("s2", fork, "Retry never"))
	if got := search(t, bob, "retry"); len(got) != 1 {
		t.Errorf("before they are merged Bob finds %q", got)
	}
	if err := bob.Correct(t.Context(), Project{ID: fork, Name: "fork", Into: app}); !errors.Is(err, ErrRefused) {
		t.Errorf("Bob merges Ana's: %v", err)
	}
	merged := Project{ID: fork, Name: "fork", Remote: "example.org/fork", Into: app}
	if err := ana.Correct(t.Context(), merged); err != nil {
		t.Fatal(err)
	}
	if got := search(t, bob, "retry"); len(got) != 2 {
		t.Errorf("merged, Bob finds %q", got)
	}
	if all, err := bob.readable(t.Context(), bob.device); err != nil || all[len(all)-1].Project != "app" ||
		all[len(all)-1].Remote != "example.org/app" {
		t.Errorf("merged: %+v, %v", all, err)
	}
	merged.Remote = "https://secret@Example.org/fork.git" // as somebody pastes it
	if err := ana.Correct(t.Context(), merged); err != nil {
		t.Fatal(err)
	}
	if p, err := ana.ProjectNamed(t.Context(), "fork"); err != nil || p.Remote != "example.org/fork" {
		t.Errorf("corrected to %+v, %v", p, err)
	}
	if err := ana.LetOut(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	if got := search(t, bob, "retry"); len(got) != 0 {
		t.Errorf("let out, Bob finds %q", got)
	}
}

// A project is the same on all machines by its remote, else by how it began where that is the only one, whatever it
// is called; and a wrong one can be put right.
func TestProjectOf(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	of := func(m mate, name, remote, root string) int {
		t.Helper()
		id, err := m.ProjectOf(context.Background(), Project{Name: name, Remote: remote, Root: root})
		if err != nil && !errors.Is(err, ErrNotIn) {
			t.Fatal(err)
		}
		return cmp.Or(id, -1)
	}
	app := of(ana, "app", "example.org/app", "r1")
	for _, same := range []int{of(ana, "renamed", "example.org/app", "r1"), of(ana, "other clone", "example.org/app", ""),
		of(ana, "no remote", "", "r1")} {
		if same != app {
			t.Errorf("it is %d, not %d", same, app)
		}
	}
	if _, err := bob.ProjectOf(t.Context(), Project{Name: "app", Remote: "example.org/app"}); !errors.Is(err, ErrNotIn) {
		t.Errorf("Bob isn't in: %v", err)
	}
	fork := of(ana, "fork", "example.org/fork", "r1")
	local := of(ana, "local", "", "r1") // which of the two can't be told
	if fork == app || local == app || local == fork {
		t.Errorf("a fork is %d, a local clone %d, the project %d", fork, local, app)
	}
	moved := Project{ID: app, Name: "app", Remote: "example.org/moved", Root: "r1"}
	if err := ana.Correct(t.Context(), moved); err != nil {
		t.Fatal(err)
	}
	if got := of(ana, "app", "example.org/moved", ""); got != app {
		t.Errorf("moved, it is %d, not %d", got, app)
	}
	all, err := ana.Projects(t.Context())
	if err != nil || len(all) != 3 || all[0].Remote != "example.org/moved" {
		t.Errorf("%+v, %v", all, err)
	}
}

// A name that several projects have means one's own, or is refused with what tells them apart: what is let in, kept or
// merged by it would otherwise be somebody else's.
func TestProjectNamed(t *testing.T) {
	c := newCrew(t)
	dana := c.owner()
	eli, fay := c.admit(dana, "eli"), c.admit(dana, "fay")
	of := func(m mate, remote string) int {
		t.Helper()
		id, err := m.ProjectOf(t.Context(), Project{Name: "Notes", Remote: remote})
		if err == nil && m.Member.ID != dana.Member.ID {
			err = m.LetIn(t.Context(), id, dana.Member.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	elis, fays := of(eli, "example.org/eli"), of(fay, "example.org/fay")
	_, err := dana.ProjectNamed(t.Context(), "notes")
	if way := hint.Of(err); err == nil || !strings.Contains(way, "example.org/eli, managed by eli") ||
		!strings.Contains(way, itoa(fays)+" (example.org/fay") {
		t.Errorf("of two others': %v (%s)", err, way)
	}
	own := of(dana, "example.org/dana")
	for name, want := range map[string]int{"notes": own, "example.org/eli": elis, itoa(fays): fays} {
		if p, err := dana.ProjectNamed(t.Context(), name); err != nil || p.ID != want {
			t.Errorf("%s is %d, want %d; %v", name, p.ID, want, err)
		}
	}
}
