package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"recall/index"
	"recall/ingest/synth"
	"recall/library"
	"recall/payload"
)

// BenchmarkQueryProcess is `recall query --no-sync` over 10,000 items as a
// person waits for it: the whole process, from exec to exit. The floor is what
// `recall version` takes in the same run.
func BenchmarkQueryProcess(b *testing.B) {
	home := b.TempDir()
	b.Setenv("HOME", home)
	b.Setenv("USERPROFILE", home)
	b.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	b.Setenv("LocalAppData", filepath.Join(home, "cache"))
	l, err := library.Create(filepath.Join(home, "Recall"))
	if err != nil {
		b.Fatal(err)
	}
	made := synth.Items(10_000, 1)
	fillIndex(b, indexPath(l), made)
	l.Close()
	exe := filepath.Join(b.TempDir(), "recall")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var floor time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		if err := exec.Command(exe, "version").Run(); err != nil {
			b.Fatal(err)
		}
		floor += time.Since(start)
		out, err := exec.Command(exe, "query", "--no-sync", made[i*7919%len(made)].Question()).CombinedOutput()
		if exit := (&exec.ExitError{}); err != nil && (!asExit(err, &exit) || exit.ExitCode() != exitNothing) {
			b.Fatalf("%v\n%s", err, out)
		}
		i++
	}
	b.ReportMetric(float64(floor.Microseconds())/1e3/float64(b.N), "ms/version")
	b.ReportMetric(float64((b.Elapsed()-floor).Microseconds())/1e3/float64(b.N), "ms/query")
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*to = e
	return ok
}

// fillIndex puts made-up items into an index, six to a session, each with a
// turn that says it.
func fillIndex(tb testing.TB, path string, made []synth.Item) {
	tb.Helper()
	x, err := index.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer x.Close()
	var docs []index.Doc
	for _, it := range made {
		if n := len(docs); n == 0 || docs[n-1].Session != it.Session {
			docs = append(docs, index.Doc{Session: it.Session, Project: it.Project, Title: it.Text, Source: "claude-code", Start: it.At, End: it.At,
				Thread: index.Threaded{ThreadInfo: payload.ThreadInfo{Branch: "main", Start: it.At, End: it.At, Goal: it.Text}}})
		}
		d := &docs[len(docs)-1]
		n := len(d.Turns) + 1
		d.Turns = append(d.Turns, index.Turn{ID: it.Turn, N: n, Role: "user", At: it.At, Text: it.TurnText})
		d.Thread.Items = append(d.Thread.Items, payload.ItemID(it.ID))
		d.Items = append(d.Items, index.Item{Context: it.TurnText, Item: payload.Item{
			ID: payload.ItemID(it.ID), Kind: payload.Kind(it.Kind), Text: it.Text, Why: it.Why, Scope: it.Scope, Alternatives: it.Lost,
			By: payload.ByUser, State: payload.Stands, At: it.At, Evidence: []payload.Evidence{{Turn: it.Turn, N: n, Quote: it.Quote}},
		}})
	}
	if err := x.PutAll(context.Background(), docs); err != nil {
		tb.Fatal(err)
	}
	if err := x.Tidy(context.Background()); err != nil {
		tb.Fatal(err)
	}
}
