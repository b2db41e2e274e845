package team

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"recall/team/pgtest"
)

// A transcript is read, redacted, by who reads its project; it goes with what is shared less.
func TestTranscript(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	app := ana.project(t, "app")
	if err := ana.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	s := said("s1", app, "Retry")
	s.Transcript = "# About\n\nuse " + secret + "\x00 \xff today"
	c.put(ana, 1, s)
	at, err := bob.Find(t.Context(), "s")
	if err != nil || at.Session != "s1" || at.Author != ana.Member.Name {
		t.Fatalf("%+v, %v", at, err)
	}
	text, err := bob.Transcript(t.Context(), at)
	if err != nil || strings.Contains(text, secret) || !strings.HasSuffix(text, " today") {
		t.Errorf("Bob reads %q, %v", text, err)
	}
	for _, err := range []error{second(eve.Transcript(t.Context(), at)), second(eve.Find(t.Context(), "s1"))} {
		if !errors.Is(err, ErrNotShared) {
			t.Errorf("Eve: %v", err)
		}
	}
	before := c.column(`SELECT ctid::text FROM recall.content`)
	s.Items[0].Text = "Retry twice"
	c.put(ana, 2, s)
	if after := c.column(`SELECT ctid::text FROM recall.content`); !slices.Equal(before, after) {
		t.Error("a transcript that didn't change was written again")
	}
	s.Transcript += ", and tomorrow"
	c.put(ana, 3, s)
	if text, err = bob.Transcript(t.Context(), at); err != nil || !strings.HasSuffix(text, "tomorrow") {
		t.Errorf("Bob reads %q, %v", text, err)
	}
	s.Transcript = ""
	c.put(ana, 4, s)
	if _, err := bob.Transcript(t.Context(), at); !errors.Is(err, ErrNotShared) {
		t.Errorf("taken back: %v", err)
	}
	// Who shares another one under its id is never taken for her.
	if err := ana.LetIn(t.Context(), app, eve.Member.ID); err != nil {
		t.Fatal(err)
	}
	c.put(eve, 1, Session{ID: "s1", Project: app, Title: "Retry", Transcript: "Eve's", Items: s.Items})
	if _, err := bob.Find(t.Context(), "s1"); err == nil || !strings.Contains(err.Error(), "two people") {
		t.Errorf("of two people: %v", err)
	}
	if got, err := bob.Find(t.Context(), "s1@Eve"); err != nil || got.Author != "eve" {
		t.Errorf("Eve's of two: %+v, %v", got, err)
	}
	if text, err := bob.Transcript(t.Context(), at); !errors.Is(err, ErrNotShared) {
		t.Errorf("of Ana's place: %q, %v", text, err)
	}
	s.Transcript = strings.Repeat("word ", MostContent/5+1)
	if err := ana.Put(t.Context(), ana.device, c.ready(s), 5); !errors.Is(err, ErrLarge) {
		t.Errorf("too large: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

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
