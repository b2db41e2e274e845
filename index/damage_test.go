package index

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// madeIndex is the bytes of an index of a few dozen sessions, closed.
func madeIndex(t *testing.T) []byte {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	docs := billing()
	s := newSynth(4)
	for i := range 30 {
		docs = append(docs, s.doc(i, 5, 10))
	}
	if err := x.PutAll(context.Background(), docs); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// told is what is shown of an answer, as JSON.
func told(a Answer) string {
	var out []any
	for _, h := range a.Items() {
		out = append(out, h.Item, h.Place)
	}
	for _, h := range turnsOf(a) {
		out = append(out, h.TurnID, h.Turn, h.Role, h.At, h.Text, h.Place)
	}
	b, _ := json.Marshal(out)
	return string(b)
}

// Whatever bytes are wrong: who asks gets an answer, or is told that the index must be rebuilt, and the program goes
// on.
func TestDamaged(t *testing.T) {
	t.Parallel()
	good := madeIndex(t)
	path := filepath.Join(t.TempDir(), "index.db")
	r := rand.New(rand.NewPCG(1, 2))
	n := 150
	switch {
	case os.Getenv("RECALL_LONG") != "":
		n = 600
	case testing.Short():
		n = 40
	}
	rebuild := 0
	for i := range n {
		b := bytes.Clone(good)
		from := r.IntN(len(b))
		switch i % 5 {
		case 0: // cut short
			b = b[:from]
		case 1: // bits flipped
			for range 1 + r.IntN(200) {
				b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
			}
		case 2: // zeros
			clear(b[from:min(len(b), from+r.IntN(20_000))])
		case 3: // a page in another's place
			page, other := 4096*r.IntN(len(b)/4096), 4096*r.IntN(len(b)/4096)
			copy(b[page:page+4096], good[other:other+4096])
		default: // a part gone
			b = append(b[:from], b[min(len(b), from+r.IntN(8192)):]...)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, q := range []string{"retry backoff jitter", "why lock acquire jobs", "数据库", "dead letter queue write"} {
			x, err := OpenRead(path)
			if err == nil {
				_, err = x.Search(t.Context(), Query{Text: q, Limit: 30})
				x.Close()
			}
			if errors.Is(err, ErrRebuild) {
				rebuild++
			} else if err != nil {
				t.Errorf("%d, %q: got %v, want ErrRebuild", i, q, err)
			}
		}
		if err := Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if rebuild < n {
		t.Errorf("%d of %d questions were told that the index must be rebuilt", rebuild, 4*n)
	}
}

// Of a packed text no bit can change, nor a byte be cut off, unnoticed.
func TestPackedTextIsChecked(t *testing.T) {
	for _, said := range []string{"", "never retry 402", strings.Repeat("The queue is kept in Postgres. ", 20)} {
		packed := pack(said)
		if got, err := unpack(packed); got != said || err != nil {
			t.Fatalf("got %q, %v", got, err)
		}
		for i := range packed {
			if got, err := unpack(packed[:i]); !errors.Is(err, ErrRebuild) {
				t.Errorf("%d bytes of %d: got %q, %v", i, len(packed), got, err)
			}
			flipped := bytes.Clone(packed)
			flipped[i] ^= 1 << (i % 8)
			if got, err := unpack(flipped); !errors.Is(err, ErrRebuild) {
				t.Errorf("byte %d flipped: got %q, %v", i, got, err)
			}
		}
	}
}

// SQLite takes what is behind the end of the file for zeros: whichever page the end is in,
// that is noticed.
func TestCutShort(t *testing.T) {
	good := madeIndex(t)
	path := filepath.Join(t.TempDir(), "index.db")
	ask := func(b []byte) (string, error) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := OpenRead(path)
		if err != nil {
			return "", err
		}
		defer x.Close()
		a, err := x.Search(t.Context(), Query{Text: "数据库", Limit: 30})
		return told(a), err
	}
	want, err := ask(good)
	if err != nil {
		t.Fatal(err)
	}
	for at := len(good) - 100; at >= 4096; at -= 2048 {
		if got, err := ask(good[:at]); err == nil && got != want || err != nil && !errors.Is(err, ErrRebuild) {
			t.Errorf("cut after %d of %d bytes: %v, and another answer: %v", at, len(good), err, got != want)
		}
	}
}

// Rows that are no more or not what they were: whoever asks or writes gets an answer or
// ErrRebuild, and the program goes on.
func TestDamagedRows(t *testing.T) {
	ctx := context.Background()
	for _, broken := range []string{
		`DELETE FROM session`, `DELETE FROM window`, `DELETE FROM item`, `DELETE FROM turn`, `UPDATE window SET n=n+1000`,
		`UPDATE words_data SET block=substr(block, 3) WHERE id>10`, `DELETE FROM words_data WHERE id>10`,
		`DELETE FROM words_docsize`,
	} {
		s := newSynth(4)
		var docs []Doc
		for i := range 30 {
			docs = append(docs, s.doc(i, 5, 10))
		}
		x := openWith(t, docs...)
		if _, err := x.db.Exec(broken); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Search(ctx, Query{Text: "retry backoff jitter queue lock"}); err != nil &&
			!errors.Is(err, ErrRebuild) {
			t.Errorf("%s: a search: %v", broken, err)
		}
		if err := x.Put(ctx, s.doc(99, 5, 10)); err != nil && !errors.Is(err, ErrRebuild) {
			t.Errorf("%s: a put: %v", broken, err)
		}
	}
}

// Killed at any moment while it writes, the index opens and holds whole
// sessions only.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	if path := os.Getenv("INDEX_KILLED"); path != "" {
		write(t, path, "killed", 10_000)
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index.db")
	for round := range 5 {
		cmd := exec.Command(exe, "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "INDEX_KILLED="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(150+80*round) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		x, err := Open(path)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		a := search(t, x, Query{Text: "why lock jobs acquire"})
		if own := min(round, 1); a.SearchedItems-own != 2*(a.SearchedSessions-own) { // the one below has one item
			t.Errorf("round %d: %d items of %d sessions: half of a session", round, a.SearchedItems, a.SearchedSessions)
		}
		var ok string
		if err := x.db.QueryRow(`PRAGMA integrity_check`).Scan(&ok); err != nil || ok != "ok" {
			t.Errorf("round %d: integrity %q, %v", round, ok, err)
		}
		if err := x.Put(context.Background(), billing()[1]); err != nil {
			t.Errorf("round %d: it can't be written any more: %v", round, err)
		}
		x.Close()
	}
}

// Where there is no room, Put says so and the index is as before.
func TestNoRoom(t *testing.T) {
	x := openWith(t, billing()...)
	var pages int
	if err := x.db.QueryRow(`PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	x.db.SetMaxOpenConns(1) // the limit is a connection's
	if _, err := x.db.Exec(fmt.Sprintf(`PRAGMA max_page_count=%d`, pages+2)); err != nil {
		t.Fatal(err)
	}
	before := told(search(t, x, Query{Text: "retry backoff"}))
	err := x.Put(context.Background(), newSynth(1).doc(1, 50, 200))
	if err == nil || errors.Is(err, ErrRebuild) {
		t.Errorf("got %v, want an error that says the disk is full and not that the index is broken", err)
	}
	if diff := cmp.Diff(before, told(search(t, x, Query{Text: "retry backoff"}))); diff != "" {
		t.Errorf("another answer after a failed Put (-before +after):\n%s", diff)
	}
}

// Fifty ask at once while sessions are put in; nobody fails.
func TestFiftyReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.PutAll(context.Background(), billing()); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var writer, readers sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			d := billing()[i%3]
			d.Session = fmt.Sprintf("more-%d", i)
			if err := w.Put(context.Background(), d); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 50 {
		readers.Go(func() {
			x, err := OpenRead(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer x.Close()
			for range 3 {
				a, err := x.Search(context.Background(), Query{Text: "retry backoff jitter"})
				if err != nil {
					t.Error(err)
				} else if len(a.Items()) == 0 {
					t.Error("nothing found beside the writer")
				}
			}
		})
	}
	readers.Wait()
	close(done)
	writer.Wait()
}
