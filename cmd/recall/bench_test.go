package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/index"
	"recall/ingest/synthtest"
	"recall/library"
	"recall/payload"
)

// BenchmarkQueryProcess is `recall query --no-sync` over 10,000 items, and with
// SEARCH_100K=1 over 100,000, as a person waits for it: the whole process, from
// exec to exit. The floor is what `recall version` takes in the same run.
func BenchmarkQueryProcess(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "recall")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	sizes := []int{10_000}
	if os.Getenv("SEARCH_100K") != "" {
		sizes = append(sizes, 100_000)
	}
	for _, n := range sizes {
		b.Run(fmt.Sprintf("items=%d", n), func(b *testing.B) { queryProcess(b, exe, n) })
	}
}

func queryProcess(b *testing.B, exe string, items int) {
	home := b.TempDir()
	b.Setenv("HOME", home)
	b.Setenv("USERPROFILE", home)
	b.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	b.Setenv("LocalAppData", filepath.Join(home, "cache"))
	l, err := library.Create(filepath.Join(home, "Recall"))
	if err != nil {
		b.Fatal(err)
	}
	made := synthtest.Items(items, 1)
	fillIndex(b, app.IndexPath(l), made)
	l.Close()
	var version, query processTimes
	i := 0
	for b.Loop() {
		version.run(b, exe, "version")
		query.run(b, exe, "query", "--no-sync", made[i*7919%len(made)].Question())
		i++
	}
	version.report(b, "version")
	query.report(b, "query")
}

// processTimes are how long runs of a process took: by the clock, and of the
// processor's time.
type processTimes struct{ waited, worked []time.Duration }

func (t *processTimes) run(b *testing.B, exe string, args ...string) {
	cmd := exec.Command(exe, args...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if exit := (&exec.ExitError{}); err != nil && (!asExit(err, &exit) || exit.ExitCode() != app.ExitNothing) {
		b.Fatalf("%v\n%s", err, out)
	}
	t.waited = append(t.waited, time.Since(start))
	t.worked = append(t.worked, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}

func (t *processTimes) report(b *testing.B, what string) {
	ms := func(list []time.Duration) float64 {
		return float64(slices.Sorted(slices.Values(list))[len(list)/2].Microseconds()) / 1000
	}
	b.ReportMetric(ms(t.waited), "p50-ms/"+what)
	b.ReportMetric(ms(t.worked), "p50-cpu-ms/"+what)
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*to = e
	return ok
}

// fillIndex puts made-up items into an index, six to a session, each with a
// turn that says it.
func fillIndex(tb testing.TB, path string, made []synthtest.Item) {
	tb.Helper()
	x, err := index.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer x.Close()
	var docs []index.Doc
	for _, it := range made {
		if n := len(docs); n == 0 || docs[n-1].Session != it.Session {
			docs = append(docs, index.Doc{Session: it.Session, Project: it.Project, Title: it.Text, Source: "claude-code",
				Start: it.At, End: it.At,
				Thread: index.ThreadEntry{ThreadInfo: payload.ThreadInfo{Branch: "main", Start: it.At, End: it.At, Goal: it.Text}}})
		}
		d := &docs[len(docs)-1]
		n := len(d.Turns) + 1
		d.Turns = append(d.Turns, index.Turn{ID: it.Turn, N: n, Role: "user", At: it.At, Text: it.TurnText})
		d.Thread.Items = append(d.Thread.Items, payload.ItemID(it.ID))
		d.Items = append(d.Items, index.Item{Context: it.TurnText, Item: payload.Item{
			ID: payload.ItemID(it.ID), Kind: payload.Kind(it.Kind), Text: it.Text, Why: it.Why, Scope: it.Scope,
			Alternatives: it.Lost,
			By:           payload.ByUser, State: payload.Stands, At: it.At, Evidence: []payload.Evidence{{Turn: it.Turn, N: n,
				Quote: it.Quote}},
		}})
	}
	if err := x.PutAll(context.Background(), docs); err != nil {
		tb.Fatal(err)
	}
	if err := x.Tidy(context.Background()); err != nil {
		tb.Fatal(err)
	}
}
