package team

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
)

// disagreed returns a team in which Bob, in his project, decided otherwise than its owner Ana.
func disagreed(t *testing.T) (c *crew, ana, bob mate, app int) {
	t.Helper()
	c = newCrew(t)
	ana = c.owner()
	bob = c.admit(ana, "bob")
	app = bob.project(t, "app")
	if err := bob.LetIn(t.Context(), app, ana.Member.ID); err != nil {
		t.Fatal(err)
	}
	later := said("s2", app, "We decided to use Memcached instead of Redis for the cache.")
	later.Start = noon.AddDate(0, 0, 3)
	later.Items[0].At = later.Start
	c.put(ana, 1, said("s1", app, "We decided to use Redis for the cache."))
	c.put(bob, 1, later)
	return c, ana, bob, app
}

// worksOnce does what is due and returns what was done.
func worksOnce(t *testing.T, m *Team) (did []string) {
	t.Helper()
	o := WorkOptions{Once: true, Did: func(what string) { did = append(did, what) }}
	if err := m.Work(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return did
}

func (c *crew) links() int { return len(c.column(`SELECT relation FROM recall.link`)) }

// One run does what is due, the next finds nothing, until something changes; behind PgBouncer, by transaction, too.
func TestWorkOnce(t *testing.T) {
	c, ana, bob, app := disagreed(t)
	pooled, err := Open(t.Context(), c.AddressAt("bob", "127.0.0.1", c.Bouncer("bob")))
	if err != nil {
		t.Fatal(err)
	}
	defer pooled.Close()
	if did := worksOnce(t, pooled); len(did) != 1 || c.links() != 1 {
		t.Errorf("did %q; %d links", did, c.links())
	}
	if did := worksOnce(t, ana.Team); len(did) != 0 {
		t.Errorf("did again %q", did)
	}
	c.put(ana, 2, said("s1", app, "We decided to use the disk for the cache."))
	if did := worksOnce(t, bob.Team); len(did) != 1 {
		t.Errorf("after a change did %q", did)
	}
	if due, err := ana.Due(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("due: %v, %v", due, err)
	}
}

// Several workers at once leave nothing due, one link of each member at most, and end when they are told.
func TestWorkersAtOnce(t *testing.T) {
	c, ana, bob, _ := disagreed(t)
	ctx, stop := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	for _, m := range []mate{ana, bob, bob} {
		workers.Go(func() {
			o := WorkOptions{Every: 10 * time.Millisecond, Fail: func(err error) { t.Error(err) }}
			if err := m.Work(ctx, o); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, "a link", func() bool { return c.links() > 0 })
	time.Sleep(100 * time.Millisecond)
	stop()
	workers.Wait()
	if due, err := ana.Due(t.Context()); err != nil || len(due) != 0 || c.links() > 2 {
		t.Errorf("due: %v, %v; %d links", due, err, c.links())
	}
}

// What failed is tried again, and doesn't keep what is past its retention.
func TestWorkAfterFailure(t *testing.T) {
	c, ana, _, _ := disagreed(t)
	old := ana.project(t, "old")
	c.put(ana, 1, said("s3", old, "We decided to use Redis for the cache."))
	if err := ana.Keep(t.Context(), old, 3); err != nil {
		t.Fatal(err)
	}
	c.Exec(`ALTER TABLE recall.link ADD CONSTRAINT broken CHECK (relation = 'x')`)
	ctx, stop := context.WithCancel(t.Context())
	failed, done := make(chan error, 1000), make(chan error)
	go func() {
		done <- ana.Work(ctx, WorkOptions{Every: 50 * time.Millisecond, Fail: func(err error) { failed <- err }})
	}()
	if err := <-failed; !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
	waitFor(t, "the retention", func() bool {
		return len(c.column(`SELECT sid FROM recall.session WHERE sid = 's3' AND title <> ''`)) == 0
	})
	c.Exec(`ALTER TABLE recall.link DROP CONSTRAINT broken`)
	waitFor(t, "another try", func() bool { return c.links() == 1 })
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// What newer rules find in what was shared by who left is taken out by an owner's worker, once.
func TestRenew(t *testing.T) {
	for name, leave := range map[string]func(c *crew, bob mate) error{
		"left": func(_ *crew, bob mate) error { return bob.Leave(t.Context(), bob.Member.ID) },
		"dropped": func(c *crew, _ mate) error {
			c.Exec(`REVOKE CONNECT ON DATABASE ` + c.Name + ` FROM ` + c.Role("bob") + `; DROP ROLE ` + c.Role("bob"))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, ana, bob, _ := disagreed(t)
			if err := errors.Join(leave(c, bob)); err != nil {
				t.Fatal(err)
			}
			secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
			c.Exec(`UPDATE recall.session SET rules = 'old', generation = generation + 1;
				UPDATE recall.item SET data = replace(data, 'Memcached', '` + secret + `'), rules = 'old'`)
			worksOnce(t, ana.Team)
			if n := len(c.column(`SELECT iid FROM recall.item WHERE data LIKE '%` + secret + `%'`)); n != 0 {
				t.Error("it still has the secret")
			}
			if n := len(c.column(`SELECT sid FROM recall.session WHERE rules = 'old'`)); n != 1 {
				t.Errorf("%d sessions are by old rules, want Ana's own", n)
			}
		})
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(60 * time.Second); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("waited in vain for " + what)
		}
	}
}
