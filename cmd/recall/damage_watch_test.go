package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/demo"
	"recall/cmd/recall/keep"
	"recall/cmd/recall/terminal"
)

// damages are what may happen to an index.
var damages = []struct {
	name string
	do   func(t *testing.T, path string)
	says string // by who watches on, if it can't but see it
}{
	{"torn off", func(t *testing.T, path string) { cutAt(t, path, 3) }, ""},
	{"emptied", func(t *testing.T, path string) { cutAt(t, path, 0) }, "emptied or replaced"},
	{"overwritten", func(t *testing.T, path string) {
		if err := os.WriteFile(path, bytes.Repeat([]byte("no index "), 9000), 0o600); err != nil {
			t.Fatal(err)
		}
	}, ""},
	{"with a flipped bit where it is written", func(t *testing.T,
		path string) {
		spoilTables(t, path, "session", "item", "stamp")
	}, ""},
	{"with a flipped bit in its lists of words", func(t *testing.T, path string) { spoilTables(t, path, "words_data") }, ""},
	{"with a flipped bit in its links", func(t *testing.T, path string) { spoilTables(t, path, "link", "due") }, ""},
	{"gone", func(t *testing.T, path string) { removeAll(t, path) }, "removed, emptied or replaced"},
	{"a folder", func(t *testing.T, path string) {
		removeAll(t, path)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}, "removed, emptied or replaced"},
	{"another one made meanwhile", func(t *testing.T, path string) {
		removeAll(t, path)
		mustRun(t, "query", "--no-sync", "retries")
	}, "removed, emptied or replaced"},
}

// sampled are all of them, or where tests are to be quick, two: one that shows at once, and
// one in what is read later.
func sampled[T any](all []T) []T {
	if os.Getenv("RECALL_LONG") != "" {
		return all
	}
	return []T{all[1], all[4]}
}

// cutAt leaves so many of the quarters of a file.
func cutAt(t *testing.T, path string, quarters int64) {
	t.Helper()
	fi, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, fi.Size()*quarters/4)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, path string) {
	t.Helper()
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

// gathered is what several goroutines print, and waits for words.
type gathered struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *gathered) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *gathered) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until so many lines speak of one of the words.
func (s *gathered) wait(t *testing.T, words string, times int) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^.*(?:` + words + `).*$`)
	for end := time.Now().Add(15 * time.Second); len(line.FindAllString(s.String(),
		-1)) < times; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q wasn't said %d times:\n%s", words, times, s)
		}
	}
}

// watched is a library that recall sync --watch is to look after.
type watched struct {
	t      *testing.T
	claude string
	config string
	n      int // of sessions written
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LocalAppData", "AppData", "USERPROFILE"} {
		t.Setenv(name, home)
	}
	claude, cowork, err := demo.Write(filepath.Join(home, "sources"))
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{t: t, claude: claude, config: filepath.Join(home, "config.yaml")}
	t.Setenv("RECALL_CONFIG", w.config)
	if err := os.WriteFile(w.config, []byte("sources:\n  claude_code: ["+claude+"]\n  cowork: ["+cowork+"]\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "sync")
	mustRun(t, "archive") // else the first look packs, and the next one waits twenty times as long
	return w
}

// index is the index's file.
func (w *watched) index() string {
	w.t.Helper()
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(w.config), "recall", "*", "index.db"))
	if err != nil || len(paths) != 1 {
		w.t.Fatalf("got %d indexes, %v; want one", len(paths), err)
	}
	return paths[0]
}

// session writes a session in which something new is decided, as long ago as
// that it is quiet, and returns what is asked about it.
func (w *watched) session() string {
	w.t.Helper()
	w.n++
	id := fmt.Sprintf("5f1c0000-0000-4000-8000-%012d", w.n)
	thing := []string{"pigeons", "lighthouses", "bagpipes"}[w.n%3]
	line := fmt.Sprintf(`{"type":"user","uuid":"u%d","sessionId":%q,"cwd":"/w/post",`+
		`"timestamp":"2026-10-%02dT10:00:00Z","message":{"role":"user","content":"We decided to send the invoices by %s,`+
		` because they don't need the gateway."}}`+"\n", w.n, id, w.n, thing)
	path := filepath.Join(w.claude, "projects", "-w-post", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		w.t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		w.t.Fatal(err)
	}
	return "are invoices sent by " + thing + "?"
}

// sound reports whether the index answers for what is old and new, of itself.
func (w *watched) sound(questions ...string) {
	w.t.Helper()
	for _, q := range append(questions, "do workers poll the jobs table?") {
		var out, messages bytes.Buffer
		if code := run(w.t.Context(), []string{"query", "--no-sync", q}, strings.NewReader(""), &out,
			&messages); code != app.ExitOK || messages.Len() > 0 {
			w.t.Errorf("%s: got exit code %d\n%s%s", q, code, &out, &messages)
		}
	}
	var out bytes.Buffer
	if code := run(w.t.Context(), []string{"sync"}, strings.NewReader(""), io.Discard, &out); code != app.ExitOK ||
		out.Len() > 0 {
		w.t.Errorf("a sync after it: got exit code %d\n%s", code, &out)
	}
	if code := run(w.t.Context(), []string{"check"}, strings.NewReader(""), &out, &out); code != app.ExitOK {
		w.t.Errorf("verify: got exit code %d\n%s", code, &out)
	}
}

// Damaged before it starts, the index is made again by recall sync --watch, and
// what is new is in it.
func TestWatchBeginsWithDamage(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("skipped: -short, or no signals and no removing of what is open")
	}
	for _, d := range sampled(damages[:8]) {
		t.Run(d.name, func(t *testing.T) {
			w := newWatched(t)
			d.do(t, w.index())
			question := w.session()
			cmd := recallCmd(t, filepath.Dir(w.config), "sync", "--watch")
			cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+filepath.Dir(w.config), "LocalAppData="+filepath.Dir(w.config))
			var out gathered
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			out.wait(t, "13 indexed", 1)
			cmd.Process.Signal(os.Interrupt)
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v:\n%s", err, &out)
			}
			w.sound(question)
			if t.Failed() {
				t.Logf("it said:\n%s", &out)
			}
		})
	}
}

// So it does with an index that is damaged while it runs.
func TestWatchMeetsDamage(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("skipped: -short, or no signals and no removing of what is open")
	}
	for _, d := range sampled(damages) {
		t.Run(d.name, func(t *testing.T) {
			w := newWatched(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out gathered
			a := &app.App{Console: terminal.Console{In: strings.NewReader(""), Out: &out, Err: &out},
				ConfigFile: w.config,
				Quiet:      300 * time.Millisecond}
			defer a.Close()
			cmd := &cobra.Command{}
			cmd.SetContext(ctx)
			ended := make(chan error, 1)
			go func() { ended <- keep.Watch(cmd.Context(), a) }()
			first := w.session()
			out.wait(t, " distilled", 1)
			d.do(t, w.index())
			second := w.session()
			out.wait(t, " distilled| indexed", 2) // where the damage showed as it was put in, it is but indexed again
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("it ended with %v", err)
			}
			if !strings.Contains(out.String(), d.says) {
				t.Errorf("it didn't say %q", d.says)
			}
			if d.says == "" { // it may have it in memory; who asks next sees it
				mustRun(t, "query", first)
				mustRun(t, "sync")
			}
			w.sound(first, second)
			if t.Failed() {
				t.Logf("it said:\n%s", &out)
			}
		})
	}
}
