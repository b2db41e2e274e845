package pipeline_test

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"recall/distill"
	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/ingest/synthtest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// open makes a pipeline over a new library in a folder.
func open(tb testing.TB, dir string) *pipeline.Pipeline {
	tb.Helper()
	l, err := library.Create(filepath.Join(dir, "Recall"))
	if err != nil {
		tb.Fatal(err)
	}
	cache := filepath.Join(dir, "cache")
	l.KeepListIn(cache)
	tb.Cleanup(func() { l.Close() })
	x, err := index.Open(filepath.Join(cache, "index.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	return &pipeline.Pipeline{
		Archiver: pipeline.Archiver{Library: l, Cache: cache,
			Sources: pipeline.Sources{Readers: []ingest.Reader{claudecode.Reader{}, cowork.Reader{}}}},
		Index: x, Distiller: offline.Distiller{}, Who: "ann",
	}
}

// BenchmarkSync takes a folder of transcripts in and compares that with
// reading, hashing and compressing the same bytes in the same run (ratio; at
// most 3), which takes one core. The same of the processor's time (cpu-ratio)
// says more on a machine that does other things too. RECALL_BENCH_MB sets the
// size: 1000 for the figure that is quoted.
func BenchmarkSync(b *testing.B) { benchmarkSync(b, madeUp(b), offline.Distiller{}) }

// BenchmarkSyncUndistilled is the same with a distiller that finds nothing:
// what all the rest costs.
func BenchmarkSyncUndistilled(b *testing.B) { benchmarkSync(b, madeUp(b), silent{}) }

// silent distills nothing out of anything.
type silent struct{}

func (silent) Name() string { return "silent/1" }

func (silent) Distill(context.Context, *ingest.Session) (*payload.Payload, error) {
	return &payload.Payload{}, nil
}

// benchBytes is how much is taken in.
func benchBytes() int64 {
	mb := 64
	if s := os.Getenv("RECALL_BENCH_MB"); s != "" {
		mb, _ = strconv.Atoi(s)
	}
	return int64(mb) << 20
}

func madeUp(b *testing.B) (root string) {
	const each = 4 << 20
	root = b.TempDir()
	if _, err := synthtest.Write(root, synthtest.Options{Sessions: max(1, int(benchBytes()/each)), BytesEach: each,
		Seed: 1}); err != nil {
		b.Fatal(err)
	}
	return root
}

// BenchmarkSyncSmall takes in many small sessions, which cost by the file made rather than by
// the byte. It reports the CPU time, the library's files and its bytes in whole blocks of
// 4 KB, each a session.
func BenchmarkSyncSmall(b *testing.B) {
	const each = 36 << 10
	root := b.TempDir()
	n := max(1, int(benchBytes()/each))
	if _, err := synthtest.Write(root, synthtest.Options{Sessions: n, BytesEach: each, Seed: 3}); err != nil {
		b.Fatal(err)
	}
	p := benchmarkSync(b, root, offline.Distiller{})
	files, blocks := 0, int64(0)
	for _, dir := range []string{p.Library.Dir(), p.Cache} {
		err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") { // while recall runs
				err = filepath.SkipDir
			}
			if err != nil {
				return err
			}
			fi, err := d.Info()
			if err == nil && dir != p.Cache && !d.IsDir() {
				files++
			}
			if err == nil {
				blocks += max(1, (fi.Size()+4095)/4096)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(files)/float64(n), "files/session")
	b.ReportMetric(float64(blocks)*4096/float64(n*each)*100, "%-of-sources")
}

func benchmarkSync(b *testing.B, root string, d distill.Distiller) (p *pipeline.Pipeline) {
	var plain, whole, plainCPU, wholeCPU time.Duration
	var bytes int64
	peak := watchHeap()
	for b.Loop() {
		start, used := time.Now(), cpu()
		bytes = readHashCompress(b, root)
		plain, plainCPU = plain+time.Since(start), plainCPU+cpu()-used
		p = open(b, b.TempDir())
		p.Distiller = d
		start, used = time.Now(), cpu()
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
		whole, wholeCPU = whole+time.Since(start), wholeCPU+cpu()-used
		if err != nil || r.Skipped() {
			b.Fatal(err, r.Problems)
		}
	}
	b.ReportMetric(float64(whole)/float64(plain), "ratio")
	b.ReportMetric(float64(wholeCPU)/float64(plainCPU), "cpu-ratio")
	b.ReportMetric(float64(bytes)/1e6*float64(b.N)/whole.Seconds(), "syncMB/s")
	b.ReportMetric(float64(bytes)/1e6*float64(b.N)/plain.Seconds(), "plainMB/s")
	b.ReportMetric(float64(peak())/1e6, "peakMB")
	b.ReportMetric(wholeCPU.Seconds()/float64(b.N), "cpu-s")
	return p
}

// readHashCompress is the least that archiving could cost, on one core.
func readHashCompress(b *testing.B, root string) int64 {
	enc, err := zstd.NewWriter(io.Discard, zstd.WithEncoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	var total int64
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		enc.Reset(io.Discard)
		n, err := io.Copy(io.MultiWriter(h, enc), f)
		total += n
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	enc.Close()
	return total
}

// watchHeap samples the memory that Go holds; the answer is the most that was
// seen.
func watchHeap() func() uint64 {
	stop, out := make(chan struct{}), make(chan uint64)
	go func() {
		var most uint64
		held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		for {
			metrics.Read(held) // unlike runtime.ReadMemStats, it stops nobody
			most = max(most, held[0].Value.Uint64()-held[1].Value.Uint64())
			select {
			case <-stop:
				out <- most
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); return <-out }
}

// BenchmarkSyncNothingNew is a sync over 10,000 sessions that are all known:
// metadata alone, under 300 ms.
func BenchmarkSyncNothingNew(b *testing.B) {
	root := b.TempDir()
	if _, err := synthtest.Write(root, synthtest.Options{Sessions: 10_000, BytesEach: 2 << 10, Seed: 2}); err != nil {
		b.Fatal(err)
	}
	p := open(b, b.TempDir())
	p.Distiller = silent{}
	if _, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{root}})
		if err != nil || r.New+r.Grown+r.Indexed != 0 || r.Found != 10_000 {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}
