package library_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest"
	. "recall/library"
	"recall/library/disk"
)

// contents is every version of every file of a session.
func contents(t testing.TB, l *Library, id ingest.SessionID) map[string]string {
	t.Helper()
	all, err := l.Versions(id)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range all {
		r, _, err := l.OpenVersion(id, f.Name, f.Version)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatalf("%s, version %d: %v", f.Name, f.Version, err)
		}
		got[fmt.Sprintf("%s %d", f.Name, f.Version)] = string(text)
	}
	return got
}

func segments(t testing.TB, l *Library) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "raw", "*.zst"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// written counts the bytes that go to the disk from now on.
func written(l *Library) (bytes func() int64) {
	var n int64
	length := func(path string) int64 {
		fi, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return fi.Size()
	}
	disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
		before := int64(0)
		if op.Kind == disk.OpAppend {
			before = length(op.Path)
		}
		err := do()
		if op.Kind == disk.OpWrite || op.Kind == disk.OpAppend {
			n += length(op.Path) - before
		}
		return err
	})
	return func() int64 { return n }
}

// A session that grows all day, by a little at a time, is stored in few
// segments, takes at most a quarter of its size, and less is written than three
// times what it grows by.
func TestGrowsAllDay(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	steps := 120
	if os.Getenv("RECALL_LONG") != "" {
		steps = 250
	}
	for _, each := range []int{900, 6000} {
		l := newLib(t)
		dir := filepath.Join(t.TempDir(), id)
		main := filepath.Join(dir, "transcript.jsonl")
		rng := rand.New(rand.NewPCG(4, 5))
		write(t, filepath.Join(dir, "subagents", "agent-1.jsonl"), line(rng, 3000))
		var text strings.Builder
		total := written(l)
		for i := range steps {
			text.WriteString(record(rng, i, each))
			write(t, main, text.String())
			if c := archive(t, l, find(t, id, dir)); i > 0 && len(c.Grown) != 1 {
				t.Fatalf("step %d: %+v", i, c)
			}
		}
		wrote := total()
		if got := content(t, l, id, "transcript.jsonl"); got != text.String() {
			t.Fatal("other bytes")
		}
		var stored int64
		for _, path := range files(t, l.Dir()) {
			if fi, err := os.Stat(path); err == nil && strings.HasSuffix(path, ".zst") {
				stored += fi.Size()
			}
		}
		size := float64(text.Len())
		t.Logf("%d × %d bytes: %d segments, stored %.1f %%, written %.2f × the growth", steps, each, segments(t, l),
			100*float64(stored)/size, float64(wrote)/size)
		if segments(t, l) > 40 || float64(stored) > size/4 {
			t.Errorf("%d segments of %d bytes for %d", segments(t, l), stored, text.Len())
		}
		if each > 1000 && float64(wrote) > 3*size {
			t.Errorf("%d bytes written for %d", wrote, text.Len())
		}
		if v := verify(t, again(t, l)); len(v.Findings) > 0 {
			t.Error(said(v))
		}
	}
}

// record is about n bytes of a transcript, as repetitive as those are.
func record(rng *rand.Rand, i, n int) string {
	head := fmt.Sprintf(`{"parentUuid":"%08x-1111-4222-8333-444444444444","isSidechain":false,"userType":"external",`+
		`"cwd":"/home/ann/billing","sessionId":"%s","version":"2.0.76","gitBranch":"main","type":"assistant",`+
		`"message":{"model":"claude","id":"msg_%08x","role":"assistant","content":[{"type":"text",`+
		`"text":"`, rng.Uint32(), id, i)
	var b strings.Builder
	for b.Len() < n-len(head) {
		fmt.Fprintf(&b, "the %s of the %s is %s ", words[rng.IntN(len(words))], words[rng.IntN(len(words))],
			words[rng.IntN(len(words))])
	}
	return head + b.String() + "\"}]}}\n"
}

var words = strings.Fields("queue worker retry invoice ledger handler timeout backoff schema index cache session " +
	"token limit price job lock order amount test migration column")
