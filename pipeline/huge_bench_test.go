package pipeline_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/synthtest"
	"recall/pipeline"
)

// BenchmarkSyncHuge takes in one session of RECALL_BENCH_MB, and then that session
// with a line more: half of it one line of a tool's result, or records of a kilobyte
// each and nothing else. "grown" is how a sync with that line compares with the first, by the
// processor's time, and "again" one that makes all of the session again, as
// once in a while; below 130 MB each does. RECALL_BENCH_MB=640 makes the line longer than any that is read.
func BenchmarkSyncHuge(b *testing.B) {
	for name, write := range map[string]func(b *testing.B, root string, size int64) string{"line": writeHuge,
		"records": writeTiny} {
		b.Run(name, func(b *testing.B) { syncHuge(b, write) })
	}
}

func syncHuge(b *testing.B, write func(b *testing.B, root string, size int64) string) {
	var first, grown, again time.Duration
	var most uint64
	for b.Loop() {
		root := b.TempDir()
		path := write(b, root, benchBytes())
		p := open(b, b.TempDir())
		p.Roots = map[ingest.Source][]string{ingest.ClaudeCode: {root}, ingest.Cowork: {}}
		debug.FreeOSMemory() // what writing it took doesn't count
		peak := watchHeap()
		first += syncTimed(b, p)
		appendText(b, path, oneMore("more"))
		grown += syncTimed(b, p)
		appendText(b, path, oneMore("most"))
		p.Now = func() time.Time { return time.Now().Add(time.Hour) }
		again += syncTimed(b, p)
		most = max(most, peak())
	}
	b.ReportMetric(first.Seconds()/float64(b.N), "first-cpu-s")
	b.ReportMetric(float64(grown)/float64(first), "grown")
	b.ReportMetric(float64(again)/float64(first), "again")
	b.ReportMetric(float64(most)/1e6, "peakMB")
}

func oneMore(uuid string) string {
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":"big","timestamp":"2026-10-05T11:00:00Z","type":"user","message":{"role":"user","content":"We decided to keep the tide cache in process."}}`, uuid) + "\n"
}

// syncTimed returns the processor's time that a sync takes.
func syncTimed(b *testing.B, p *pipeline.Pipeline) time.Duration {
	used := cpu()
	r, err := p.Sync(context.Background(), pipeline.Options{})
	if err != nil || r.Skipped() || r.Distilled+r.Left != 1 {
		b.Fatal(err, r.Distilled, r.Problems)
	}
	return cpu() - used
}

func writeHuge(b *testing.B, root string, size int64) (path string) {
	all, err := synthtest.Write(root, synthtest.Options{Sessions: 1, BytesEach: size / 2, Seed: 7})
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.OpenFile(all[0].Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, `{"uuid":"big","parentUuid":null,"sessionId":%q,"timestamp":"2026-10-05T10:00:00Z","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"none","content":"`, all[0].ID)
	for n := range size / 2 / 32 {
		fmt.Fprintf(w, `line %018d of it\n`, n)
	}
	fmt.Fprint(w, `"}]}}`+"\n")
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return all[0].Path
}

// writeTiny writes records of a kilobyte, more than any person or model would say.
func writeTiny(b *testing.B, root string, size int64) (path string) {
	path = filepath.Join(root, "-home-mira-src-tidewater", "cccccccc-0000-4000-8000-000000000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	parent := "null"
	for n := range size / 1000 {
		who := []string{"user", "assistant"}[n%2]
		text := fmt.Sprintf("Record %d says that gauge %d of the harbour reads %d. ", n, n%977, n*7%1013)
		for k := range 40 {
			text += fmt.Sprintf("word%d of%d ", (n*131+int64(k)*17)%5003, (n+int64(k))%313)
		}
		fmt.Fprintf(w, `{"uuid":"u%07d","parentUuid":%s,"sessionId":"cccccccc-0000-4000-8000-000000000001","cwd":"/home/mira/src/tidewater","version":"2.1.0","timestamp":%q,"type":%q,"message":{"id":"m%d","role":%q,"content":[{"type":"text","text":%q}]}}`+"\n",
			n, parent, day.Add(time.Duration(n)*time.Second).Format(time.RFC3339), who, n, who, text)
		parent = fmt.Sprintf(`"u%07d"`, n)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		b.Fatal(err)
	}
	return path
}
