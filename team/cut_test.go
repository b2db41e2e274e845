package team

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// A switchboard reads what is said, and hangs up at a statement: before the server hears of it, or when it answers that
// it is done, which nobody then hears.
type switchboard struct {
	*stand

	mu     sync.Mutex
	n      int // statements since it was armed
	at     int // the one to hang up at, 0 none
	done   bool
	hungUp bool
}

func connectBy(t *testing.T, to string) *switchboard {
	s := &switchboard{stand: newStand(t)}
	go s.serve(to, func(near, far net.Conn) {
		deaf, ended := make(chan struct{}), make(chan struct{}) // from deaf on nothing is passed on that the server says
		go s.ask(near, far, deaf, ended)
		go func() {
			defer close(ended)
			defer near.Close()
			room := make([]byte, 64<<10)
			for {
				n, err := far.Read(room)
				select {
				case <-deaf:
					return
				default:
				}
				if _, failed := near.Write(room[:n]); err != nil || failed != nil {
					return
				}
			}
		}()
	})
	return s
}

// ask passes on what a program says: a message at a time, each with its length, the first without a letter.
func (s *switchboard) ask(near, far net.Conn, deaf, ended chan struct{}) {
	defer far.Close()
	defer near.Close()
	in, first := bufio.NewReader(near), true
	unheard := false
	for {
		head := make([]byte, 5)
		if first {
			head = head[:4]
		}
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		rest := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(in, rest); err != nil {
			return
		}
		if !first && (head[0] == 'P' || head[0] == 'Q') { // a statement to be parsed, or asked at once
			s.mu.Lock()
			s.n++
			now := s.n == s.at
			s.hungUp = s.hungUp || now
			done := s.done
			s.mu.Unlock()
			switch {
			case now && !done:
				return
			case now:
				unheard = true
			}
		}
		if unheard && (head[0] == 'S' || head[0] == 'Q') { // with this it is to be done
			close(deaf)
			if _, err := far.Write(append(head, rest...)); err == nil {
				<-ended // it answered, or is gone
			}
			return
		}
		if _, err := far.Write(append(head, rest...)); err != nil {
			return
		}
		first = false
	}
}

// arm has it hang up at a statement, done or not; 0 at none.
func (s *switchboard) arm(at int, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.at, s.done, s.hungUp = 0, at, done, false
}

// Whatever is done in a team, the connection may break at each statement of it, before it is done or behind: the next
// try brings it there once. Each row does it for the nth time, and lists what there is then, in order.
func TestCutAtEachStatement(t *testing.T) {
	c := newCrew(t)
	direct := c.owner()
	board := connectBy(t, fmt.Sprintf("127.0.0.1:%d", c.Port))
	ana := c.at(c.AddressAt("owner", "127.0.0.1", board.Addr().(*net.TCPAddr).Port))
	bob := c.admit(direct, "bob")
	app := direct.project(t, "app")
	if err := direct.LetIn(t.Context(), app, bob.Member.ID); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	lib, err := library.Create(filepath.Join(t.TempDir(), "lib"))
	must(err)
	m := &Membership{Address: "x", Device: ana.device}
	must(m.Keep(lib.Dir()))
	real := func(n int, s Session) Session { // whose one item has such an id as items have
		letters := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%010d", n))
		s.Items[0].ID = payload.ItemID(letters)
		return s
	}
	sid := func(of string, n int) string { return fmt.Sprintf("%s%04d", of, n) }
	transcript := func(s Session) Session { s.Transcript = "Said so"; return s }
	had := func(n int) []string { return []string{sid("s", n)} }
	gone := func(n int) []string { return []string{sid("s", n) + " by " + itoa(direct.Member.ID)} }
	const stones = `SELECT sid || ' by ' || by FROM recall.tombstone WHERE sid = $1 UNION ALL
		SELECT 'session' FROM recall.session WHERE sid = $1`
	var left mate
	n := 0
	for _, of := range []struct {
		name    string
		prepare func(n int)
		do      func(n int) error
		there   func(n int) []string // what is read
		want    func(n int) []string
	}{
		{"a session put, with its transcript", func(n int) {
			c.put(ana, 1, transcript(said(sid("s", n), app, "Old", "Kept")))
		}, func(n int) error {
			all, err := ana.Sent(t.Context(), ana.device)
			if err == nil {
				_, err = ana.Send(t.Context(), ana.device, all[sid("s", n)], func() (Shared, error) {
					s := transcript(said(sid("s", n), app, "New", "Kept"))
					s.Transcript += " again"
					return Ready(s)
				})
			}
			return err
		}, func(n int) []string {
			return c.column(`SELECT s.generation || ' ' || (i.data::json ->> 'text') || ' ' || o.data
				FROM recall.session s JOIN recall.item i ON i.session = s.id JOIN recall.content o ON o.session = s.id
				WHERE sid = $1 ORDER BY i.iid`, sid("s", n))
		}, func(n int) []string { return []string{"2 New Said so again", "2 Kept Said so again"} }},

		{"a session forgotten", func(n int) {
			c.put(direct, 1, said(sid("s", n), app, "Old"))
		}, func(n int) error {
			return ana.Forget(t.Context(), ana.Member.ID, sid("s", n))
		}, func(n int) []string { return c.column(stones, sid("s", n)) }, gone},

		{"what was forgotten here, forgotten for all", func(n int) {
			c.put(direct, 1, said(sid("s", n), app, "Old"))
			must(lib.MarkForgotten([]ingest.SessionID{ingest.SessionID(sid("s", n))}))
		}, func(n int) error {
			_, err := ana.Errands(t.Context(), lib)
			return err
		}, func(n int) []string { return c.column(stones, sid("s", n)) }, gone},

		{"what a machine that left shared, taken back", func(n int) {
			left = c.at(c.Owner)
			c.put(left, 1, transcript(said(sid("s", n), app, "Old")))
			must(left.LeaveDevice(t.Context(), left.device))
		}, func(n int) error {
			_, err := ana.TakeBack(t.Context(), []int{app})
			return err
		}, func(n int) []string {
			return c.column(`SELECT s.sid FROM recall.session s WHERE s.sid = $1 AND s.generation = 2 AND s.hash = ''
				AND NOT EXISTS(SELECT FROM recall.item i WHERE i.session = s.id)
				AND NOT EXISTS(SELECT FROM recall.content i WHERE i.session = s.id)
				AND EXISTS(SELECT FROM recall.device d WHERE d.id = s.device AND d.left_at IS NOT NULL)`, sid("s", n))
		}, had},

		{"a machine that joins", func(int) {}, func(n int) error {
			_, err := ana.Enter(t.Context(), filepath.Join(lib.Dir(), sid("j", n)), "x", sid("machine", n))
			return err
		}, func(n int) []string {
			kept, err := MembershipOf(filepath.Join(lib.Dir(), sid("j", n)))
			must(err)
			return c.column(`SELECT CASE WHEN d.id = $2::uuid THEN 'kept' ELSE 'other' END FROM recall.device d
				WHERE d.name = $1`, sid("machine", n), kept.Device)
		}, func(int) []string { return []string{"kept"} }},

		{"a project made, and a person let in", func(n int) {}, func(n int) error {
			p, err := ana.ProjectOf(t.Context(), Project{Name: sid("p", n), Remote: "example.org/" + sid("p", n)})
			if err == nil {
				err = ana.LetIn(t.Context(), p, bob.Member.ID)
			}
			return err
		}, func(n int) []string {
			return c.column(`SELECT p.name FROM recall.project p JOIN recall.access a ON a.project = p.id
				WHERE p.name = $1 AND a.member = $2`, sid("p", n), bob.Member.ID)
		}, func(n int) []string { return []string{sid("p", n)} }},

		{"what others decided, fetched", func(n int) {
			c.put(bob, 1, real(n, said(sid("s", n), app, "Bob's")))
			c.Exec(`UPDATE recall.item SET said = now()`)
		}, func(n int) error {
			return m.Fetch(t.Context(), ana.Team)
		}, func(n int) []string {
			var in []string
			for _, one := range copies(m) {
				if one.Session == sid("s", n) && len(one.Items) == 1 {
					in = append(in, one.Session)
				}
			}
			return in
		}, had},
	} {
		t.Run(of.name, func(t *testing.T) {
			unheard := 0
			for at := 1; ; at++ {
				for _, done := range []bool{false, true} {
					n++
					of.prepare(n)
					board.arm(at, done)
					err := again(func() error { // what broke before is forgotten by then
						board.mu.Lock()
						if board.n = 0; board.hungUp {
							board.at = 0
						}
						board.mu.Unlock()
						err := of.do(n)
						if err != nil && !errors.Is(err, ErrUnreachable) {
							t.Errorf("at statement %d, done %v: %v", at, done, err)
						}
						return err
					})
					board.mu.Lock()
					hungUp := board.hungUp
					board.mu.Unlock()
					board.arm(0, false)
					if err != nil {
						t.Fatalf("at statement %d, done %v: %v", at, done, err)
					}
					if got, want := of.there(n), of.want(n); !slices.Equal(got, want) {
						t.Errorf("at statement %d, done %v there is %q, want %q", at, done, got, want)
					}
					if !hungUp {
						if at == 1 || unheard == 0 {
							t.Error("it has no statement: the test says nothing")
						}
						t.Logf("%d statements", at-1)
						return
					}
					if done {
						unheard++
					}
				}
			}
		})
	}
}
