package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"

	"recall/index"
	"recall/index/indextest"
	"recall/payload"
)

// What the index answers, the team does.
func TestSuite(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	other := c.admit(ana, "other")
	hidden := other.project(t, "billing-of-others")
	for _, d := range indextest.Docs() {
		s := Session{ID: d.Session, Project: ana.project(t, d.Project), Title: d.Title, Start: d.Start, End: d.End}
		for _, it := range d.Items {
			s.Items = append(s.Items, it.Item)
		}
		c.put(ana, 1, s)
		s.Project = hidden // the same words where Ana doesn't read
		c.put(other, 1, s)
	}
	indextest.Suite(t, ana)
}

func search(t *testing.T, m mate, text string) (ids []payload.ItemID) {
	t.Helper()
	a, err := m.Search(t.Context(), index.Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.Ranked {
		ids = append(ids, r.Item.ID)
	}
	return ids
}

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
	if a, err := bob.Search(t.Context(), index.Query{Text: "retry never", Project: "example.org/app"}); err != nil ||
		len(a.Ranked) != 2 || a.Ranked[0].Project != "app" {
		t.Errorf("by the remote: %+v, %v", a.Ranked, err)
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

// Words that more items hold than are looked at find, of these, the items that hold several.
func TestCommonWords(t *testing.T) {
	defer func(was int) { maxFound = was }(maxFound)
	maxFound = 5
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	var texts []string
	for i := range 20 {
		texts = append(texts, fmt.Sprint("The queue is number ", i), fmt.Sprint("A worker is number ", i))
	}
	c.put(ana, 1, said("s1", app, append(texts, "The queue tells the worker when to stop")...))
	if got := search(t, ana, "queue worker"); len(got) == 0 || got[0] != "s1040" {
		t.Errorf("found %q", got)
	}
	if got := search(t, ana, "queue"); len(got) != maxFound {
		t.Errorf("found %q", got)
	}
}

// How many items hold a word is told of more than are looked at, and of those that one may read.
func TestCounts(t *testing.T) {
	defer func(was int) { maxFound = was }(maxFound)
	maxFound = 400
	c := newCrew(t)
	ana := c.owner()
	other := c.admit(ana, "other")
	hidden := other.project(t, "hidden")
	for p := range 20 { // of them 16 are looked up first
		app := ana.project(t, fmt.Sprint("p", p))
		for s := range 5 {
			var texts []string
			for i := range 20 {
				text := "Nothing"
				if i%2 == 0 {
					text += " queue"
				}
				if i == 0 && s == 0 && p == 19 {
					text += " worker"
				}
				texts = append(texts, text)
			}
			ready := said(fmt.Sprintf("s%02d%d", p, s), app, texts...)
			c.put(ana, 1, ready)
			if ready.Project = hidden; s == 0 {
				c.put(other, 1, ready)
			}
		}
	}
	for text, want := range map[string][2]int{"queue": {650, 1500}, "nothing": {1300, 3000}, "worker": {1, 1},
		"lorem": {0, 0}} {
		found, err := ana.find(t.Context(), index.Query{}, index.Ask(index.Query{Text: text}))
		if err != nil || found.Searched != 2000 || found.Holding[0] < want[0] || found.Holding[0] > want[1] {
			t.Errorf("%s: %v of %d, want %v of 2000; %v", text, found.Holding, found.Searched, want, err)
		}
	}
	q := index.Query{Text: "queue", Project: "p3"}
	found, err := ana.find(t.Context(), q, index.Ask(q))
	if err != nil || found.Searched != 100 || found.Holding[0] != 50 {
		t.Errorf("in one project: %v of %d, %v", found.Holding, found.Searched, err)
	}
}
