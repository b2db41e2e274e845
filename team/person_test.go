package team

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
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
	in, err := bob.Inbox(t.Context(), nil, 9)
	if err != nil || len(in) != 1 || in[0].From != ana.Member.Name || in[0].Text != "Take over" {
		t.Fatalf("%+v, %v", in, err)
	}
	if err := eve.Take(t.Context(), in[0].ID); !errors.Is(err, ErrRefused) {
		t.Errorf("Eve takes it: %v", err)
	}
	if err := bob.Take(t.Context(), in[0].ID); err != nil {
		t.Fatal(err)
	}
	if in, err = bob.Inbox(t.Context(), []string{"h1"}, 9); err != nil || len(in) != 0 {
		t.Errorf("again: %+v, %v", in, err)
	}
	if taken := c.column(`SELECT hash FROM recall.handoff WHERE taken_at IS NOT NULL`); len(taken) != 1 {
		t.Errorf("taken: %q", taken)
	}
	if err := eve.Leave(t.Context(), eve.Member.ID); err != nil {
		t.Fatal(err)
	}
	if err := bob.Give(t.Context(), eve.Member.ID, "h2", "Take over"); !errors.Is(err, ErrRefused) {
		t.Errorf("to who left: %v", err)
	}
}

// A handoff that waited goes only once somebody has it, or nobody is there for it: not where its sender had it broken
// off, nor where the server was busy.
func TestHeldHandoffWaits(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, eve := c.admit(ana, "bob"), c.admit(ana, "eve")
	if err := eve.Leave(t.Context(), eve.Member.ID); err != nil {
		t.Fatal(err)
	}
	c.Exec(`ALTER ROLE ` + c.Role("owner") + ` SET statement_timeout = '200ms'`)
	hasty := c.owner()
	library := filepath.Join(t.TempDir(), "Recall [mine")
	m := &Membership{Address: "x", Device: ana.device}
	if err := m.Keep(library); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"bob", "eve", "Zoe"} {
		if err := m.Hold(to, "Take over, "+to); err != nil {
			t.Fatal(err)
		}
	}
	waits := func(want int) {
		t.Helper()
		if all, err := os.ReadDir(m.Path(heldIn)); err != nil || len(all) != want {
			t.Errorf("%d wait, want %d; %v", len(all), want, err)
		}
	}
	var done Errands
	ended, end := context.WithCancel(t.Context())
	end()
	if err := ana.deliverHeld(ended, m, &done); !errors.Is(err, context.Canceled) {
		t.Errorf("broken off: %v", err)
	}
	waits(3)

	tx, err := c.conn().Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), `LOCK TABLE recall.handoff`)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = hasty.deliverHeld(t.Context(), m, &done)
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "57014" ||
		!strings.Contains(err.Error(), "to bob waits") {
		t.Errorf("while somebody has the table: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits(1)
	if got := strings.Join(done.Gave, "\n"); !strings.Contains(got, "eve left the team") ||
		!strings.Contains(got, "nobody in the team is called Zoe") || len(done.Gave) != 2 {
		t.Errorf("told %q", got)
	}
	if err := ana.deliverHeld(t.Context(), m, &done); err != nil {
		t.Error(err)
	}
	waits(0)
	if in, err := bob.Inbox(t.Context(), nil, 9); err != nil || len(in) != 1 || in[0].Text != "Take over, bob" {
		t.Errorf("%+v, %v", in, err)
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
	s.Transcript = "Bob said so"
	c.put(bob, 1, s)
	if err := errors.Join(bob.LetIn(t.Context(), app, eve.Member.ID), bob.Forget(t.Context(), bob.Member.ID, "s0"),
		bob.Give(t.Context(), eve.Member.ID, "h1", "Take over"), eve.Give(t.Context(), bob.Member.ID, "h2", "Thanks"),
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
		"content": 1, "handoff": 2, "tombstone": 1, "obeyed": 1} {
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
	if _, err := Open(t.Context(), c.Address("bob"), nil); !errors.Is(err, ErrNotMember) {
		t.Errorf("Bob comes again: %v", err)
	}
}
