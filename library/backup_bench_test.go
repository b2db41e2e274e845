package library_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "recall/library"
	"recall/library/merge"
)

// BenchmarkBackup backs a library up, beside cp and
// sha256sum of the same files in the same run; and once more with nothing new.
// RECALL_BENCH_LIBRARY names a real one; else it is of 300 made-up sessions.
//
//	go test ./library -run '^$' -bench Backup -benchtime 3x
func BenchmarkBackup(b *testing.B) {
	for _, tool := range []string{"cp", "sha256sum", "sh", "find", "xargs"} {
		if _, err := exec.LookPath(tool); err != nil {
			b.Skip("needs " + tool)
		}
	}
	l := benchLibrary(b)
	ctx := context.Background()
	var cp, folder, again time.Duration
	var bytes int64
	for b.Loop() {
		dir := b.TempDir()
		cp += timed(b, func() error {
			return exec.Command("sh", "-c", `cp -r "$1" "$2" && find "$2" -type f -print0 | xargs -0 sha256sum > /dev/null`,
				"sh", l.Dir(), filepath.Join(dir, "cp")).Run()
		})
		folder += timed(b, func() error {
			m, err := merge.Backup(ctx, l, filepath.Join(dir, "backup"), nil)
			bytes = m.Bytes
			return err
		})
		again += timed(b, func() error { _, err := merge.Backup(ctx, l, filepath.Join(dir, "backup"), nil); return err })
		os.RemoveAll(dir)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(bytes)/1e6, "MB")
	b.ReportMetric(cp.Seconds()/float64(b.N), "cp-s")
	b.ReportMetric(folder.Seconds()/cp.Seconds(), "folder/cp")
	b.ReportMetric(again.Seconds()/cp.Seconds(), "again/cp")
}

func timed(b *testing.B, do func() error) time.Duration {
	b.Helper()
	start := time.Now()
	if err := do(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func benchLibrary(b *testing.B) *Library {
	b.Helper()
	if dir := os.Getenv("RECALL_BENCH_LIBRARY"); dir != "" {
		l, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { l.Close() })
		return l
	}
	l := newLib(b)
	src := b.TempDir()
	for i := range 300 {
		var text strings.Builder
		for line := range 1500 {
			fmt.Fprintf(&text, `{"type":"user","uuid":"%x-%d","message":{"content":"words %d of %d"}}`+"\n", line*i*7919, line,
				line*31, i)
		}
		dir := filepath.Join(src, fmt.Sprint(i))
		write(b, filepath.Join(dir, "transcript.jsonl"), text.String())
		archive(b, l, find(b, fmt.Sprintf("%08d-0000-4000-8000-000000000000", i), dir))
	}
	return l
}
