package library_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
	_ "recall/library/ramdisk"
	"recall/payload"
)

// TestMain lets the test binary be the process that is killed: with
// RECALL_TEST_SYNC set it takes the sessions of one folder into a library.
func TestMain(m *testing.M) {
	if dirs, ok := os.LookupEnv("RECALL_TEST_SYNC"); ok {
		src, lib, _ := strings.Cut(dirs, "|")
		if err := syncAll(src, lib); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// syncAll does what a sync does with every session under src/<project>/<id>:
// archive, place, save what is derived.
func syncAll(src, dir string) error {
	l, err := Create(dir)
	if err != nil {
		return err
	}
	defer l.Close()
	dirs, err := filepath.Glob(filepath.Join(src, "*", "*", "*"))
	if err != nil {
		return err
	}
	return syncDirs(l, dirs)
}

func syncDirs(l *Library, dirs []string) error {
	for _, d := range dirs {
		if err := syncOne(l, d); err != nil {
			return err
		}
	}
	return l.Settle()
}

func syncOne(l *Library, dir string) error {
	id := ingest.SessionID(filepath.Base(dir))
	found := find(panicker{}, string(id), dir)
	if _, err := l.Archive(context.Background(), found); err != nil {
		return err
	}
	e, err := l.Session(id)
	if err != nil {
		return err
	}
	root := filepath.Dir(dir)
	p, err := l.ProjectFor(ingest.Project{Root: root, Name: filepath.Base(root)})
	if err != nil {
		return err
	}
	start := time.Date(2026, 4, 17, 14, 32, 0, 0, time.UTC)
	if err := l.Place(id, Meta{Project: p.ID, Title: "Session of " + filepath.Base(root), Start: start, End: start,
		Settled: true}); err != nil {
		return err
	}
	seen, err := l.Markdown(id)
	if err != nil {
		seen = nil
	}
	made := &payload.Payload{Session: string(id), Made: payload.Provenance{Distiller: "test/1", Input: e.Input}}
	text := []byte(e.Input + "\n")
	transcript := fmt.Appendf(nil, "# T\n\nSession `%s` · claude-code · project billing\n\n%s", id, text)
	return l.SavePayload(id, Derived{Payload: made, Markdown: text, Transcript: slices.Values([][]byte{transcript}),
		Seen: seen})
}

// panicker lets a helper of tests run outside of one.
type panicker struct{ testing.TB }

func (panicker) Helper()           {}
func (panicker) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// Kill -9 at random moments, ten times; the next undisturbed run gives byte
// for byte the library that was never disturbed. Then all of it again for
// sources that have grown.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs processes")
	}
	src, killed, calm := t.TempDir(), filepath.Join(t.TempDir(), "lib"), filepath.Join(t.TempDir(), "lib")
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	var sources []string
	for i := range 16 {
		root := filepath.Join(src, []string{"b", "a"}[i%2], "app") // two projects of one name
		dir := filepath.Join(root, fmt.Sprintf("%04d0000-0000-%04d", i/4, i))
		sources = append(sources, filepath.Join(dir, "transcript.jsonl"))
		write(t, sources[i], line(rng, 1+rng.IntN(2<<20)))
		write(t, filepath.Join(dir, "tool-results", "a.txt"), line(rng, 100))
	}
	for _, phase := range []string{"new", "grown"} {
		took := timeOf(t, func() { run(t, src, calm, 0) })
		died, kills := 0, 4
		if os.Getenv("RECALL_LONG") != "" {
			kills = 10
		}
		for tries := 0; died < kills && tries < 40; tries++ { // each goes on where the last one died
			if !run(t, src, killed, time.Duration(rng.Int64N(int64(took/4)))) {
				died++
			}
		}
		if died < 3 {
			t.Errorf("%s: only %d runs died before they were done", phase, died)
		}
		if !run(t, src, killed, 0) {
			t.Fatal("the last run failed")
		}
		if diff := cmp.Diff(tree(t, calm), tree(t, killed)); diff != "" {
			t.Fatalf("%s: undisturbed and killed differ (-undisturbed +killed):\n%s", phase, diff)
		}
		left, _ := filepath.Glob(filepath.Join(killed, ".*"))
		locks, _ := filepath.Glob(filepath.Join(killed, ".locks", "*"))
		if len(left) > 1 || len(locks) > 1 { // .locks/changes stays
			t.Errorf("%s: left behind: %v %v", phase, left, locks)
		}
		t.Logf("%s: an undisturbed run took %v, %d died", phase, took, died)
		for i, path := range sources {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				text = text[:len(text)/2]
			}
			write(t, path, string(text)+line(rng, 1+rng.IntN(1<<20)))
		}
	}
}

// run syncs in a process of its own and kills it after a while, unless that is
// 0. It reports whether the process ended well.
func run(t *testing.T, src, lib string, kill time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RECALL_TEST_SYNC="+src+"|"+lib)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if kill > 0 {
		stop := time.AfterFunc(kill, func() { cmd.Process.Kill() })
		defer stop.Stop()
	}
	return cmd.Wait() == nil
}

func timeOf(t *testing.T, f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// line is JSON of about n bytes that doesn't compress to nothing.
func line(rng *rand.Rand, n int) string {
	var b strings.Builder
	b.WriteString(`{"text":"`)
	for b.Len() < n {
		fmt.Fprintf(&b, "word%d ", rng.Uint32N(50000))
	}
	b.WriteString("\"}\n")
	return b.String()
}
