package claudecode

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// What has one uuid and differs is kept, all of it; what is the same is known
// again, in whatever order it comes.
func TestOneUUID(t *testing.T) {
	const records = 20_000
	lines := make([]string, records)
	for i := range lines {
		lines[i] = oneUUID(i)
	}
	raw := []byte(strings.Join(lines, ""))
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a[len(a)-8:], b[len(b)-8:]) })
	raw = append(raw, strings.Join(lines, "")...)
	s,
		err := Reader{}.Parse(t.Context(),
		ingest.Found{ID: "s", Files: []ingest.File{ingesttest.File(mainName, ingest.Transcript,
			raw)}})
	if err != nil || len(s.Turns) != records || s.Report.Duplicates != records {
		t.Fatalf("got %d turns, %d repeated, %v; want %d of each", len(s.Turns), s.Report.Duplicates, err, records)
	}
	for i, turn := range s.Turns {
		if want := fmt.Sprintf("%d: some words", i); !strings.HasPrefix(turn.Text, want) {
			t.Fatalf("turn %d: got %q, want %q", i, turn.Text, want)
		}
	}
}

// oneUUID is a record that differs from others, but for its uuid.
func oneUUID(i int) string {
	return fmt.Sprintf(`{"type":"user","uuid":"u","sessionId":"s","cwd":"/x","timestamp":"2026-01-01T00:00:00.000Z",`+
		`"message":{"role":"user","content":"%d: some words, %d"}}`+"\n", i, i*7919%100_003)
}

// BenchmarkOneUUID parses records that all have one uuid and differ: a file that
// nobody means well with. The time of a record stays about the same, however many.
func BenchmarkOneUUID(b *testing.B) {
	for _, records := range []int{50_000, 100_000, 200_000} {
		b.Run(fmt.Sprint(records), func(b *testing.B) {
			var raw bytes.Buffer
			for i := range records {
				raw.WriteString(oneUUID(i))
			}
			var took time.Duration
			for b.Loop() {
				begin := time.Now()
				s,
					err := Reader{}.Parse(b.Context(),
					ingest.Found{ID: "s", Files: []ingest.File{ingesttest.File(mainName,
						ingest.Transcript, raw.Bytes())}})
				if err != nil || len(s.Turns) != records {
					b.Fatalf("got %d turns, %v", len(s.Turns), err)
				}
				took += time.Since(begin)
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N*records), "ns/record")
		})
	}
}
