package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkListProcess is `recall list` over 10,000 sessions as a person waits
// for it: the whole process. The floor is what `recall version` takes in the
// same run. Making the library takes a minute or two.
//
//	go test ./cmd/recall -run XXX -bench ListProcess -benchtime 20x
func BenchmarkListProcess(b *testing.B) {
	home := b.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		b.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData"} {
		b.Setenv(name, filepath.Join(home, "cache"))
	}
	exe := filepath.Join(b.TempDir(), "recall")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	recall := func(args ...string) []byte {
		out, err := exec.Command(exe, args...).CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	src := filepath.Join(home, "src")
	for i := range 10_000 {
		writeSession(b, filepath.Join(src, fmt.Sprint("p", i%50)), i)
	}
	recall("sync", "--from", src)
	if n := strings.Count(string(recall("list")), " safe "); n != 10_000 {
		b.Fatalf("%d sessions are listed as safe, want 10,000", n)
	}
	var floor time.Duration
	for b.Loop() {
		start := time.Now()
		recall("version")
		floor += time.Since(start)
		recall("list")
	}
	b.ReportMetric(float64(floor.Microseconds())/1e3/float64(b.N), "ms/version")
	b.ReportMetric(float64((b.Elapsed()-floor).Microseconds())/1e3/float64(b.N), "ms/list")
}

// writeSession writes a made-up transcript of two turns.
func writeSession(tb testing.TB, dir string, n int) {
	tb.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n)
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 37 * time.Minute)
	line := func(uuid, parent, kind, message string, at time.Time) string {
		return fmt.Sprintf(`{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":%q,"cwd":"/home/ann/%s",`+
			`"version":"2.1.200","gitBranch":"main","isSidechain":false,"userType":"external","message":%s}`+"\n",
			kind, uuid, parent, id, at.Format(time.RFC3339), filepath.Base(dir), message)
	}
	text := line(id[:8]+"-u", "null", "user",
		fmt.Sprintf(`{"role":"user","content":"Let's take option %d, because it is simpler."}`, n), at) +
		line(id[:8]+"-a", fmt.Sprintf("%q", id[:8]+"-u"), "assistant",
			fmt.Sprintf(`{"id":"m%d","type":"message","role":"assistant","model":"claude-opus-4-7","content":[{"type":"text",`+
				`"text":"Option %d it is."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`, n, n),
			at.Add(time.Minute))
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}
