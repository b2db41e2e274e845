package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	lib "recall/library"
	"recall/team"
)

// blackHole is a port of this machine where nobody answers, not even that nobody is there.
func blackHole(t testing.TB) int {
	t.Helper()
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { syscall.Close(s) })
	must(t, syscall.Bind(s, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	must(t, syscall.Listen(s, 0))
	at, err := syscall.Getsockname(s)
	must(t, err)
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

// hung is a port where everybody is let in, and nobody answers.
func hung(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// A team that can't be reached lets no command wait long that makes sense without it, not even the first, nor the one
// after it was there: team.wait, and what a machine adds that does much else. The fastest are compared, of as many as
// that takes.
func TestUnreachableTeam(t *testing.T) {
	if testing.Short() {
		t.Skip("what a command takes isn't measured under the race detector")
	}
	const most = 400 * time.Millisecond
	for name, run := range unreachable(t) {
		without, with := time.Hour, time.Hour
		for n := 0; n < 2 || n < 20 && with-without > most; n++ {
			without = min(without, run(false))
			with = min(with, run(true))
		}
		if more := with - without; more > most {
			t.Errorf("%s: %v more than the %v without a team", name, more, without)
		}
	}
}

// unreachable is, by a name, each command with each way in which a team can't be reached: it runs the command with or
// without that team and returns how long it took.
func unreachable(t testing.TB) map[string]func(team bool) time.Duration {
	home, recall := asProgram(t)
	for n := 1; n <= 3; n++ {
		tell(t, home, n, "Let's use Memcached for the session cache, files are slow.",
			"The sessions are in Memcached now.")
	}
	library := home + "/Recall"
	recall(nil, "sync")
	end := func() {
		if err := team.End(library); err != nil && !os.IsNotExist(err) {
			time.Sleep(20 * time.Millisecond) // what works in the background writes there
			team.End(library)
		}
	}
	t.Chdir(t.TempDir()) // a handoff is a file here
	t.Cleanup(func() {   // what still works in the background may write there
		for n := 0; n < 100; n++ {
			os.RemoveAll(home)
			time.Sleep(20 * time.Millisecond)
			if _, err := os.Stat(home); os.IsNotExist(err) {
				return
			}
		}
	})
	l, err := lib.Open(library)
	must(t, err)
	projects, err := l.Projects()
	if err != nil || len(projects) != 1 {
		t.Fatalf("%v, %v", projects, err)
	}
	kinds := map[string]int{"nobody answers": blackHole(t), "refused": 1, "hung": hung(t)}
	commands := []string{"query which cache", "status", "list", "log --changed --all", "sync", "show app#1", "show 1",
		"resume app", "hook session-start", "show 5555eeee", "why 5555eeee", "handoff app --to Zoe --force"}
	env := append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config",
		"RECALL_LIBRARY_DIR="+library)
	runs := map[string]func(bool) time.Duration{}
	for _, args := range commands {
		for kind, port := range kinds {
			runs["recall "+args+", "+kind] = func(in bool) time.Duration {
				if in {
					m := &team.Membership{Address: fmt.Sprintf("postgres://ana@127.0.0.1:%d/x?sslmode=disable", port),
						Team: "t", Name: "Grain", Device: "d", Machine: "elm"}
					must(t, m.Keep(library))
					m.NoteReached(true)
					must(t, m.Say(team.Share{Project: projects[0].ID, Name: "app", Level: team.LevelItems, As: 1}))
					defer end()
				}
				cmd := exec.Command("recall", strings.Fields(args)...)
				cmd.Env = env
				start := time.Now()
				_ = cmd.Run() // some end with a word that there is none
				return time.Since(start)
			}
		}
	}
	return runs
}
