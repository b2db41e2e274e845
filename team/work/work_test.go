package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"recall/internal/redact"
	"recall/payload"
	"recall/team"
	"recall/team/pgtest"
)

// The test's own program is the worker that is killed.
func TestMain(m *testing.M) {
	address, sign := os.Getenv("RECALL_TEST_TEAM"), os.Getenv("RECALL_TEST_SIGN")
	if address == "" {
		os.Exit(pgtest.Main(m))
	}
	t, err := team.Open(context.Background(), address)
	if err == nil {
		err = Run(context.Background(), t, Options{polls: 50 * time.Millisecond, begun: func() {
			_ = os.WriteFile(sign, nil, 0o600)
			select {} // it is at it
		}})
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// crew is a team of Ana, who owns it, and Bob, in whose project each said something against the other.
type crew struct {
	*pgtest.DB
	ana, bob *team.Team
	devices  [2]string
	app      int
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	c := &crew{DB: pgtest.Database(t)}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := team.PlanCreate(t.Context(), c.Owner, "crew")
	must(err)
	must(p.Do(t.Context()))
	open := func(address string) *team.Team {
		one, err := team.Open(t.Context(), address)
		must(err)
		t.Cleanup(one.Close)
		return one
	}
	c.ana = open(c.Owner)
	address := c.Login("bob")
	must(c.ana.Admit(t.Context(), c.Role("bob"), "bob"))
	c.bob = open(address)
	c.app, err = c.bob.ProjectOf(t.Context(), team.Project{Name: "app", Remote: "example.org/app"})
	must(errors.Join(err, c.bob.LetIn(t.Context(), c.app, c.ana.Member.ID)))
	for i, m := range []*team.Team{c.ana, c.bob} {
		d, err := m.Join(t.Context(), team.NewDevice(), "machine")
		must(err)
		c.devices[i] = d.ID
	}
	c.put(t, 0, 1, "s1", "We decided to use Redis for the cache.")
	c.put(t, 1, 1, "s2", "We decided to use Memcached instead of Redis for the cache.")
	return c
}

func (c *crew) put(t *testing.T, who, generation int, session, text string) {
	t.Helper()
	at := noon.AddDate(0, 0, 3*who)
	s, err := team.Ready(redact.New(), team.Session{ID: session, Project: c.app, Title: session, Start: at, End: at,
		Items: []payload.Item{{ID: payload.ItemID(session + "000"), Kind: payload.Decision, Text: text, By: payload.ByUser,
			Maker: payload.ByRule, State: payload.Stands, At: at,
			Evidence: []payload.Evidence{{Turn: "t1", N: 1, Quote: text}}}}})
	if err == nil {
		err = []*team.Team{c.ana, c.bob}[who].Put(t.Context(), c.devices[who], s, generation)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (c *crew) number(t *testing.T, sql string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.Super())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (c *crew) once(t *testing.T, m *team.Team) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err := Run(ctx, m, Options{Once: true, Fail: func(err error) { t.Error(err) }})
	if err = errors.Join(err, ctx.Err()); err != nil {
		t.Fatal(err)
	}
}

// One run does what is due, another finds nothing left.
func TestOnce(t *testing.T) {
	c := newCrew(t)
	c.once(t, c.bob)
	if n := c.number(t, `SELECT count(*) FROM recall.link`); n != 1 {
		t.Errorf("%d links", n)
	}
	jobs := c.number(t, `SELECT count(*) FROM recall.river_job WHERE kind = 'relate'`)
	c.once(t, c.ana)
	if n := c.number(t, `SELECT count(*) FROM recall.river_job WHERE kind = 'relate'`); n != jobs || n != 1 {
		t.Errorf("%d jobs for one change", n)
	}
	c.put(t, 0, 2, "s1", "We decided to use the disk for the cache.")
	c.once(t, c.ana)
	if n := c.number(t, `SELECT count(*) FROM recall.related r WHERE r.stamp IS NOT NULL`); n != 1 {
		t.Errorf("%d projects are related", n)
	}
	if due, err := c.bob.Due(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("due: %v, %v", due, err)
	}
}

// Behind PgBouncer, by transaction, a worker does the same.
func TestOnceByPgBouncer(t *testing.T) {
	c := newCrew(t)
	m, err := team.Open(t.Context(), c.AddressAt("bob", "127.0.0.1", c.Bouncer("bob")))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	c.once(t, m)
	if n := c.number(t, `SELECT count(*) FROM recall.link`); n != 1 {
		t.Errorf("%d links", n)
	}
	if n := c.number(t, `SELECT count(*) FROM recall.river_job WHERE kind = 'relate' AND state = 'completed'`); n != 1 {
		t.Errorf("%d jobs did that", n)
	}
}

// Of two workers each does what the other doesn't; of one that is killed the other takes over what it was at.
func TestTwoWorkers(t *testing.T) {
	if os.Getenv("RECALL_LONG") == "" {
		t.Skip("it waits for a leader to be elected: RECALL_LONG=1")
	}
	c := newCrew(t)
	sign := filepath.Join(t.TempDir(), "begun")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	killed := exec.Command(self)
	killed.Env = append(os.Environ(), "RECALL_TEST_TEAM="+c.Address("bob"), "RECALL_TEST_SIGN="+sign)
	var said strings.Builder
	killed.Stderr = &said
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, "the first worker to begin: "+said.String(), func() bool {
		return fileThere(sign) &&
			c.number(t, `SELECT count(*) FROM recall.river_job WHERE kind = 'relate' AND state = 'running'`) == 1
	})
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()

	ctx, stop := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	did := make(chan string, 100)
	for _, m := range []*team.Team{c.ana, c.bob} {
		workers.Go(func() {
			if err := Run(ctx, m, Options{looks: 100 * time.Millisecond, polls: 50 * time.Millisecond,
				Did: func(s string) { did <- s }, Fail: func(err error) { t.Error(err) }}); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(500 * time.Millisecond)
	if n := c.number(t, `SELECT count(*) FROM recall.link`); n != 0 {
		t.Error("a job that another worker has was done")
	}
	// a quarter of an hour later
	c.Exec(`UPDATE recall.river_job SET attempted_at = now() - interval '16 minutes' WHERE state = 'running';
		UPDATE recall.river_leader SET expires_at = now() - interval '1 second' WHERE leader_id NOT IN
			(SELECT leader_id FROM recall.river_leader WHERE elected_at > now() - interval '400 ms')`)
	wait(t, "another to take over", func() bool {
		return c.number(t, `SELECT count(*) FROM recall.link`) == 1
	})
	stop()
	workers.Wait()
	close(did)
	related := 0
	for s := range did {
		if strings.HasPrefix(s, "project ") {
			related++
		}
	}
	if related != 1 {
		t.Errorf("it was done %d times", related)
	}
}

func fileThere(path string) bool { _, err := os.Stat(path); return err == nil }

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(60 * time.Second); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("waited in vain for " + what)
		}
	}
}

// A job that somebody put there by hand does nothing that its worker may not do, and stops no other.
func TestJobByHand(t *testing.T) {
	c := newCrew(t)
	hidden, err := c.ana.ProjectOf(t.Context(), team.Project{Name: "hidden", Remote: "example.org/hidden"})
	if err != nil {
		t.Fatal(err)
	}
	c.Exec(fmt.Sprintf(`INSERT INTO recall.river_job(kind, args, max_attempts, queue)
		SELECT k, a::jsonb, 5, q FROM (VALUES('relate', '{"project": %d}'), ('relate', '{"project": "x"}'), ('none', '{}'),
			('renew', '{}')) v(k, a), unnest(ARRAY['default', 'p%d']) q`, hidden, c.app))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_ = Run(ctx, c.bob, Options{Once: true})
	if ctx.Err() != nil {
		t.Fatal("it never ended")
	}
	if n := c.number(t, `SELECT count(*) FROM recall.link`); n != 1 {
		t.Errorf("%d links", n)
	}
	if n := c.number(t, fmt.Sprintf(`SELECT count(*) FROM recall.related WHERE project = %d`, hidden)); n != 0 {
		t.Error("Bob's worker did something in Ana's project")
	}
}

// What newer rules find in what was shared by who left is taken out by an owner's worker, once.
func TestRenew(t *testing.T) {
	t.Run("left", func(t *testing.T) {
		renews(t, func(c *crew) error { return c.bob.Leave(t.Context(), c.bob.Member.ID) })
	})
	t.Run("dropped", func(t *testing.T) {
		renews(t, func(c *crew) error {
			c.Exec(`REVOKE CONNECT ON DATABASE ` + c.Name + ` FROM ` + c.Role("bob") + `; DROP ROLE ` + c.Role("bob"))
			return nil
		})
	})
}

func renews(t *testing.T, leave func(c *crew) error) {
	t.Helper()
	c := newCrew(t)
	if err := leave(c); err != nil {
		t.Fatal(err)
	}
	secret := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	c.Exec(`UPDATE recall.session SET rules = 'old', generation = generation + 1;
		UPDATE recall.item SET data = replace(data, 'Memcached', '` + secret + `'), rules = 'old'`)
	c.once(t, c.ana)
	if n := c.number(t, `SELECT count(*) FROM recall.item WHERE data LIKE '%`+secret+`%'`); n != 0 {
		t.Error("it still has the secret")
	}
	if n := c.number(t, `SELECT count(*) FROM recall.session WHERE rules = 'old'`); n != 1 {
		t.Errorf("%d sessions are by old rules, want Ana's own", n)
	}
}

// Whatever a member does to River's tables by hand, which any may write: what is kept too long goes, what is due is
// done, and a run with Once ends.
func TestSabotage(t *testing.T) {
	const more = `INSERT INTO recall.river_job(kind, args, max_attempts, queue)
		SELECT k, '{}', 5, 'default' FROM unnest(ARRAY['none', 'relate', 'retain']) k`
	for name, attack := range map[string]string{
		"takes the keys": `UPDATE recall.river_job SET state = 'scheduled', finalized_at = NULL,
			scheduled_at = now() + interval '10 years', unique_states = '11111111'`,
		"says that they are being done": `UPDATE recall.river_job SET state = 'running', finalized_at = NULL,
			attempted_at = now() + interval '10 years', unique_states = '11111111'`,
		"breaks them": `UPDATE recall.river_job SET state = 'available', finalized_at = NULL, metadata = '[]',
			errors = ARRAY['"x"'::jsonb], unique_states = '11111111'`,
		"leads for ever": `INSERT INTO recall.river_leader(elected_at, expires_at, leader_id) VALUES(now(), 'infinity', 'x')
			ON CONFLICT (name) DO UPDATE SET leader_id = 'x', expires_at = 'infinity'`,
		"deletes what comes": `; DELETE FROM recall.river_job; DELETE FROM recall.river_queue`,
		"puts more and more": `; ` + more,
		"locks the jobs":     `LOCK TABLE recall.river_job`,
		"locks all":          `LOCK TABLE recall.river_job, recall.river_queue, recall.river_leader`,
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrew(t)
			c.once(t, c.ana)
			c.late(t)
			bob := c.conn(t, "bob")
			locks, always := strings.HasPrefix(attack, "LOCK"), strings.HasPrefix(attack, ";")
			switch {
			case locks:
				attack = "BEGIN; " + attack
			case always:
				attack = strings.TrimPrefix(attack, ";")
			}
			if _, err := bob.Exec(t.Context(), attack, pgx.QueryExecModeSimpleProtocol); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
			defer cancel()
			var beside sync.WaitGroup
			if always {
				beside.Go(func() {
					for ctx.Err() == nil {
						_, _ = bob.Exec(ctx, attack, pgx.QueryExecModeSimpleProtocol)
					}
				})
			}
			o := Options{Once: true, still: time.Second}
			if locks {
				o.patience = time.Second
			}
			err := Run(ctx, c.ana, o)
			late := ctx.Err() != nil
			cancel()
			beside.Wait() // for the connection that ends with the test
			if late {
				t.Fatal("it never ended")
			}
			if broken := locks || name == "breaks them" || name == "puts more and more"; err != nil && !broken {
				t.Error(err)
			}
			c.inTime(t)
		})
	}
	t.Run("for good", func(t *testing.T) { // by a worker that goes on: an hour or two later
		c := newCrew(t)
		c.once(t, c.ana)
		c.late(t)
		c.Exec(`UPDATE recall.river_job SET state = 'scheduled', finalized_at = NULL,
			scheduled_at = now() + interval '10 years', unique_states = '11111111'`)
		ctx, stop := context.WithCancel(t.Context())
		var ahead atomic.Int64
		done := make(chan error)
		go func() {
			done <- Run(ctx, c.ana, Options{looks: 20 * time.Millisecond, polls: 20 * time.Millisecond,
				Fail: func(err error) { t.Error(err) },
				now:  func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
		}()
		time.Sleep(300 * time.Millisecond)
		if n := c.number(t, `SELECT count(*) FROM recall.session WHERE sid = 's3'`); n != 1 {
			t.Error("it went before its time, or by a job: the test says nothing")
		}
		ahead.Store(int64(3 * time.Hour))
		wait(t, "what is due", func() bool {
			return c.number(t, `SELECT count(*) FROM recall.link`) == 1 &&
				c.number(t, `SELECT count(*) FROM recall.session WHERE sid = 's3'`) == 0
		})
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// late makes that something is kept too long, and that nobody looked how things bear on one another.
func (c *crew) late(t *testing.T) {
	t.Helper()
	app := c.app
	old, err := c.ana.ProjectOf(t.Context(), team.Project{Name: "old", Remote: "example.org/old"})
	if err != nil {
		t.Fatal(err)
	}
	c.app = old
	c.put(t, 0, 1, "s3", "We decided to use Redis for the cache.")
	c.app = app
	c.Exec(`DELETE FROM recall.link; DELETE FROM recall.related`)
	if err := c.ana.Keep(t.Context(), old, 3); err != nil {
		t.Fatal(err)
	}
}

// inTime fails unless all of that was done.
func (c *crew) inTime(t *testing.T) {
	t.Helper()
	if n := c.number(t, `SELECT count(*) FROM recall.link`); n != 1 {
		t.Errorf("%d links", n)
	}
	if n := c.number(t, `SELECT count(*) FROM recall.session WHERE sid = 's3'`); n != 0 {
		t.Error("what is kept too long is still there")
	}
}

// conn is a connection of a login's.
func (c *crew) conn(t *testing.T, who string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.Address(who))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// A job that fails is done again, by itself.
func TestRetry(t *testing.T) {
	c := newCrew(t)
	c.Exec(`ALTER TABLE recall.link ADD CONSTRAINT broken CHECK (relation = 'x')`)
	ctx, stop := context.WithCancel(t.Context())
	failed, done := make(chan error, 10), make(chan error)
	go func() {
		done <- Run(ctx, c.ana, Options{polls: 50 * time.Millisecond, Fail: func(err error) { failed <- err }})
	}()
	if err := <-failed; !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
	c.Exec(`ALTER TABLE recall.link DROP CONSTRAINT broken`)
	wait(t, "another try", func() bool { return c.number(t, `SELECT count(*) FROM recall.link`) == 1 })
	if n := c.number(t, `SELECT attempt FROM recall.river_job WHERE kind = 'relate'`); n < 2 {
		t.Errorf("it was done by %d tries of the job", n)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
