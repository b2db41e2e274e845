package index

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A second process writes while this one reads and writes: nobody waits for
// long, nobody fails, nobody sees half of a session.
func TestTogether(t *testing.T) {
	path := os.Getenv("INDEX_WRITER")
	if path != "" {
		each, err := strconv.Atoi(os.Getenv("INDEX_WRITES"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, "other", each)
		return
	}
	path = filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	each := 40
	if testing.Short() { // under the race detector writing takes ten times as long
		each = 10
	}
	other := exec.Command(exe, "-test.run=^TestTogether$", "-test.v")
	other.Env = append(os.Environ(), "INDEX_WRITER="+path, "INDEX_WRITES="+strconv.Itoa(each))
	var all sync.WaitGroup
	all.Go(func() {
		if out, err := other.CombinedOutput(); err != nil {
			t.Errorf("the other process: %v\n%s", err, out)
		}
	})
	all.Go(func() { write(t, path, "own", each) })
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() { read(t, path, done) })
	}
	all.Wait()
	close(done)
	readers.Wait()
	a := search(t, x, Query{Text: "retry backoff", Limit: 1000})
	if a.SearchedSessions != 2*each || a.SearchedItems != 4*each {
		t.Errorf("got %d sessions, %d items, want %d and %d", a.SearchedSessions, a.SearchedItems, 2*each, 4*each)
	}
}

func write(t *testing.T, path, name string, n int) {
	x, err := Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer x.Close()
	for i := range n {
		d := billing()[0]
		d.Session = fmt.Sprintf("%s-%d", name, i)
		for range 2 { // taken in, and taken in again
			d.Turns = append(d.Turns, Turn{ID: "more", N: len(d.Turns) + 1, Text: "one more turn"})
			if err := x.Put(context.Background(), d); err != nil {
				t.Errorf("put %s: %v", d.Session, err)
			}
		}
	}
	if err := x.Tidy(context.Background()); err != nil {
		t.Error(err)
	}
}

func read(t *testing.T, path string, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		x, err := OpenRead(path)
		if err != nil {
			t.Error(err)
			return
		}
		start := time.Now()
		a, err := x.Search(context.Background(), Query{Text: "why lock jobs acquire"})
		if err != nil {
			t.Errorf("search: %v", err)
		}
		if took := time.Since(start); took > time.Minute { // usual: milliseconds
			t.Errorf("a search took %v beside the writers", took)
		}
		if a.SearchedItems != 2*a.SearchedSessions {
			t.Errorf("saw %d items of %d sessions: half of a session", a.SearchedItems, a.SearchedSessions)
		}
		x.Close()
	}
}
