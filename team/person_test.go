package team

import (
	"errors"
	"strings"
	"testing"
)

// The docs' way to have a person leave for good, by whoever made their login; they stay known by name.
func TestDroppedLogin(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	c.put(bob, 1, said("s1", bob.project(t, "app"), "Retry in the queue"))
	c.Exec(`REVOKE CONNECT ON DATABASE ` + c.Name + ` FROM ` + c.Role("bob") + `; DROP ROLE ` + c.Role("bob"))
	all, err := ana.Members(t.Context())
	if err != nil || len(all) != 2 || all[0].Left || !all[1].Left || all[1].Name != "bob" {
		t.Errorf("%+v, %v", all, err)
	}
}

// What is about a person goes whole; of others nothing does.
func TestErase(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	app := bob.project(t, "app")
	s := said("s1", app, "Retry in the queue")
	s.Transcript = "Bob said so"
	c.put(bob, 1, s)
	err := errors.Join(bob.LetIn(t.Context(), app, eve.Member.ID), bob.Forget(t.Context(), bob.Member.ID, "s0"))
	if err != nil {
		t.Fatal(err)
	}
	c.put(eve, 1, said("s2", app, "Eve said this"))

	for _, err := range []error{eve.Erase(t.Context(), bob.Member.ID), ana.Erase(t.Context(), ana.Member.ID)} {
		if !errors.Is(err, ErrRefused) {
			t.Errorf("not hers to do, or the only owner: %v", err)
		}
	}

	if err := bob.Erase(t.Context(), bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	if left := c.dump(); strings.Contains(left, bob.device) || strings.Contains(left, "Retry in the queue") ||
		strings.Contains(left, c.Role("bob")) {
		t.Errorf("of Bob there is still\n%s", left)
	}
	c.holds("s2 s2000 Eve said this")
	keeper := c.column(`SELECT m.name FROM recall.project p JOIN recall.member m ON m.id = p.keeper`)
	if len(keeper) != 1 || keeper[0] != ana.Member.Name {
		t.Errorf("the project is kept by %q", keeper)
	}
	if _, err := Open(t.Context(), c.Address("bob")); !errors.Is(err, ErrNotMember) {
		t.Errorf("Bob comes again: %v", err)
	}
}
