package team

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	if err != nil || at.Session != "s1" || at.Author != ana.Member.Name || at.Project != "app" {
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

// What is older than its project is kept goes, whoever asks for it, and isn't taken again; what is younger stays.
func TestRetain(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	app, old := ana.project(t, "app"), ana.project(t, "old name")
	if err := ana.Correct(t.Context(), Project{ID: old, Name: "old name", Into: app}); err != nil {
		t.Fatal(err)
	}
	for i, days := range []int{1, 9, 11} {
		s := said("s"+itoa(i), app, "Said so")
		if i == 2 {
			s.Project = old
		}
		s.End = time.Now().AddDate(0, 0, -days)
		c.put(ana, 1, s)
	}
	if gone, err := bob.Retain(t.Context()); gone != 0 || err != nil {
		t.Errorf("%d gone, %v: nobody said that anything should", gone, err)
	}
	if err := bob.Keep(t.Context(), app, 1); !errors.Is(err, ErrRefused) {
		t.Errorf("Bob says how long: %v", err)
	}
	if err := ana.Keep(t.Context(), app, 10); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{1, 0} {
		if gone, err := bob.Retain(t.Context()); gone != want || err != nil {
			t.Errorf("%d gone, %v, want %d", gone, err, want)
		}
	}
	c.holds("s0 s0000 Said so", "s1 s1000 Said so")
	late := said("s2", old, "again")
	late.End = time.Now().AddDate(0, 0, -11)
	if err := ana.Put(t.Context(), ana.device, c.ready(late), 2); !errors.Is(err, ErrExpired) {
		t.Errorf("it comes again: %v", err)
	}
	all, err := ana.Projects(t.Context())
	if err != nil || len(all) != 2 || !all[1].Expired(late.End) || all[0].Expired(time.Now()) {
		t.Errorf("%+v, %v", all, err)
	}
}

// Who holds rows of theirs, in a transaction that they leave open, keeps nothing in other projects.
func TestRetainWhileHeld(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	mal := c.admit(ana, "mal")
	for _, m := range []mate{mal, ana} {
		p := m.project(t, m.Member.Name)
		c.put(m, 1, said("of "+m.Member.Name, p, "Said so"))
		if err := m.Keep(t.Context(), p, 1); err != nil {
			t.Fatal(err)
		}
	}
	tx, err := mal.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `DELETE FROM recall.item`); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0} {
		if gone, err := ana.Retain(t.Context()); gone != 1 || err != nil {
			t.Errorf("%d gone, %v", gone, err)
		}
		if left := c.column(`SELECT sid FROM recall.session`); len(left) != want || i == 0 && left[0] != "of mal" {
			t.Errorf("there is %q", left)
		}
		if i == 0 {
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
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
