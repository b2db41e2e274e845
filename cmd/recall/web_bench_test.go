package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/distill/offline"
	"recall/ingest"
	"recall/ingest/synthtest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// BenchmarkWeb is every page of `recall web` over 10,000 sessions with 100,000 items, by HTTP, as a browser waits for
// it: until the first byte, the first time and p95 of those after it; of the processor's time (mean); the largest page;
// and the most memory that the server had by then. To be held are 100 ms, 200 KB and 150 MB; nothing fails by it, since
// a machine may have other work. `recall status` is measured beside it. Making the library takes some minutes:
// WEB_BENCH names a folder that keeps it.
//
//	go test ./cmd/recall -run '^$' -bench Web -benchtime 20x
func BenchmarkWeb(b *testing.B) {
	home := os.Getenv("WEB_BENCH")
	if home == "" {
		home = b.TempDir()
	}
	exe, dir := settle(b, home), filepath.Join(home, "Recall")
	if _, err := os.Stat(dir); err != nil {
		fillLibrary(b, home, dir, 10_000, 10)
		if out, err := exec.Command(exe, "sync").CombinedOutput(); err != nil { // what was seen is remembered
			b.Fatalf("%v\n%s", err, out)
		}
	}
	pages := map[string]string{"home": "/", "ask": "/?q=what+did+we+decide+about+retries+of+failed+uploads",
		"review": "/review", "review-project": "/review?project=p1", "time": "/time", "time-project": "/time?project=p1",
		"sessions": "/sessions", "session": "/session/0000002a-0000-4000-8000-00000000002a", "now": "/now",
		"now-project": "/now?project=p1", "health": "/health"}
	for name, path := range pages {
		b.Run(name, func(b *testing.B) {
			server, get := browse(b, home, dir)
			first, _ := get(path) // what is read once
			var waited []time.Duration
			largest, before := 0, server.worked(b)
			for b.Loop() {
				took, size := get(path)
				waited, largest = append(waited, took), max(largest, size)
			}
			slices.Sort(waited)
			b.ReportMetric(float64(first.Microseconds())/1e3, "first-ms")
			b.ReportMetric(float64(waited[len(waited)*95/100].Microseconds())/1e3, "p95-ms")
			b.ReportMetric(float64((server.worked(b)-before).Microseconds())/1e3/float64(b.N), "cpu-ms")
			b.ReportMetric(float64(largest)/1024, "KB")
			b.ReportMetric(server.memory(b), "MB")
		})
	}
	b.Run("all", func(b *testing.B) {
		server, get := browse(b, home, dir)
		for b.Loop() {
			for _, path := range pages {
				get(path)
			}
		}
		b.ReportMetric(server.memory(b), "MB")
	})
	b.Run("status", func(b *testing.B) {
		var status processTimes
		for b.Loop() {
			status.run(b, exe, "status")
		}
		status.report(b, "status")
	})
}

// BenchmarkWebLarge is a session of some 1,500 turns as a real one has them, in a library of 1 GB of other sessions
// (WEB_BENCH_MB, if that is set): in a server that was just started, which parses it, and once more. 50 ms to the first
// byte and 400 to the last one are to be held.
//
//	go test ./cmd/recall -run '^$' -bench WebLarge -benchtime 5x
func BenchmarkWebLarge(b *testing.B) {
	home := b.TempDir()
	exe := settle(b, home)
	mb, err := strconv.Atoi(cmp.Or(os.Getenv("WEB_BENCH_MB"), "1000"))
	if err != nil {
		b.Fatal(err)
	}
	claude := filepath.Join(home, ".claude")
	_, err = synthtest.Write(claude, synthtest.Options{Sessions: mb / 2, BytesEach: 2_000_000, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	large, err := synthtest.Write(claude, synthtest.Options{Sessions: 1, BytesEach: 12_700_000, Seed: 2})
	if err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command(exe, "sync").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var first, cold, warm, worked time.Duration
	most, size := 0.0, 0
	for b.Loop() {
		server, get := browse(b, home, filepath.Join(home, "Recall"))
		before, begun := server.worked(b), time.Now()
		took, n := get("/session/" + large[0].ID)
		first, cold, size = max(first, took), max(cold, time.Since(begun)), n
		worked, begun = worked+server.worked(b)-before, time.Now()
		get("/session/" + large[0].ID)
		warm, most = max(warm, time.Since(begun)), max(most, server.memory(b))
	}
	b.ReportMetric(float64(first.Milliseconds()), "max-first-byte-ms")
	b.ReportMetric(float64(cold.Milliseconds()), "max-whole-ms")
	b.ReportMetric(float64(warm.Milliseconds()), "max-again-ms")
	b.ReportMetric(float64(worked.Milliseconds())/float64(b.N), "cpu-ms")
	b.ReportMetric(float64(size)/1024, "KB")
	b.ReportMetric(most, "MB")
}

// settle builds recall into a home and has this process live there.
func settle(b *testing.B, home string) (exe string) {
	exe = built(b, filepath.Join(home, "bin", "recall"))
	b.Setenv("PATH", filepath.Dir(exe)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"HOME", "USERPROFILE"} {
		b.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData"} {
		b.Setenv(name, filepath.Join(home, "cache"))
	}
	return exe
}

// server is a process that is looked at from outside; on Linux alone.
type server int

func (s server) read(b *testing.B, name string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s, name))
	if err != nil {
		b.Log(err)
	}
	return string(text)
}

// worked is its processor time up to now, in the steps of 10 ms that the system counts in.
func (s server) worked(b *testing.B) time.Duration {
	_, stat, _ := strings.Cut(s.read(b, "stat"), ") ")
	sum := 0
	if of := strings.Fields(stat); len(of) > 12 {
		for _, ticks := range of[11:13] {
			n, _ := strconv.Atoi(ticks)
			sum += n
		}
	}
	return time.Duration(sum) * 10 * time.Millisecond
}

// memory is the most that was resident, in MB.
func (s server) memory(b *testing.B) float64 {
	most := regexp.MustCompile(`VmHWM:\s*(\d+)`).FindStringSubmatch(s.read(b, "status"))
	if most == nil {
		return 0
	}
	kb, _ := strconv.Atoi(most[1])
	return float64(kb) / 1024
}

// browse runs recall web over a library, and gets its pages: how long the first byte is waited for, and how many
// bytes a page has.
func browse(b *testing.B, home, library string) (server, func(path string) (time.Duration, int)) {
	link, pid := serveWeb(b, home, library)
	at, err := url.Parse(link)
	if err != nil {
		b.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	get := func(path string) (time.Duration, int) {
		start := time.Now()
		res, err := client.Get("http://" + at.Host + path)
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		first, err := res.Body.Read(make([]byte, 1))
		took := time.Since(start)
		rest, bad := io.Copy(io.Discard, res.Body)
		if err != nil && err != io.EOF || bad != nil || res.StatusCode != http.StatusOK {
			b.Fatal(path, res.Status, err, bad)
		}
		return took, first + int(rest)
	}
	get("/?" + at.RawQuery)
	return server(pid), get
}

// fillLibrary makes a library of made-up sessions with so many items each, of fifty projects.
func fillLibrary(b *testing.B, home, dir string, sessions, items int) {
	made := synthtest.Items(sessions*items, 1)
	of := toldItems{of: map[ingest.SessionID][]synthtest.Item{}}
	src := filepath.Join(home, ".claude", "projects") // where pages look whether all is safe
	for i := range sessions {
		told := made[i*items : (i+1)*items]
		var said []string
		for _, it := range told {
			said = append(said, it.TurnText)
		}
		of.of[writeSession(b, filepath.Join(src, fmt.Sprint("p", i%50)), i, said...)] = told
	}
	l, err := library.Create(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	a := &app.App{Console: terminal.Console{Out: io.Discard, Err: io.Discard}}
	if a.Config, err = config.Load(nil, "", config.ThisSystem()); err != nil {
		b.Fatal(err)
	}
	a.Use(l)
	defer a.Close()
	if _, err := a.OpenIndex(); err != nil {
		b.Fatal(err)
	}
	p := a.Pipeline()
	p.Distiller = of
	r, err := p.Sync(b.Context(), pipeline.Options{})
	if err != nil || r.Distilled != sessions {
		b.Fatalf("%d sessions distilled, %d problems, %v", r.Distilled, len(r.Problems), err)
	}
}

// toldItems is the distiller of the program, but for what it finds: items that are known beforehand.
type toldItems struct {
	offline.Distiller
	of map[ingest.SessionID][]synthtest.Item
}

func (d toldItems) Distill(_ context.Context, s *ingest.Session) (*payload.Payload, error) {
	p := &payload.Payload{}
	for i, it := range d.of[s.ID] {
		turn := s.Turns[2*i]
		p.Items = append(p.Items, payload.Item{Kind: payload.Kind(it.Kind), Text: it.Text, Why: it.Why,
			Alternatives: it.Lost, About: []string{it.About}, By: payload.ByUser, Maker: payload.ByRule,
			State: payload.Stands, At: turn.At,
			Evidence: []payload.Evidence{{Turn: string(turn.ID), N: turn.N, Quote: it.Quote}}})
	}
	return p, nil
}
