package team

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// A handoff reaches its receiver once at each library, from whom the database says.
func TestHandoff(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	for range 2 {
		if err := ana.Give(t.Context(), bob.Member.ID, "h1", "Take over"); err != nil {
			t.Fatal(err)
		}
	}
	in, err := bob.Inbox(t.Context(), nil)
	if err != nil || len(in) != 1 || in[0].From != ana.Member.Name || in[0].Text != "Take over" || in[0].Taken {
		t.Fatalf("%+v, %v", in, err)
	}
	if err := eve.Take(t.Context(), in[0].ID); !errors.Is(err, ErrRefused) {
		t.Errorf("Eve takes it: %v", err)
	}
	if err := bob.Take(t.Context(), in[0].ID); err != nil {
		t.Fatal(err)
	}
	if in, err = bob.Inbox(t.Context(), []string{"h1"}); err != nil || len(in) != 0 {
		t.Errorf("again: %+v, %v", in, err)
	}
	if given, err := ana.Given(t.Context()); err != nil || len(given) != 1 || !given[0].Taken || given[0].To != "bob" {
		t.Errorf("%+v, %v", given, err)
	}
	if err := eve.Leave(t.Context(), eve.Member.ID); err != nil {
		t.Fatal(err)
	}
	if err := bob.Give(t.Context(), eve.Member.ID, "h2", "Take over"); !errors.Is(err, ErrRefused) {
		t.Errorf("to who left: %v", err)
	}
}

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

// What is about a person can be had whole, and goes whole; of others nothing does.
func TestErase(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	app := bob.project(t, "app")
	s := said("s1", app, "Retry in the queue")
	s.Transcript, s.Sealed = "Bob said so", sealedTo("raw", bob.Member.ID)
	c.put(bob, 1, s)
	if err := errors.Join(bob.AddKey(t.Context(), bob.device, "age1"+strings.Repeat("q", 58)),
		bob.LetIn(t.Context(), app, eve.Member.ID), bob.Forget(t.Context(), bob.Member.ID, "s0"),
		bob.Give(t.Context(), eve.Member.ID, "h1", "Take over"), eve.Give(t.Context(), bob.Member.ID, "h2", "Thanks"),
		bob.Obey(t.Context(), bob.device, 1)); err != nil {
		t.Fatal(err)
	}
	c.put(eve, 1, said("s2", app, "Eve said this"))
	for _, m := range []mate{bob, eve} {
		c.Exec(`INSERT INTO recall.link SELECT ` + itoa(m.Member.ID) + `, max(id), min(id), 'contradicts', '{` + itoa(app) +
			`}' FROM recall.item`)
	}

	var mine, byOwner bytes.Buffer
	if _, err := bob.Export(t.Context(), bob.Member.ID, &mine); err != nil {
		t.Fatal(err)
	}
	if _, err := ana.Export(t.Context(), bob.Member.ID, &byOwner); err != nil || byOwner.String() != mine.String() {
		t.Errorf("an owner gets %s, %v", byOwner.String(), err)
	}
	tables := map[string]int{}
	for line := range strings.Lines(mine.String()) {
		var row struct {
			Table string         `json:"table"`
			Row   map[string]any `json:"row"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil || len(row.Row) == 0 {
			t.Fatalf("%s: %v", line, err)
		}
		tables[row.Table]++
	}
	for table, n := range map[string]int{"member": 1, "device": 1, "key": 1, "project": 1, "session": 1, "item": 1,
		"content": 2, "handoff": 2, "tombstone": 1, "obeyed": 1, "link": 1} {
		if tables[table] != n {
			t.Errorf("%d rows of %s, want %d", tables[table], table, n)
		}
	}
	if all := mine.String(); !strings.Contains(all, "Retry in the queue") || !strings.Contains(all, `"Bob said so"`) ||
		strings.Contains(all, "Eve said this") {
		t.Errorf("the export is %s", all)
	}
	for _, err := range []error{second(eve.Export(t.Context(), bob.Member.ID, &mine)),
		eve.Erase(t.Context(), bob.Member.ID), ana.Erase(t.Context(), ana.Member.ID)} {
		if !errors.Is(err, ErrRefused) {
			t.Errorf("not hers to do, or the only owner: %v", err)
		}
	}

	if err := bob.Erase(t.Context(), bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	if left := c.dump(); strings.Contains(left, bob.device) || strings.Contains(left, "Retry in the queue") ||
		strings.Contains(left, c.Role("bob")) || strings.Contains(left, "Take over") || strings.Contains(left, "Thanks") {
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
