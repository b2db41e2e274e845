package library_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
	"recall/library/check"
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

// packs packs the session, an error if nothing was worth it.
func packs(ctx context.Context, l *Library) error {
	p, err := l.Pack(ctx, id)
	if err == nil && p.Before <= p.After {
		err = fmt.Errorf("packing replaced %d bytes by %d", p.Before, p.After)
	}
	return err
}

func segments(t testing.TB, l *Library) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(l.Dir(), "*", "*", "raw", "*.zst"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// branching is a session whose transcript grew, was rewritten from the middle
// on, grew again and was shortened.
func branching(t testing.TB, l *Library) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), id)
	main := filepath.Join(dir, "transcript.jsonl")
	rng := rand.New(rand.NewPCG(3, 5))
	text := ""
	again := line(rng, 15_000) // what packing stores once
	grow := func(n int) {
		text += again[:n*3/4] + line(rng, n/4)
		write(t, main, text)
		archive(t, l, find(t, id, dir))
	}
	for range 5 {
		grow(20_000)
	}
	text = text[:60_000]
	for range 4 {
		grow(9_000)
	}
	text = text[:30_000]
	grow(10)
	write(t, filepath.Join(dir, "tool-results", "a.txt"), text) // the same content in a second file
	archive(t, l, find(t, id, dir))
	return dir
}

// Packing leaves every version readable byte for byte, in as few segments as
// they allow.
func TestPack(t *testing.T) {
	l := newLib(t)
	dir := branching(t, l)
	before, segs := contents(t, l, id), segments(t, l)
	if len(before) != 4 {
		t.Fatalf("got %d versions, want 4", len(before))
	}
	found, err := l.Found(id)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := found.Files[1].Open() // of the transcript, before
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 5)
	if _, err := io.ReadFull(reader, first); err != nil {
		t.Fatal(err)
	}
	p, err := l.Pack(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d segments of %d bytes became %d of %d", segs, p.Before, segments(t, l), p.After)
	if p.After >= p.Before || segments(t, l) >= segs || segments(t, l) > 6 {
		t.Errorf("got %d segments of %d bytes", segments(t, l), p.After)
	}
	rest, err := io.ReadAll(reader)
	if err := errors.Join(err, reader.Close()); err != nil || string(first)+string(rest) != before["transcript.jsonl 3"] {
		t.Errorf("a reader that had begun before: %v, %d bytes", err, len(rest)+5)
	}
	if diff := cmp.Diff(before, contents(t, again(t, l), id)); diff != "" {
		t.Errorf("other bytes (-before +packed):\n%s", diff)
	}
	if v := verify(t, again(t, l), check.Options{}); len(v.Findings) > 0 {
		t.Error(said(v))
	}
	e, err := again(t, l).Session(id)
	if err != nil || e.ToPack(tick.Add(30*24*time.Hour)) {
		t.Errorf("it would be packed again: %v", err)
	}
	if c := archive(t, again(t, l), find(t, id, dir)); !c.Unchanged {
		t.Errorf("after packing the same source is %+v", c)
	}
	// Growth goes on from there, and is packed the next time.
	text, _ := os.ReadFile(filepath.Join(dir, "transcript.jsonl"))
	write(t, filepath.Join(dir, "transcript.jsonl"), string(text)+"more\n")
	if c := archive(t, again(t, l), find(t, id, dir)); len(c.Grown) != 1 || c.Bytes != 5 {
		t.Errorf("growth after packing: %+v", c)
	}
	if e, _ := again(t, l).Session(id); !e.ToPack(tick.Add(30 * 24 * time.Hour)) {
		t.Error("it would not be packed after it has grown")
	}
	if _, err := again(t, l).Pack(context.Background(), id); err != nil {
		t.Error(err)
	}
	if v := verify(t, again(t, l), check.Options{}); len(v.Findings) > 0 {
		t.Error(said(v))
	}
}

// What isn't worth it is left as it lies, and is tried once: a segment alone without a look,
// two that would take no fifth less, and large ones.
func TestPackWhatPays(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	large := strings.Repeat(line(rng, 3000), 400)
	for name, arrives := range map[string][]string{
		"alone":        {line(rng, 3000)},
		"nothing less": {line(rng, 3000), line(rng, 3000)},
		"large":        {large, large},
	} {
		t.Run(name, func(t *testing.T) {
			l, dir, text := newLib(t), t.TempDir(), ""
			for _, more := range arrives {
				text += more
				write(t, filepath.Join(dir, "transcript.jsonl"), text)
				archive(t, l, find(t, id, dir))
			}
			before, had := segments(t, l), len(arrives)
			e, err := l.Session(id)
			late := tick.Add(30 * 24 * time.Hour)
			if err != nil || e.ToPack(late) != (had > 1) || before != had {
				t.Fatalf("%d segments, to pack %v: %v", before, e.ToPack(late), err)
			}
			p, err := l.Pack(context.Background(), id)
			if err != nil || p != (Packing{}) || segments(t, l) != before {
				t.Errorf("%+v, %d segments instead of %d: %v", p, segments(t, l), before, err)
			}
			if e, err := again(t, l).Session(id); err != nil || e.ToPack(late) {
				t.Errorf("it would be tried again: %v", err)
			}
		})
	}
}

// A session that was written to while it was packed stays as it is.
func TestPackWhileWritten(t *testing.T) {
	l := newLib(t)
	dir := branching(t, l)
	before := tree(t, l.Dir())
	wrote := false
	disk.Through(l.Dir(), func(op disk.Op, do func() error) error {
		if err := do(); err != nil || wrote || op.Kind != disk.OpSync {
			return err
		}
		wrote = true
		text, _ := os.ReadFile(filepath.Join(dir, "transcript.jsonl"))
		write(t, filepath.Join(dir, "transcript.jsonl"), string(text)+"more\n")
		archive(t, again(t, l), find(t, id, dir))
		before = tree(t, l.Dir())
		return nil
	})
	if _, err := l.Pack(context.Background(), id); err == nil || !wrote {
		t.Errorf("packed over what was written meanwhile: %v", err)
	}
	if diff := cmp.Diff(before, tree(t, l.Dir())); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
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
		if v := verify(t, again(t, l), check.Options{}); len(v.Findings) > 0 {
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
