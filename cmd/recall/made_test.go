package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/index"
	"recall/ingest"
	"recall/ingest/synthtest"
	"recall/payload"
)

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
			ID: payload.ItemID(it.ID), Kind: payload.Kind(it.Kind), Text: it.Text, Why: it.Why,
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

// writeSession writes a made-up transcript of what somebody said, each with a short answer; of one sentence where
// nothing is given.
func writeSession(tb testing.TB, dir string, n int, said ...string) ingest.SessionID {
	tb.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	if len(said) == 0 {
		said = []string{fmt.Sprintf("Let's take option %d, because it is simpler.", n)}
	}
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n)
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 37 * time.Minute)
	parent := "null"
	var b strings.Builder
	line := func(uuid, kind, message string) {
		fmt.Fprintf(&b, `{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":%q,"cwd":"/home/ann/%s",`+
			`"version":"2.1.200","gitBranch":"main","isSidechain":false,"userType":"external","message":%s}`+"\n",
			kind, uuid, parent, id, at.Format(time.RFC3339), filepath.Base(dir), message)
		parent, at = fmt.Sprintf("%q", uuid), at.Add(time.Minute)
	}
	for i, text := range said {
		line(fmt.Sprintf("%s-u%d", id[:8], i), "user", fmt.Sprintf(`{"role":"user","content":%q}`, text))
		line(fmt.Sprintf("%s-a%d", id[:8], i), "assistant",
			fmt.Sprintf(`{"id":"m%d-%d","type":"message","role":"assistant","model":"claude-opus-4-7","content":[{"type":"text",`+
				`"text":"Noted."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`, n, i))
	}
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return ingest.SessionID(id)
}
