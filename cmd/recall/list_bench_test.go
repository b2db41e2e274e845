package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/ingest"
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

// writeSession writes a made-up transcript of what somebody said, each with a short answer; of one sentence where
// nothing is given.
func writeSession(tb testing.TB, dir string, n int, said ...string) ingest.SessionID {
	tb.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		tb.Fatal(err)
	}
	if len(said) == 0 {
		said = []string{fmt.Sprintf("Let's take option %d, because it is simpler.", n)}
	}
	id := fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n)
	at := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 37 * time.Minute)
	parent := "null"
	var b strings.Builder
	line := func(uuid, kind, message string) {
		fmt.Fprintf(&b, `{"type":%q,"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":%q,"cwd":"/home/ann/%s",`+
			`"version":"2.1.200","gitBranch":"main","isSidechain":false,"userType":"external","message":%s}`+"\n",
			kind, uuid, parent, id, at.Format(time.RFC3339), filepath.Base(dir), message)
		parent, at = fmt.Sprintf("%q", uuid), at.Add(time.Minute)
	}
	for i, text := range said {
		line(fmt.Sprintf("%s-u%d", id[:8], i), "user", fmt.Sprintf(`{"role":"user","content":%q}`, text))
		line(fmt.Sprintf("%s-a%d", id[:8], i), "assistant",
			fmt.Sprintf(`{"id":"m%d-%d","type":"message","role":"assistant","model":"claude-opus-4-7","content":[{"type":"text",`+
				`"text":"Noted."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`, n, i))
	}
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return ingest.SessionID(id)
}
