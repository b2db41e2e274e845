package team

import (
	"errors"
	"fmt"
	"net"
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

func newStand(t testing.TB) *stand {
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

// again tries until it works: a pool may hold connections that broke.
func again(do func() error) (err error) {
	for range 1000 {
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
	var puts atomic.Int64
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
			s, _ := Ready(said("s1", app, fmt.Sprint("Retry ", n+1)))
			err := ana.Put(t.Context(), ana.device, s, n+1)
			switch {
			case err == nil:
				n++
				puts.Add(1)
			case !errors.Is(err, ErrUnreachable):
				t.Errorf("generation %d: %v", n+1, err)
			}
		}
	}()
	more := func() { // until it has put some more, however long that takes
		for was := puts.Load(); puts.Load() < was+4 && !t.Failed() && t.Context().Err() == nil; {
			time.Sleep(10 * time.Millisecond)
		}
	}
	for range 2 {
		more()
		c.Restart(t)
	}
	more()
	close(stop)
	n := <-put
	c.holds(fmt.Sprint("s1 s1000 Retry ", n))
}

// A server's clock that is a day off, or is set back, neither keeps anything out nor hides or ends it.
func TestClock(t *testing.T) {
	c := newCrew(t)
	ana := c.owner()
	app := ana.project(t, "app")
	for n, off := range []string{"1 day", "-1 day", "1 day", "0"} {
		c.Exec(`CREATE OR REPLACE FUNCTION pg_catalog.now() RETURNS timestamptz LANGUAGE sql STABLE AS
			$$ SELECT pg_catalog.statement_timestamp() + interval '` + off + `' $$`)
		if n == 0 && c.column(`SELECT (now() - statement_timestamp())::text`)[0] != off {
			t.Fatal("the clock isn't off")
		}
		s := said("s1", app, fmt.Sprint("Retry ", n))
		s.Start, s.End = time.Now().Add(-time.Hour), time.Now()
		all, err := ana.Sent(t.Context(), ana.device)
		if err != nil {
			t.Fatal(err)
		}
		read := func() (Shared, error) { return Ready(s) }
		if _, err := ana.Send(t.Context(), ana.device, all["s1"], read); err != nil {
			t.Fatalf("%s: %v", off, err)
		}
		gone := fmt.Sprint("gone", n)
		c.put(ana, 1, said(gone, ana.project(t, "other"), "Retry"))
		if err := ana.Forget(t.Context(), ana.Member.ID, gone); err != nil {
			t.Fatalf("%s: %v", off, err)
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
	if err := ana.LetIn(t.Context(), app, bob.Member.ID); err != nil {
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
		if got := search(t, bob, "retry"); len(got) != n+1 {
			t.Errorf("%v: found %q", off, got)
		}
		if err := m.Fetch(t.Context(), bob.Team); err != nil {
			t.Fatal(err)
		}
		if told := m.Brief(time.Time{}, nil, "").Others; len(told) != n+1 {
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
		if err := m.Fetch(t.Context(), bob.Team); err != nil {
			t.Fatal(err)
		}
		c.put(ana, 3, s)
		if err := m.Fetch(t.Context(), bob.Team); err != nil {
			t.Fatal(err)
		}
		if others := m.Brief(time.Time{}, nil, "").Others; len(others) == 0 {
			t.Errorf("%v: what came since isn't told", off)
		}
	}
}
