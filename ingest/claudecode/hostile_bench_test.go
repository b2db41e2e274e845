package claudecode

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"recall/ingest"
)

// BenchmarkOneUUID parses records that all have one uuid and differ: a file that
// nobody means well with. The time of a record stays about the same, however many.
func BenchmarkOneUUID(b *testing.B) {
	for _, records := range []int{12_500, 25_000, 50_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			var raw bytes.Buffer
			for i := range records {
				fmt.Fprintf(&raw, `{"type":"user","uuid":"u","sessionId":"s","cwd":"/x","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"prompt %d of some words"}}`+"\n", i)
			}
			var took time.Duration
			for b.Loop() {
				begin := time.Now()
				s, err := Reader{}.Parse(b.Context(), ingest.Found{ID: "s", Files: []ingest.File{memFile(mainName, ingest.Transcript, raw.Bytes())}})
				if err != nil || len(s.Turns) != records {
					b.Fatalf("got %d turns, %v", len(s.Turns), err)
				}
				took += time.Since(begin)
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N*records), "ns/record")
		})
	}
}
