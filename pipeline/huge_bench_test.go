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

	"recall/distill/offline"
	"recall/ingest/synth"
	"recall/pipeline"
)

// BenchmarkSyncHuge takes in one session of RECALL_BENCH_MB, and then that session
// with a line more: half of it one line of a tool's result, or records of a kilobyte
// each and nothing else. "again" is how the second compares with the first, "again-cpu"
// by the processor's time: 1 where all is made again. RECALL_BENCH_MB=640 makes the line longer than any that is read.
func BenchmarkSyncHuge(b *testing.B) {
	for name, write := range map[string]func(b *testing.B, root string, size int64) string{"line": writeHuge, "records": writeTiny} {
		b.Run(name, func(b *testing.B) { syncHuge(b, write) })
	}
}

func syncHuge(b *testing.B, write func(b *testing.B, root string, size int64) string) {
	var first, again, saved, firstCPU, againCPU time.Duration
	var most uint64
	for b.Loop() {
		root := b.TempDir()
		path := write(b, root, benchBytes())
		p := open(b, b.TempDir())
		p.Distiller = offline.Distiller{}
		debug.FreeOSMemory() // what writing it took doesn't count
		peak := watchHeap()
		used := cpu()
		first += syncTimed(b, p, root)
		firstCPU += cpu() - used
		appendTo(b, path, oneMore("more"))
		used = cpu()
		again += syncTimed(b, p, root)
		againCPU += cpu() - used
		most = max(most, peak())
		appendTo(b, path, oneMore("most"))
		start := time.Now()
		if _, err := p.Archive(context.Background(), pipeline.ArchiveOptions{From: []string{root}}); err != nil {
			b.Fatal(err)
		}
		saved += time.Since(start)
	}
	n := float64(b.N)
	b.ReportMetric(first.Seconds()/n, "first-s")
	b.ReportMetric(again.Seconds()/n, "again-s")
	b.ReportMetric(saved.Seconds()/n, "archive-again-s")
	b.ReportMetric(firstCPU.Seconds()/n, "first-cpu-s")
	b.ReportMetric(againCPU.Seconds()/n, "again-cpu-s")
	b.ReportMetric(float64(again)/float64(first), "again")
	b.ReportMetric(float64(againCPU)/float64(firstCPU), "again-cpu")
	b.ReportMetric(float64(most)/1e6, "peakMB")
}

func oneMore(uuid string) string {
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":"big","timestamp":"2026-10-05T11:00:00Z","type":"user","message":{"role":"user","content":"We decided to keep the tide cache in process."}}`, uuid) + "\n"
}

func syncTimed(b *testing.B, p *pipeline.Pipeline, root string) time.Duration {
	start := time.Now()
	r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
	if err != nil || r.Skipped() || r.Distilled != 1 {
		b.Fatal(err, r.Distilled, r.Problems)
	}
	return time.Since(start)
}

func writeHuge(b *testing.B, root string, size int64) (path string) {
	all, err := synth.Write(root, synth.Options{Sessions: 1, BytesEach: size / 2, Seed: 7})
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

func appendTo(b *testing.B, path, text string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
