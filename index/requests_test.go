package index

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

func TestRequests(t *testing.T) {
	at := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	want := []ingest.Request{{At: at, Model: "a", Usage: ingest.Usage{Input: 1, Output: 2, CacheWrite: 300,
		CacheHour: 200, CacheRead: 1 << 40}},
		{At: at.Add(-time.Hour), Model: "", Usage: ingest.Usage{Output: 7}}, {Model: "a"}}
	x := openWith(t, Doc{Session: "s", Requests: want}, Doc{Session: "none"})
	var got []ingest.Request
	err := x.Requests(t.Context(), func(_ string, r ingest.Request) { got = append(got, r) })
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("put and read: %v (-want +got)\n%s", err, d)
	}
}

// BenchmarkRequests sums up 10,000 sessions of 150 requests.
func BenchmarkRequests(b *testing.B) {
	ctx := context.Background()
	x, err := Open(filepath.Join(b.TempDir(), "index.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for s := 0; s < 10_000; s += 500 {
		var docs []Doc
		for i := s; i < s+500; i++ {
			d := Doc{Session: fmt.Sprintf("s%05d", i), Project: "app"}
			for k := range 150 {
				d.Requests = append(d.Requests, ingest.Request{
					At:    at.Add(time.Duration(i)*time.Hour + time.Duration(k)*time.Minute),
					Model: "claude-opus-4-8",
					Usage: ingest.Usage{Input: 12, Output: 800, CacheWrite: 3000, CacheRead: 90_000}})
			}
			docs = append(docs, d)
		}
		if err := x.PutAll(ctx, docs); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		var sum int64
		if err := x.Requests(ctx, func(_ string, r ingest.Request) { sum += r.Usage.Output }); err != nil || sum == 0 {
			b.Fatal(sum, err)
		}
	}
}
