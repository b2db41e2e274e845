package team

import (
	"errors"
	"strings"
	"testing"

	"recall/internal/redact"
)

// What was put is there once, however often; a later generation replaces it, an earlier one doesn't.
func TestPut(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	one := said("s1", app, "Retry at most five times", "Use a min-heap")
	c.put(ana, 1, one)
	c.put(ana, 1, one)
	c.holds("s1 s1000 Retry at most five times", "s1 s1001 Use a min-heap")

	two := said("s1", app, "Retry at most five times", "Use a sorted list")
	c.put(ana, 2, two)
	want := []string{"s1 s1000 Retry at most five times", "s1 s1001 Use a sorted list"}
	c.holds(want...)
	if got := c.column(`SELECT iid || ' ' || generation FROM recall.item ORDER BY 1`); strings.Join(got, ",") !=
		"s1000 1,s1001 2" {
		t.Errorf("rows of generations %q: what didn't change is written once", got)
	}

	if err := ana.Put(t.Context(), ana.device, c.ready(one), 2); !errors.Is(err, ErrOlder) {
		t.Errorf("another text as the same generation: %v", err)
	}
	if err := ana.Put(t.Context(), ana.device, c.ready(one), 1); !errors.Is(err, ErrOlder) {
		t.Errorf("an old generation: %v", err)
	}
	c.holds(want...)

	c.put(ana, 3, said("s1", app))
	c.holds()
}

// Secrets are taken out on the way, and rows say by which rules.
func TestPutRedacts(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	s := said("s1", ana.project(t, "app"), "The token is "+secret+"\x00 \xff for now")
	s.Title = "Rotate " + secret
	c.put(ana, 1, s)
	all := strings.Join(c.column(`SELECT title || data || i.rules FROM recall.item i
		JOIN recall.session s ON s.id = i.session`), "\n")
	if strings.Contains(all, secret) || strings.Contains(all, strings.ToLower(secret)) {
		t.Errorf("the database has the secret: %s", all)
	}
	if !strings.Contains(all, redact.Version()) || !strings.Contains(all, "for now") {
		t.Errorf("the database has %s", all)
	}
}

// A forgotten session goes from all devices of its member, and comes back from none.
func TestForget(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	desk := c.at(c.Owner)
	bob := c.admit(ana, "bob")
	app := ana.project(t, "app")
	if err := ana.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	s := said("s1", app, "Drop the queue")
	for _, m := range []mate{ana, desk, bob} {
		c.put(m, 1, s)
	}
	for range 2 {
		if err := ana.Forget(t.Context(), ana.Member.ID, "s1"); err != nil {
			t.Fatal(err)
		}
	}
	c.holds("s1 s1000 Drop the queue") // Bob's
	for _, m := range []mate{ana, desk} {
		if err := m.Put(t.Context(), m.device, c.ready(said("s1", app, "again")), 9); !errors.Is(err, ErrForgotten) {
			t.Errorf("put after it was forgotten: %v", err)
		}
	}
	stones, err := desk.Forgotten(t.Context())
	if err != nil || len(stones) != 1 || stones[0].Session != "s1" || !stones[0].Own {
		t.Errorf("forgotten: %+v, %v", stones, err)
	}
	if err := bob.Forget(t.Context(), ana.Member.ID, "s2"); !errors.Is(err, ErrRefused) {
		t.Errorf("Bob forgets Ana's: %v", err)
	}
}

// Who was let out of a project writes nothing more there, and can still take back what they shared.
func TestLetOut(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	app := ana.project(t, "app")
	if err := ana.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	c.put(bob, 1, said("b1", app, "Retry five times"))
	if err := ana.LetOut(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	if err := bob.Put(t.Context(), bob.device, c.ready(said("b1", app, "Retry six times")), 2); err == nil {
		t.Error("it is put")
	}
	if rows, err := c.sql(c.Address("bob"), `INSERT INTO recall.item(session, generation, project, iid, kind, hash, rules,
		data) SELECT id, generation, project, 'x', 'decision', 'x', 'x', '{}' FROM recall.session`); err == nil {
		t.Errorf("%d items are put", rows)
	}
	c.holds("b1 b1000 Retry five times")
	if err := bob.Put(t.Context(), bob.device, c.ready(Session{ID: "b1", Project: app}), 3); err != nil {
		t.Fatal(err)
	}
	c.holds()
}

// What machines that left put is taken back by their person, of the projects meant alone; nobody else's goes with it.
func TestTakeBack(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	old := c.at(c.Address("bob"))
	app, other := bob.project(t, "app"), bob.project(t, "other")
	if err := bob.LetIn(t.Context(), app, eve.Member.ID); err != nil {
		t.Fatal(err)
	}
	c.put(bob, 1, said("b1", app, "Retry five times"))
	c.put(old, 1, said("b2", app, "Retry six times"))
	c.put(old, 1, said("b3", other, "Retry seven times"))
	c.put(eve, 1, said("e1", app, "Retry eight times"))
	for _, m := range []mate{old, eve} {
		if err := m.LeaveDevice(t.Context(), m.device); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int64{1, 0} {
		if n, err := bob.TakeBack(t.Context(), []int{app}); n != want || err != nil {
			t.Errorf("time %d: %d sessions, %v", i+1, n, err)
		}
	}
	c.holds("b1 b1000 Retry five times", "b3 b3000 Retry seven times", "e1 e1000 Retry eight times")
	if err := bob.Put(t.Context(), old.device, c.ready(said("b4", app, "Retry")), 1); err == nil {
		t.Error("a machine that left is back")
	}
}
