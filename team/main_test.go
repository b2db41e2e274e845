package team

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	_ "recall/library/ramdisk"
	"recall/payload"
	"recall/team/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// crew is a team in a test's database, with members who have a device each.
type crew struct {
	*pgtest.DB
	t     testing.TB
	super *pgx.Conn // see conn
}

// mate is one of them, at a device.
type mate struct {
	*Team
	device string
}

func newCrew(t testing.TB) *crew {
	t.Helper()
	return newCrewOn(t, pgtest.Database(t))
}

func newCrewOn(t testing.TB, d *pgtest.DB) *crew {
	t.Helper()
	p, err := PlanCreate(t.Context(), d.Owner, "crew")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &crew{DB: d, t: t}
}

// at is a login's connection, at the given address or by the socket.
func (c *crew) at(address string) mate {
	c.t.Helper()
	m, err := Open(c.t.Context(), address)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(m.Close)
	device := uuid.NewString()
	if err := m.Join(c.t.Context(), device, m.Member.Name+"'s machine"); err != nil {
		c.t.Fatal(err)
	}
	return mate{m, device}
}

func (c *crew) owner() mate { c.t.Helper(); return c.at(c.Owner) }

// admit makes a login a member by its own name.
func (c *crew) admit(by mate, who string) mate {
	c.t.Helper()
	address := c.Login(who)
	if err := by.Admit(c.t.Context(), c.Role(who), who); err != nil {
		c.t.Fatal(err)
	}
	return c.at(address)
}

func (m mate) project(t testing.TB, name string) int {
	t.Helper()
	id, err := m.ProjectOf(t.Context(), Project{Name: name, Remote: "example.org/" + name})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (c *crew) ready(s Session) Shared {
	c.t.Helper()
	out, err := Ready(s)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

func (c *crew) put(m mate, generation int, s Session) {
	c.t.Helper()
	if err := m.Put(c.t.Context(), m.device, c.ready(s), generation); err != nil {
		c.t.Fatal(err)
	}
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// said is a session of items that say so, each with an id made of its place.
func said(id string, project int, texts ...string) Session {
	s := Session{ID: id, Project: project, Title: "About " + id, Start: noon, End: noon.Add(time.Hour)}
	for i, text := range texts {
		s.Items = append(s.Items, payload.Item{ID: payload.ItemID(fmt.Sprintf("%s%03d", id, i)), Kind: payload.Decision,
			Text: text, By: payload.ByUser, Maker: payload.ByRule, State: payload.Stands, At: noon,
			Evidence: []payload.Evidence{{Turn: "t1", N: 1, Quote: text}}})
	}
	return s
}

// sql runs a statement as a person could by hand.
func (c *crew) sql(address, sql string, args ...any) (rows int64, err error) {
	c.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close(ctx)
	if len(args) == 0 {
		args = []any{pgx.QueryExecModeSimpleProtocol} // takes several statements
	}
	tag, err := conn.Exec(ctx, sql, args...)
	return tag.RowsAffected(), err
}

// texts are what a database has of sessions, as its superuser sees it: "session item text", in order.
func (c *crew) texts() []string {
	c.t.Helper()
	return c.column(`SELECT s.sid || ' ' || i.iid || ' ' || (i.data::json ->> 'text') FROM recall.item i
		JOIN recall.session s ON s.id = i.session ORDER BY 1`)
}

// conn is the superuser's connection.
func (c *crew) conn() *pgx.Conn {
	c.t.Helper()
	ctx := context.Background()
	if c.super == nil || c.super.Ping(ctx) != nil { // the server may have been restarted
		var err error
		if c.super, err = pgx.Connect(ctx, c.Super()); err != nil {
			c.t.Fatal(err)
		}
	}
	return c.super
}

// column is what the superuser reads.
func (c *crew) column(sql string, args ...any) []string {
	c.t.Helper()
	rows, err := c.conn().Query(context.Background(), sql, args...)
	if err != nil {
		c.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

func (c *crew) holds(want ...string) {
	c.t.Helper()
	if got := c.texts(); !slices.Equal(got, want) {
		c.t.Errorf("the team has\n%q, want\n%q", got, want)
	}
}

// checks says how often a property is tried: a sample, or where long tests are asked for, all.
func checks(t *testing.T, sample, all int) {
	t.Helper()
	n := sample
	if os.Getenv("RECALL_LONG") != "" {
		n = all
	}
	if err := flag.Set("rapid.checks", itoa(n)); err != nil {
		t.Fatal(err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// search returns the ids of the items with one of some words that a fetch by a member would bring, their own too.
func search(t *testing.T, m mate, words string) (ids []payload.ItemID) {
	t.Helper()
	all, err := m.readable(t.Context(), uuid.Nil.String())
	var sessions []int64
	for _, r := range all {
		sessions = append(sessions, r.id)
	}
	if err == nil {
		ids, err = list(t.Context(), m.Team, pgx.RowTo[payload.ItemID], `SELECT DISTINCT iid FROM recall.item
			WHERE session = ANY($1::bigint[]) AND data ~* $2`, sessions, strings.ReplaceAll(words, " ", "|"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// copies reads what a membership has a copy of.
func copies(m *Membership) (all []Copied) {
	m.copiedSince(time.Time{}, func(c *Copied) { all = append(all, *c) })
	return all
}

// Leave removes a member from the team, oneself or, as an owner, anybody; what they shared stays.
func (t *Team) Leave(ctx context.Context, member int) error {
	return t.updateOne(ctx, `UPDATE recall.member SET left_at = now() WHERE id = $1`, member)
}
