package index

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The log is folded beside those who put in: no Put does it itself, the log stays
// short, and what was folded is in the file.
func TestFoldedBeside(t *testing.T) {
	ctx := context.Background()
	x := openWith(t)
	s := newSynth(11)
	put := func(i int) {
		t.Helper()
		if err := x.Put(ctx, s.doc(i, 20, 100)); err != nil {
			t.Fatal(err)
		}
	}
	file := func() []byte {
		t.Helper()
		b, err := os.ReadFile(x.path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	log := func() int64 {
		t.Helper()
		fi, err := os.Stat(x.path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return fi.Size()
	}
	const page = pageSize + 24 // in the log, with its head

	held := make(chan struct{})
	x.folding.under = held // as if one were under way that takes its time
	before := file()
	i := 0
	for ; log() < 2*foldFrom*page; i++ {
		put(i)
	}
	if !bytes.Equal(before, file()) {
		t.Error("a put has folded the log itself")
	}
	x.folding.under = nil
	close(held)
	put(i)
	x.folding.wait()
	if bytes.Equal(before, file()) {
		t.Error("nothing was folded")
	}
	was := log()
	for range 8 { // less than folding begins at
		i++
		put(i)
	}
	if now := log(); now != was {
		t.Errorf("the log grew from %d bytes to %d, though all of it was folded", was, now)
	}
	more := 100
	if testing.Short() {
		more = 20
	}
	for range more {
		i++
		put(i)
	}
	if now := log(); now > (longestLog+foldFrom)*page {
		t.Errorf("the log has %d bytes", now)
	}
	if err := x.Tidy(ctx); err != nil {
		t.Fatal(err)
	}
	if now := log(); now != 0 {
		t.Errorf("the log has %d bytes after Tidy", now)
	}
	if got := search(t, x, Query{Text: s.question()}).SearchedSessions; got != i+1 {
		t.Errorf("%d sessions, want %d", got, i+1)
	}
}

// A process that is killed while it puts in and folds loses nothing of what it was
// told is in.
func TestKilledWhileFolding(t *testing.T) {
	ctx := context.Background()
	if path := os.Getenv("INDEX_PUTS"); path != "" {
		x, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		s := newSynth(12)
		for i := 0; ; i++ {
			if err := x.Put(ctx, s.doc(i, 20, 100)); err != nil {
				t.Fatal(err)
			}
			fmt.Println("put", i)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		path := filepath.Join(t.TempDir(), "index.db")
		puts := exec.Command(exe, "-test.run=^TestKilledWhileFolding$", "-test.v")
		puts.Env = append(os.Environ(), "INDEX_PUTS="+path)
		out, err := puts.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := puts.Start(); err != nil {
			t.Fatal(err)
		}
		until, n := 8+8*round, 0 // folding has just begun
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, err := fmt.Sscanf(lines.Text(), "put %d", &n); err == nil && n == until {
				time.Sleep(time.Duration(rand.IntN(10_000)) * time.Microsecond)
				puts.Process.Kill()
			}
		}
		puts.Wait()
		x, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var sound string
		if err := x.db.QueryRow(`PRAGMA integrity_check`).Scan(&sound); err != nil || sound != "ok" {
			t.Errorf("killed after %d: %s %v", n, sound, err)
		}
		if got := search(t, x, Query{Text: newSynth(12).question()}).SearchedSessions; got < n+1 || got > n+2 {
			t.Errorf("%d sessions, want the %d that were put in, or one more", got, n+1)
		}
		if err := x.Put(ctx, newSynth(13).doc(5000, 20, 100)); err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
