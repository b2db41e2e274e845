package pipeline_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index"
	"recall/ingest"
	_ "recall/library/ramdisk"
	"recall/pipeline"
)

// TestMain lets the test binary be a process of its own: with
// RECALL_TEST_PIPELINE set it syncs one folder into the library of another and
// prints how many megabytes of memory it held at most.
func TestMain(m *testing.M) {
	if dirs, ok := os.LookupEnv("RECALL_TEST_PIPELINE"); ok {
		root, dir, _ := strings.Cut(dirs, "|")
		if err := syncChild(root, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// go keeps no list of the files that these tests open: reading it takes five seconds.
	flag.Parse()
	flag.Set("test.testlogfile", "")
	os.Exit(m.Run())
}

func syncChild(root, dir string) error {
	peak := watchHeap()
	defer func() { fmt.Println(peak() / 1e6) }()
	p := open(panicker{}, dir)
	if os.Getenv("RECALL_TEST_SILENT") != "" {
		p.Distiller = silent{}
	}
	r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
	if err == nil && r.Skipped() {
		err = fmt.Errorf("skipped: %v", r.Problems)
	}
	return errors.Join(err, p.Index.Close(), p.Library.Close())
}

// panicker lets a helper of tests run outside of one.
type panicker struct{ testing.TB }

func (panicker) Helper()           {}
func (panicker) Cleanup(func())    {}
func (panicker) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// crowd is the related sessions and a few more, some of them forks.
func crowd() []talk {
	all := related()
	for i := range 24 {
		k := talk{id: fmt.Sprintf("7%07d-0000-4000-8000-000000000001", i), start: day.Add(time.Duration(i) * time.Hour),
			said: []string{fmt.Sprintf("Use port %d instead of the default one for service %d, because the other is taken.",
				4000+i, i), "Done."}}
		all = append(all, k)
		if i%6 == 0 {
			f := talk{id: fmt.Sprintf("8%07d-0000-4000-8000-000000000001", i), start: k.start, fork: &k, turns: 2,
				said: append(append([]string{}, k.said...), "Also never expose it to the outside.", "It isn't.")}
			all = append(all, f)
		}
	}
	return all
}

// Cancelled anywhere, a sync says so, leaves nothing running, and the next one
// completes what it left.
func TestCancelled(t *testing.T) {
	root := t.TempDir()
	want := arrive(t, root, [][]talk{crowd()})
	before := runtime.NumGoroutine()
	p := open(t, t.TempDir())
	stages := map[string]bool{}
	for stop := 1; ; stop += 3 {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		p.Progress = func(s pipeline.Progress) {
			if n++; n == stop {
				stages[s.Stage] = true
				cancel()
			}
		}
		_, err := p.Sync(ctx, pipeline.Options{From: []string{root}})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at the %dth step: %v", stop, err)
		}
	}
	if len(stages) != 2 {
		t.Errorf("it was cancelled in %v, want both stages", stages)
	}
	p.Progress = nil
	syncAll(t, p, root)
	if d := cmp.Diff(want, tree(t, p.Library.Dir())); d != "" {
		t.Errorf("(-at once +cancelled again and again): %s", d)
	}
	for range 6000 { // those of the database end by themselves
		if runtime.NumGoroutine() <= before+4 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
}

// A context that is done before the sync begins.
func TestCancelledBefore(t *testing.T) {
	root := t.TempDir()
	first.write(t, root)
	p := open(t, t.TempDir())
	p.Roots = map[ingest.Source][]string{ingest.ClaudeCode: {root}, ingest.Cowork: nil}
	if _, err := p.Sync(context.Background(), pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	want := tree(t, p.Library.Dir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Sync(ctx, pipeline.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
	if d := cmp.Diff(want, tree(t, p.Library.Dir())); d != "" {
		t.Errorf("a cancelled sync changed the library, as if sources were gone: %s", d)
	}
}

// A transcript that is written to during syncs: in the end all of it is there.
func TestGrowingSource(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	k := first
	k.write(t, root)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			k.said = append(k.said, fmt.Sprintf("Keep the logs of service %d for 30 days.", i), "Done.")
			k.write(t, root)
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	for range 8 {
		if _, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}}); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-done
	r := syncAll(t, p, root)
	e, err := p.Library.Session(ingest.SessionID(first.id))
	if err != nil || e.Turns != len(k.said) {
		t.Errorf("%d turns, %v, want %d; report %+v", e.Turns, err, len(k.said), r)
	}
}

// An index that can't be written ends the sync with an error, soon and with
// nothing left running, also when the time is up at that moment; the next sync
// makes good for it.
func TestIndexThatFails(t *testing.T) {
	root := t.TempDir()
	want := arrive(t, root, [][]talk{crowd()})
	for _, budget := range []time.Duration{0, time.Second} {
		p := open(t, t.TempDir())
		good := p.Index
		ctx, cancel := context.WithCancel(context.Background())
		p.Progress = func(s pipeline.Progress) {
			if s.Stage == "archive" && s.Done == s.Total {
				cancel()
			}
		}
		if _, err := p.Sync(ctx, pipeline.Options{From: []string{root}}); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		closed := false
		p.Progress = func(s pipeline.Progress) {
			if s.Stage == "distill" && !closed {
				closed = true
				good.Close()
				time.Sleep(budget)
			}
		}
		if _, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}, Budget: budget}); err == nil {
			t.Fatal("a sync without an index went well")
		}
		var err error
		if p.Index, err = index.Open(filepath.Join(p.Cache, "index.db")); err != nil {
			t.Fatal(err)
		}
		defer p.Index.Close()
		p.Progress = nil
		r := syncAll(t, p, root)
		stamps, err := p.Index.Stamps(context.Background())
		if err != nil || len(stamps) != len(crowd()) {
			t.Errorf("budget %v: %d sessions indexed, %v, want %d; %+v", budget, len(stamps), err, len(crowd()), r)
		}
		if d := cmp.Diff(want, tree(t, p.Library.Dir())); d != "" {
			t.Errorf("budget %v: %s", budget, d)
		}
	}
}
