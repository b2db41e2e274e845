package pipeline_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"recall/distill/offline"
	"recall/ingest/synth"
	"recall/pipeline"
)

// BenchmarkSyncHuge takes in one session of RECALL_BENCH_MB, half of which is the
// one line of a tool's result, and then that session with a line more. "again" is how
// the second compares with the first: 1 where all is made again. RECALL_BENCH_MB=640
// makes the line longer than any that is read.
func BenchmarkSyncHuge(b *testing.B) {
	var first, again, saved time.Duration
	var most uint64
	for b.Loop() {
		root := b.TempDir()
		path := writeHuge(b, root, benchBytes())
		p := open(b, b.TempDir())
		p.Distiller = offline.Distiller{}
		peak := watchHeap()
		first += syncTimed(b, p, root)
		appendTo(b, path, `{"uuid":"more","parentUuid":"big","timestamp":"2026-10-05T11:00:00Z","type":"user","message":{"role":"user","content":"We decided to keep the tide cache in process."}}`+"\n")
		start := time.Now()
		if _, err := p.Archive(context.Background(), pipeline.ArchiveOptions{From: []string{root}}); err != nil {
			b.Fatal(err)
		}
		saved += time.Since(start)
		again += syncTimed(b, p, root)
		most = max(most, peak())
	}
	n := float64(b.N)
	b.ReportMetric(first.Seconds()/n, "first-s")
	b.ReportMetric(saved.Seconds()/n, "archive-again-s")
	b.ReportMetric(again.Seconds()/n, "sync-again-s")
	b.ReportMetric(float64(again)/float64(first), "again")
	b.ReportMetric(float64(most)/1e6, "peakMB")
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
