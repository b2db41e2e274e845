package team

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// What a member holds, by a put that isn't ended, by a lock on another's session or on a table, keeps nobody's sync for
// long, and not from the rest.
func TestHeld(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	mal := c.admit(ana, "mal")
	app := ana.project(t, "app")
	if err := ana.LetIn(t.Context(), app, mal.Member.ID); err != nil {
		t.Fatal(err)
	}
	ana.pool.Reset() // the database's settings are of new connections
	conn, err := pgx.Connect(t.Context(), c.Address("mal"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for name, of := range map[string]struct {
		sql  string
		held bool
	}{
		"a put into the same project": {`INSERT INTO recall.session(device, sid, project, generation, hash, rules, title, items)
			VALUES('` + mal.device + `', 'm1', ` + itoa(app) + `, 1, 'x', 'x', 'x', 1)`, false},
		"another's session": {`SELECT pg_advisory_xact_lock(hashtextextended('recall s1', 0))`, true},
		"a table":           {`LOCK TABLE recall.item`, true},
	} {
		tx, err := conn.Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), of.sql)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		generation := 1 + len(c.column(`SELECT sid FROM recall.session WHERE sid = 's1'`))
		start := time.Now()
		err = ana.Put(t.Context(), ana.device, c.ready(said("s1", app, "Retry "+name)), generation)
		if (err != nil) != of.held || errors.Is(err, ErrUnreachable) ||
			of.held && !strings.Contains(err.Error(), "holds it") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: waited %v", name, took)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Exec(`DELETE FROM recall.session`)
	}
}
