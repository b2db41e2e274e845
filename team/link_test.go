package team

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/index"
	"recall/payload"
)

// What two people decided and that contradicts is found by whoever works for them, told with each answer, and gone with
// either of both. A link that somebody wrote by hand isn't believed.
func TestLinks(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob, mal := c.admit(ana, "bob"), c.admit(ana, "mal")
	app := bob.project(t, "app")
	for _, m := range []mate{ana, mal} {
		if err := bob.LetIn(t.Context(), app, m.Member.ID); err != nil {
			t.Fatal(err)
		}
	}
	earlier := said("s1", app, "We decided to use Redis for the cache.", "The retry limit is five.")
	later := said("s2", app, "We decided to use Memcached instead of Redis for the cache.")
	later.Start = noon.AddDate(0, 0, 3)
	later.Items[0].At = later.Start
	c.put(bob, 1, earlier)
	c.put(ana, 1, later)
	due, err := bob.Due(t.Context())
	if err != nil || len(due) != 1 || due[0].Project != app {
		t.Fatalf("due: %+v, %v", due, err)
	}
	for range 2 { // by whom and how often doesn't matter
		for _, m := range []mate{bob, mal} {
			if err := m.Relate(t.Context(), due[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if due, err = mal.Due(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("still due: %+v, %v", due, err)
	}
	if n := c.column(`SELECT relation FROM recall.link`); len(n) != 2 {
		t.Errorf("links %q", n)
	}
	bears := func(m mate, item payload.ItemID) (out []string) {
		t.Helper()
		got, err := m.Search(t.Context(), index.Query{Text: "redis cache retry limit"})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Ranked {
			for _, l := range append(r.Related, r.Conflict...) {
				if r.Item.ID == item {
					out = append(out, string(l.Relation)+" "+string(l.Item.ID)+" of "+l.Author)
				}
			}
		}
		return out
	}
	want := "supersedes s2000 of " + ana.Member.Name
	if got := bears(bob, "s1000"); len(got) != 1 || got[0] != want {
		t.Errorf("Bob reads %q, want %q", got, want)
	}
	c.Exec(`INSERT INTO recall.link SELECT ` + itoa(mal.Member.ID) + `, y.id, x.id, 'supersedes', '{` + itoa(app) +
		`}' FROM recall.item x, recall.item y WHERE x.iid = 's1001' AND y.iid = 's2000'`)
	if got := bears(bob, "s1001"); len(got) != 0 {
		t.Errorf("Bob believes %q", got)
	}
	c.put(ana, 2, said("s2", app))
	if got := bears(bob, "s1000"); len(got) != 0 {
		t.Errorf("after Ana took hers back: %q", got)
	}
	if due, err = mal.Due(t.Context()); err != nil || len(due) != 1 {
		t.Errorf("due: %+v, %v", due, err)
	}
}

// Who looks for links while a session is put anew finds none of what it no longer holds, and no fault: the project is
// due again.
func TestLinksBesidePut(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	c.put(ana, 1, said("s1", app, "We decided to use Redis for the cache."))
	later := said("s2", app, "We decided to use Memcached instead of Redis for the cache.")
	later.Start = noon.AddDate(0, 0, 3)
	later.Items[0].At = later.Start
	c.put(ana, 1, later)
	due, err := ana.Due(t.Context())
	if err != nil || len(due) != 1 {
		t.Fatalf("due: %+v, %v", due, err)
	}
	conn, err := pgx.Connect(t.Context(), c.Super())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `DELETE FROM recall.item WHERE iid = 's2000'`); err != nil {
		t.Fatal(err)
	}
	related := make(chan error)
	go func() { related <- ana.Relate(t.Context(), due[0]) }()
	for len(c.column(`SELECT pid::text FROM pg_locks WHERE NOT granted`)) == 0 {
		select {
		case err := <-related:
			t.Fatalf("it didn't wait for who takes an item away: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-related; err != nil {
		t.Error(err)
	}
	if n := c.column(`SELECT relation FROM recall.link`); len(n) != 0 {
		t.Errorf("links %q", n)
	}
}
