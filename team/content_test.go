package team

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"recall/team/pgtest"
)

// What is shared of a session is read by who reads its project, and of who shares another one under its id only theirs.
func TestFind(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	app := ana.project(t, "app")
	if err := ana.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	s := said("s1", app, "Retry")
	c.put(ana, 1, s)
	at, err := bob.Find(t.Context(), "s")
	if err != nil || at.Session != "s1" || at.Author != ana.Member.Name || at.Project != "app" {
		t.Fatalf("%+v, %v", at, err)
	}
	if _, err := eve.Find(t.Context(), "s1"); !errors.Is(err, ErrNotShared) {
		t.Errorf("Eve: %v", err)
	}
	if err := ana.LetIn(t.Context(), app, eve.Member.ID); err != nil {
		t.Fatal(err)
	}
	c.put(eve, 1, Session{ID: "s1", Project: app, Title: "Retry", Items: s.Items})
	if _, err := bob.Find(t.Context(), "s1"); err == nil || !strings.Contains(err.Error(), "two people") {
		t.Errorf("of two people: %v", err)
	}
	if got, err := bob.Find(t.Context(), "s1@Eve"); err != nil || got.Author != "eve" {
		t.Errorf("Eve's of two: %+v, %v", got, err)
	}
}

// In a database of people's own locale a team works as in any, and looks sessions up by the beginning of their ids by
// an index.
func TestLocale(t *testing.T) {
	d := pgtest.Database(t)
	c := newCrewOn(t, d.Another("icu", "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"))
	ana := c.owner()
	app := ana.project(t, "app")
	for _, id := range []string{"S1", "s1", "s-2", "s2"} {
		c.put(ana, 1, said(id, app, "Retry by "+id))
	}
	box := NewOutbox(filepath.Join(t.TempDir(), "sent.jsonl"), ana.device)
	for range 2 { // what is compared is in the same order here and there
		if _, err := box.Reconcile(t.Context(), ana.Team); err != nil {
			t.Fatal(err)
		}
	}
	if at, err := ana.Find(t.Context(), "s-"); err != nil || at.Session != "s-2" {
		t.Errorf("%+v, %v", at, err)
	}
	if got := search(t, ana, "retry"); len(got) != 4 {
		t.Errorf("found %q", got)
	}
	c.column(`SET enable_seqscan = off`)
	plan := strings.Join(c.column(`EXPLAIN SELECT FROM recall.session WHERE starts_with(sid, 's-')`), "\n")
	if !strings.Contains(plan, "Index Cond") {
		t.Errorf("a session is found by\n%s", plan)
	}
}
