package team

import (
	"errors"
	"strings"
	"testing"

	"recall/internal/redact"
)

// What a device shares reaches the team once, however its runs end, and whatever became of the database.
func TestSend(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	send := func(s Session, want bool) {
		t.Helper()
		sent, err := ana.Sent(t.Context(), ana.device)
		if err != nil {
			t.Fatal(err)
		}
		ready := func() (Shared, error) { return Ready(s) }
		changed, err := ana.Send(t.Context(), ana.device, sent[s.ID], ready)
		if err != nil || changed != want {
			t.Errorf("changed %v, %v", changed, err)
		}
	}
	send(said("s1", app, "Retry"), true)
	send(said("s1", app, "Retry"), false)
	send(said("s1", app, "Retry", "Then stop"), true)
	c.holds("s1 s1000 Retry", "s1 s1001 Then stop")
	send(said("s1", app, "Never retry"), true)
	c.Exec("DELETE FROM recall.session") // the database was restored
	send(said("s1", app, "Never retry"), true)
	c.holds("s1 s1000 Never retry")
	send(said("s1", app, "Retry twice"), true)
	send(said("s1", app), true)
	c.holds()

	if err := ana.Forget(t.Context(), ana.Member.ID, "s1"); err != nil {
		t.Fatal(err)
	}
	if _, err := ana.Send(t.Context(), ana.device, Sent{}, func() (Shared, error) {
		return Ready(said("s1", app, "again"))
	}); !errors.Is(err, ErrForgotten) {
		t.Errorf("a forgotten one: %v", err)
	}
}

// Of two runs of one device the one that read first doesn't replace what the other read later.
func TestSendOfTwoRuns(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	read := func(text string) (Shared, error) { return Ready(said("s1", app, text)) }
	changed, err := ana.Send(t.Context(), ana.device, Sent{}, func() (Shared, error) {
		s, err := read("as it was") // meanwhile the session grew, and another run shares that
		read := func() (Shared, error) { return read("as it is now") }
		if _, err := ana.Send(t.Context(), ana.device, Sent{}, read); err != nil {
			t.Fatal(err)
		}
		return s, err
	})
	if !errors.Is(err, ErrOlder) || changed {
		t.Errorf("changed %v, %v", changed, err)
	}
	c.holds("s1 s1000 as it is now")
}

// Newer rules put everything anew, though no word changes.
func TestRulesAreRenewed(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	now := c.ready(said("s1", app, "Retry"))
	old := now
	old.rules, old.Hash = "old", "old"
	old.items = []sharedItem{now.items[0]}
	old.items[0].hash = "old"
	if err := ana.Put(t.Context(), ana.device, old, 1); err != nil {
		t.Fatal(err)
	}
	changed, err := ana.Send(t.Context(), ana.device, Sent{Session: "s1", Generation: 1, Hash: "old"},
		func() (Shared, error) { return now, nil })
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	got := c.column(`SELECT rules FROM recall.item UNION ALL SELECT rules FROM recall.session`)
	if strings.Join(got, " ") != redact.Version()+" "+redact.Version() {
		t.Errorf("by the rules %q", got)
	}
}
