package team

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recall/payload"
)

// A stand is a port of its own between a program and the server.
type stand struct {
	net.Listener

	opened sync.Mutex
	ends   []net.Conn
}

func newStand(t *testing.T) *stand {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{Listener: l}
	t.Cleanup(func() { l.Close(); s.cut() })
	return s
}

// serve connects whoever comes with the server, and has join pass on what both say.
func (s *stand) serve(server string, join func(near, far net.Conn)) {
	for {
		near, err := s.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", server)
		if err != nil {
			near.Close()
			continue
		}
		s.opened.Lock()
		s.ends = append(s.ends, near, far)
		s.opened.Unlock()
		join(near, far)
	}
}

// cut ends all connections.
func (s *stand) cut() {
	s.opened.Lock()
	defer s.opened.Unlock()
	for _, e := range s.ends {
		e.Close()
	}
	s.ends = nil
}

// A cable is cut after so many bytes towards the server, or back.
type cable struct {
	*stand
	there  atomic.Int64 // bytes that still pass
	back   atomic.Int64
	passed [2]atomic.Int64
}

const uncut = 1 << 40

func lay(t *testing.T, to string) *cable {
	c := &cable{stand: newStand(t)}
	c.mend()
	go c.serve(to, func(near, far net.Conn) {
		go c.pass(far, near, &c.there, &c.passed[0])
		go c.pass(near, far, &c.back, &c.passed[1])
	})
	return c
}

func (c *cable) pass(to, from net.Conn, left, passed *atomic.Int64) {
	room := make([]byte, 4096)
	for {
		n, err := from.Read(room)
		may := min(int64(n), max(left.Add(-int64(n))+int64(n), 0))
		passed.Add(may)
		if _, failed := to.Write(room[:may]); err != nil || failed != nil || may < int64(n) {
			break
		}
	}
	if left.Load() < 0 {
		c.cut()
	}
	to.Close()
	from.Close()
}

func (c *cable) mend() { c.there.Store(uncut); c.back.Store(uncut) }

// Wherever the connection is cut, a session is there whole or as it was, and the next try brings it there once.
func TestCut(t *testing.T) {
	c := newCrew(t)
	cable := lay(t, fmt.Sprintf("127.0.0.1:%d", c.Port))
	ana := c.at(c.AddressAt("owner", "127.0.0.1", cable.Addr().(*net.TCPAddr).Port))
	app := ana.project(t, "app")
	box := NewOutbox(filepath.Join(t.TempDir(), "sent.jsonl"), ana.device)
	n := 0
	next := func() Session {
		n++
		return said("s1", app, fmt.Sprint("One ", n), fmt.Sprint("Two ", n), "Three")
	}
	send := func(s Session) error {
		sent, err := box.Sent()
		if err == nil {
			_, err = box.Send(t.Context(), ana.Team, sent["s1"], func() (Shared, error) { return Ready(c.rules, s) })
		}
		return err
	}
	whole := func(n int) []string {
		return []string{fmt.Sprint("s1 s1000 One ", n), fmt.Sprint("s1 s1001 Two ", n), "s1 s1002 Three"}
	}
	if err := send(next()); err != nil {
		t.Fatal(err)
	}
	cable.passed[0].Store(0)
	cable.passed[1].Store(0)
	if err := send(next()); err != nil {
		t.Fatal(err)
	}
	bytes := []int64{cable.passed[0].Load(), cable.passed[1].Load()}
	places := int64(15)
	if os.Getenv("RECALL_LONG") != "" {
		places = 60
	}
	for way, left := range []*atomic.Int64{&cable.there, &cable.back} {
		all := bytes[way]
		if all < 100 {
			t.Fatalf("%d bytes went by the cable", all)
		}
		cuts, lost := 0, 0
		for at := int64(0); at <= all; at += max(all/places, 1) {
			s := next()
			left.Store(at)
			err := send(s)
			cable.mend()
			if err != nil {
				cuts++
				if !errors.Is(err, ErrUnreachable) {
					t.Errorf("cut after %d of %d bytes: %v", at, all, err)
				}
			}
			got := fmt.Sprint(c.texts())
			if got != fmt.Sprint(whole(n)) && got != fmt.Sprint(whole(n-1)) {
				t.Fatalf("cut after %d of %d bytes the team has %s", at, all, got)
			}
			if got == fmt.Sprint(whole(n)) && err != nil {
				lost++ // it was done, and nobody heard
			}
			if err := again(func() error { return send(s) }); err != nil {
				t.Fatal(err)
			}
			c.holds(whole(n)...)
		}
		if cuts < int(places)*2/3 || way == 1 && lost == 0 {
			t.Errorf("way %d: %d cuts, %d done unheard: the test says little", way, cuts, lost)
		}
	}
}

// again tries until it works: a pool may hold connections that broke.
func again(do func() error) (err error) {
	for range 8 {
		if err = do(); !errors.Is(err, ErrUnreachable) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// A server that crashes and comes back is found again by programs that were connected.
func TestRestart(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	c.put(ana, 1, said("s1", app, "Retry"))
	stop := make(chan bool)
	put := make(chan int)
	go func() {
		n := 1
		for {
			select {
			case <-stop:
				put <- n
				return
			default:
			}
			s, _ := Ready(c.rules, said("s1", app, fmt.Sprint("Retry ", n+1)))
			err := ana.Put(t.Context(), ana.device, s, n+1)
			var fenced *Fenced
			switch {
			case err == nil:
				n++
			case errors.As(err, &fenced) || !errors.Is(err, ErrUnreachable):
				t.Errorf("generation %d: %v", n+1, err)
			}
		}
	}()
	for range 2 {
		time.Sleep(100 * time.Millisecond)
		c.Restart(t)
	}
	time.Sleep(100 * time.Millisecond)
	close(stop)
	n := <-put
	if n < 10 {
		t.Errorf("only %d generations: the test says little", n)
	}
	c.holds(fmt.Sprint("s1 s1000 Retry ", n))
}

// A server's clock that is a day off, or is set back, neither keeps anything out nor hides or ends it.
func TestClock(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	if err := ana.Keep(t.Context(), app, 3); err != nil {
		t.Fatal(err)
	}
	box := NewOutbox(filepath.Join(t.TempDir(), "sent.jsonl"), ana.device)
	for n, off := range []string{"1 day", "-1 day", "1 day", "0"} {
		c.Exec(`CREATE OR REPLACE FUNCTION pg_catalog.now() RETURNS timestamptz LANGUAGE sql STABLE AS
			$$ SELECT pg_catalog.statement_timestamp() + interval '` + off + `' $$`)
		if n == 0 && c.column(`SELECT (now() - statement_timestamp())::text`)[0] != off {
			t.Fatal("the clock isn't off")
		}
		s := said("s1", app, fmt.Sprint("Retry ", n))
		s.Start, s.End = time.Now().Add(-time.Hour), time.Now()
		all, err := box.Reconcile(t.Context(), ana.Team)
		if err != nil {
			t.Fatal(err)
		}
		read := func() (Shared, error) { return Ready(c.rules, s) }
		if _, err := box.Send(t.Context(), ana.Team, all["s1"], read); err != nil {
			t.Fatalf("%s: %v", off, err)
		}
		gone := fmt.Sprint("gone", n)
		c.put(ana, 1, said(gone, ana.project(t, "other"), "Retry"))
		if err := ana.Forget(t.Context(), ana.Member.ID, gone); err != nil {
			t.Fatalf("%s: %v", off, err)
		}
		if n, err := ana.Retain(t.Context()); n > 0 || err != nil {
			t.Errorf("%s: %d sessions ended, %v", off, n, err)
		}
		c.holds(fmt.Sprint("s1 s1000 Retry ", n))
		if got := search(t, ana, "retry"); len(got) != 1 {
			t.Errorf("%s: found %q", off, got)
		}
	}
}

// A machine whose clock is a day off, either way, shares what is found, told and kept as anybody's; and once its clock
// is right again it syncs, and tells news, as if it always was.
func TestClockOfAMachine(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	bob := c.admit(ana, "bob")
	app := ana.project(t, "app")
	if err := errors.Join(ana.LetIn(t.Context(), app, bob.Member.ID), ana.Keep(t.Context(), app, 3)); err != nil {
		t.Fatal(err)
	}
	lib := t.TempDir()
	m := &Membership{Address: "x", Device: bob.device}
	if err := m.Keep(lib); err != nil {
		t.Fatal(err)
	}
	for n, off := range []time.Duration{24 * time.Hour, -24 * time.Hour} {
		now := time.Now().Add(off)
		s := said(fmt.Sprint("s", n), app, fmt.Sprint("Retry ", n))
		s.Start, s.End, s.Items[0].At = now.Add(-time.Minute), now, now
		s.Items[0].ID = payload.ItemID(strings.Repeat(string(rune('a'+n)), 10))
		c.put(ana, 1, s)
		if gone, err := bob.Retain(t.Context()); gone > 0 || err != nil {
			t.Errorf("%v: %d sessions ended, %v", off, gone, err)
		}
		if got := search(t, bob, "retry"); len(got) != n+1 {
			t.Errorf("%v: found %q", off, got)
		}
		if err := m.FetchNews(t.Context(), bob.Team); err != nil {
			t.Fatal(err)
		}
		if told := m.News().Told; len(told) != n+1 {
			t.Errorf("%v: told %+v", off, told)
		}
		if err := errors.Join(m.KeepSynced(&Synced{At: now}), m.write("looked.json", now)); err != nil {
			t.Fatal(err)
		}
		if m.SyncedWithin(time.Hour) {
			t.Errorf("%v: it needs no sync", off)
		}
		empty := s // and put anew, so that it comes now
		empty.Items = nil
		c.put(ana, 2, empty)
		if err := m.FetchNews(t.Context(), bob.Team); err != nil {
			t.Fatal(err)
		}
		c.put(ana, 3, s)
		if err := m.FetchNews(t.Context(), bob.Team); err != nil {
			t.Fatal(err)
		}
		if others := m.Brief(time.Time{}, nil, "").Others; len(others) == 0 {
			t.Errorf("%v: what came since isn't told", off)
		}
	}
}
