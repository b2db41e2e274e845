package library_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"recall/ingest"
	. "recall/library"
	"recall/library/check"
)

// BenchmarkArchive compares taking sessions in with reading, hashing and
// compressing the same bytes. The ratio must stay below 3.
func BenchmarkArchive(b *testing.B) {
	for _, c := range []struct {
		name         string
		n, each, sub int // sessions, bytes of a transcript, side files of 2 KB
	}{{"100x1MB", 100, 1 << 20, 3}, {"1x200MB", 1, 200 << 20, 0}, {"300x20KB", 300, 20 << 10, 5}} {
		b.Run(c.name, func(b *testing.B) {
			src := b.TempDir()
			rng := rand.New(rand.NewPCG(1, 2))
			var found []ingest.Found
			var total int64
			for i := range c.n {
				id := fmt.Sprintf("%08x-0000", i)
				dir := filepath.Join(src, id)
				writeLines(b, filepath.Join(dir, "transcript.jsonl"), rng, c.each)
				for j := range c.sub {
					write(b, filepath.Join(dir, "tool-results", fmt.Sprint(j)), line(rng, 2<<10))
				}
				f := find(b, id, dir)
				for _, file := range f.Files {
					total += file.Size
				}
				found = append(found, f)
			}
			b.SetBytes(total)
			var plain, ours time.Duration
			for b.Loop() {
				start := time.Now()
				baseline(b, found)
				plain += time.Since(start)
				b.StopTimer()
				l := newLib(b)
				b.StartTimer()
				start = time.Now()
				for _, f := range found {
					if _, err := l.Archive(context.Background(), f); err != nil {
						b.Fatal(err)
					}
				}
				ours += time.Since(start)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(ours)/float64(plain), "times-baseline")
			b.ReportMetric(float64(m.Sys)/(1<<20), "MB-from-system")
		})
	}
}

// writeLines makes a transcript of n bytes without textSearch it.
func writeLines(b *testing.B, path string, rng *rand.Rand, n int) {
	write(b, path, "")
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for n > 0 {
		m, err := f.WriteString(line(rng, min(n, 100<<10)))
		if err != nil {
			b.Fatal(err)
		}
		n -= m
	}
}

// baseline reads, hashes and compresses every file, and keeps nothing.
func baseline(b *testing.B, found []ingest.Found) {
	enc, err := zstd.NewWriter(io.Discard, zstd.WithEncoderConcurrency(1))
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range found {
		for _, file := range f.Files {
			r, err := os.Open(file.Path)
			if err != nil {
				b.Fatal(err)
			}
			enc.Reset(io.Discard)
			h := sha256.New()
			if _, err := io.Copy(io.MultiWriter(h, enc), r); err != nil {
				b.Fatal(err)
			}
			enc.Close()
			r.Close()
		}
	}
}

// manySessions makes a library of n sessions without going through Archive.
func manySessions(b *testing.B, n int) (*Library, []ingest.Found) {
	l := newLib(b)
	m := meta(b, l, "Fix duplicate jobs in ProcessQueue")
	var found []ingest.Found
	for i := range n {
		e := Entry{ID: ingest.SessionID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", i)), Source: ingest.ClaudeCode,
			Root: "/home/ann/.claude/projects", Meta: m}
		e.Title = fmt.Sprintf("%s %d", m.Title, i)
		e.Named = e.Title
		e.Start = m.Start.Add(time.Duration(i) * time.Minute)
		f := ingest.Found{ID: e.ID, Source: e.Source, Root: e.Root}
		for _, name := range []string{"transcript.jsonl", "subagents/agent-a1b2c3.jsonl"} {
			path := e.Root + "/-home-ann-billing/" + string(e.ID) + "/" + name
			e.Files = append(e.Files, FileState{Name: name, Role: ingest.Transcript, Version: 1, Size: 1000,
				Sum:     fmt.Sprintf("%064x", i),
				Sources: []SourceState{{Path: path, Size: 1000, Mod: m.Start, Version: 1}}})
			f.Files = append(f.Files, ingest.File{Name: name, Path: path, Size: 1000, Mod: m.Start})
		}
		FinishEntry(&e)
		e.Heads = []string{fmt.Sprintf("%032x", i), fmt.Sprintf("t:%032x", i)}
		e.Folder = filepath.Join(l.Dir(), "billing", FolderName(e))
		os.MkdirAll(e.Folder, 0o700)
		text, err := EntryText(e, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(SessionFile(e.Folder), text, 0o600); err != nil {
			b.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		os.Chtimes(SessionFile(e.Folder), old, old)
		found = append(found, f)
	}
	return l, found
}

// BenchmarkSessions lists 10,000 sessions as a new process does: with the
// cached list, and without it.
func BenchmarkSessions(b *testing.B) {
	l, found := manySessions(b, 10_000)
	cache := b.TempDir()
	list := func(b *testing.B, cache string) *Library {
		l, err := Open(l.Dir())
		if err != nil {
			b.Fatal(err)
		}
		l.KeepListIn(cache)
		all, err := l.Sessions()
		if err != nil || len(all) != 10_000 {
			b.Fatal(len(all), err)
		}
		return l
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			list(b, "")
		}
	})
	if err := list(b, cache).Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			list(b, cache)
		}
	})
	b.Run("idle-archive", func(b *testing.B) {
		for b.Loop() {
			l := list(b, cache)
			for _, f := range found {
				if c, err := l.Archive(context.Background(), f); err != nil || !c.Unchanged {
					b.Fatal(c, err)
				}
			}
			if err := l.Settle(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkVerify compares re-reading and re-hashing a library with sha256sum
// over the sources' bytes, in the same run. The ratio of speeds must be 0.5 or
// more. With RECALL_SHARED the sources are the shared transcripts.
func BenchmarkVerify(b *testing.B) {
	l := newLib(b)
	src := b.TempDir()
	var sources []string
	var total int64
	take := func(id, dir string) {
		f := find(b, id, dir)
		archive(b, l, f)
		for _, file := range f.Files {
			sources, total = append(sources, file.Path), total+file.Size
		}
	}
	if shared := os.Getenv("RECALL_SHARED"); shared != "" {
		dirs, _ := filepath.Glob(filepath.Join(shared, "transcripts", "dev", "*"))
		for i, dir := range dirs {
			if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
				take(fmt.Sprintf("shared-%d", i), dir)
			}
		}
	} else {
		rng := rand.New(rand.NewPCG(1, 3))
		for i := range 60 {
			dir := filepath.Join(src, fmt.Sprint(i))
			var text strings.Builder
			for n := range 400 {
				text.WriteString(record(rng, n, 5000))
			}
			write(b, filepath.Join(dir, "transcript.jsonl"), text.String())
			take(fmt.Sprintf("%08x-0000", i), dir)
		}
	}
	b.SetBytes(total)
	var plain, ours, quick time.Duration
	for b.Loop() {
		start := time.Now()
		if err := exec.Command("sha256sum", sources...).Run(); err != nil {
			b.Skip("no sha256sum here")
		}
		plain += time.Since(start)
		for _, q := range []bool{false, true} {
			start = time.Now()
			v, err := check.Verify(context.Background(), l, check.Options{Quick: q})
			if err != nil || len(v.Findings) > 0 || !q && v.Source != total {
				b.Fatal(err, said(v), v.Source, total)
			}
			if q {
				quick += time.Since(start)
			} else {
				ours += time.Since(start)
			}
		}
	}
	b.ReportMetric(float64(plain)/float64(ours), "of-sha256sum")
	b.ReportMetric(float64(plain)/float64(quick), "of-sha256sum-quick")
}
