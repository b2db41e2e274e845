package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"recall/distill/offline"
	"recall/index"
	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/cowork"
	"recall/library"
	"recall/pipeline"
	"recall/redact"
)

// open makes a pipeline over a new library in a temporary folder.
func open(tb testing.TB, dir string) *pipeline.Pipeline {
	tb.Helper()
	l, err := library.Create(filepath.Join(dir, "Recall"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { l.Close() })
	x, err := index.Open(filepath.Join(dir, "cache", "index.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	rules, err := redact.New()
	if err != nil {
		tb.Fatal(err)
	}
	return &pipeline.Pipeline{
		Library: l, Index: x, Readers: []ingest.Reader{claudecode.Reader{}, cowork.Reader{}},
		Distiller: offline.Distiller{}, Rules: rules, Cache: filepath.Join(dir, "cache"), Who: "ann",
	}
}

// shared is a folder of the shared data; the test is skipped where it is absent.
func shared(tb testing.TB, path string) string {
	root := os.Getenv("RECALL_SHARED")
	if root == "" {
		tb.Skip("skipped: RECALL_SHARED is not set")
	}
	return filepath.Join(root, path)
}

func BenchmarkSyncDev(b *testing.B) {
	from := shared(b, "transcripts/dev")
	for b.Loop() {
		p := open(b, b.TempDir())
		r, err := p.Sync(context.Background(), pipeline.Options{From: []string{from}})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(r.Bytes)
	}
}
