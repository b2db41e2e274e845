package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"recall/team"
)

// blackHole is a port of this machine where nobody answers, not even that nobody is there.
func blackHole(t *testing.T) int {
	t.Helper()
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(s) })
	if err := syscall.Bind(s, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(s, 0); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(s)
	if err != nil {
		t.Fatal(err)
	}
	port := at.(*syscall.SockaddrInet4).Port
	for range 8 { // until the queue of those who wait to be let in is full
		c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), 100*time.Millisecond)
		if err != nil {
			return port
		}
		t.Cleanup(func() { c.Close() })
	}
	t.Skip("this system lets everybody wait")
	return 0
}

// A team that can't be reached lets no command wait longer than 50 ms, not even the first. What a command waits is in
// each of its runs, what a busy machine adds isn't: the fastest are compared, of as many as that takes.
func TestUnreachableTeam(t *testing.T) {
	home, recall := asProgram(t)
	for n := 1; n <= 3; n++ {
		tell(t, home, n, "Let's use Memcached for the session cache, files are slow.",
			"The sessions are in Memcached now.")
	}
	library := home + "/Recall"
	recall(nil, "sync")
	m := &team.Membership{Address: fmt.Sprintf("postgres://ana@127.0.0.1:%d/x?sslmode=disable", blackHole(t)),
		Team: "t", Name: "Grain", Device: "d", Machine: "elm"}
	end := func() {
		if err := team.End(library); err != nil && !os.IsNotExist(err) {
			time.Sleep(20 * time.Millisecond) // what works in the background writes there
			team.End(library)
		}
	}
	for _, args := range []string{"query which cache", "status", "list", "log --changed --all", "sync",
		"show app#1", "show 1", "resume app", "hook session-start"} {
		run := func(env ...string) time.Duration {
			start := time.Now()
			recall(env, strings.Fields(args)...)
			return time.Since(start)
		}
		without, with := time.Hour, time.Hour
		for n := 0; n < 5 || n < 40 && with-without > 50*time.Millisecond; n++ {
			without = min(without, run("RECALL_TEAM_ANSWERS=off"))
			if err := m.Keep(library); err != nil {
				t.Fatal(err)
			}
			with = min(with, run())
			end()
		}
		if more := with - without; more > 50*time.Millisecond {
			t.Errorf("recall %s: %v more than the %v without a team", args, more, without)
		} else {
			t.Logf("recall %s: %v, and %v with it", args, without, with)
		}
	}
}
