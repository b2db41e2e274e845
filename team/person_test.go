package team

import (
	"bytes"
	"encoding/json"
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

// What is about a person can be had whole, and goes whole; of others nothing does.
func TestErase(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	app := bob.project(t, "app")
	s := said("s1", app, "Retry in the queue")
	s.Transcript = "Bob said so"
	c.put(bob, 1, s)
	if err := errors.Join(bob.LetIn(t.Context(), app, eve.Member.ID), bob.Forget(t.Context(), bob.Member.ID, "s0"),
		bob.Obey(t.Context(), bob.device, 1)); err != nil {
		t.Fatal(err)
	}
	c.put(eve, 1, said("s2", app, "Eve said this"))

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
	for table, n := range map[string]int{"member": 1, "device": 1, "project": 1, "session": 1, "item": 1,
		"content": 1, "tombstone": 1, "obeyed": 1} {
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
		strings.Contains(left, c.Role("bob")) {
		t.Errorf("of Bob there is still\n%s", left)
	}
	c.holds("s2 s2000 Eve said this")
	keeper := c.column(`SELECT m.name FROM recall.project p JOIN recall.member m ON m.id = p.keeper`)
	if len(keeper) != 1 || keeper[0] != ana.Member.Name {
		t.Errorf("the project is kept by %q", keeper)
	}
	if _, err := Open(t.Context(), c.Address("bob"), nil); !errors.Is(err, ErrNotMember) {
		t.Errorf("Bob comes again: %v", err)
	}
}
