//go:build !windows

package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/ingest/synthtest"
)

// realSizes are those of 64 real transcripts, a sixteenth of them each, in KB.
var realSizes = []int64{10, 10, 11, 19, 26, 61, 75, 128, 213, 257, 346, 411, 530, 732, 1547, 1803}

// scaled is what one command took: medians where it was run several times.
type scaled struct {
	waited, worked time.Duration
	peak           int64 // bytes held at most; 0 if that isn't known
}

// BenchmarkScale is what a person waits for as sessions grow in number: whole processes over made-up
// sessions of the sizes that real ones have (400 KB on average), and by which power of their number each
// grows. RECALL_BENCH_SMALLER divides the sizes, where the disk has no room for so many. It prints a table.
//
//	RECALL_BENCH_SESSIONS=1000,10000 go test ./cmd/recall -run XXX -bench Scale -benchtime 1x -timeout 3h
//	RECALL_BENCH_SESSIONS=1000,10000,100000 RECALL_BENCH_SMALLER=8 …
func BenchmarkScale(b *testing.B) {
	exe := built(b, filepath.Join(b.TempDir(), "recall"))
	var numbers []int
	for of := range strings.SplitSeq(cmp.Or(os.Getenv("RECALL_BENCH_SESSIONS"), "20,60"), ",") {
		n, err := strconv.Atoi(of)
		if err != nil {
			b.Fatal(err)
		}
		numbers = append(numbers, n)
	}
	for b.Loop() {
		var steps []string
		took := map[string][]scaled{}
		shares := ""
		for _, n := range numbers {
			share := atScale(b, exe, n, func(step string, s scaled) {
				if len(took[step]) == 0 {
					steps = append(steps, step)
				}
				took[step] = append(took[step], s)
			})
			shares += fmt.Sprintf("%d sessions: %s\n", n, share)
		}
		fmt.Printf("\n%s%s", shares, scaleTable(numbers, steps, took)) // a log would be cut off
	}
}

// scaleTable has a line for each step: waited / of the processor / held, at each number, and the power.
func scaleTable(numbers []int, steps []string, took map[string][]scaled) string {
	var out strings.Builder
	fmt.Fprintf(&out, "| waited / of the processor / held |")
	for _, n := range numbers {
		fmt.Fprintf(&out, " %d |", n)
	}
	fmt.Fprintf(&out, " grows by the power |\n|---|%s\n", strings.Repeat("---|", len(numbers)+1))
	for _, step := range steps {
		fmt.Fprintf(&out, "| %s |", step)
		all := took[step]
		for _, s := range all {
			held := "–"
			if s.peak > 0 {
				held = fmt.Sprint(s.peak/1e6, " MB")
			}
			fmt.Fprintf(&out, " %.3g / %.3g s / %s |", s.waited.Seconds(), s.worked.Seconds(), held)
		}
		last := len(all) - 1
		power := math.Log(all[last].worked.Seconds()/all[0].worked.Seconds()) /
			math.Log(float64(numbers[last])/float64(numbers[0]))
		fmt.Fprintf(&out, " %.2f |\n", power)
	}
	return out.String()
}

// atScale tells of each command over so many sessions, and says what share of the sources they take on the disk.
func atScale(b *testing.B, exe string, n int, tell func(step string, s scaled)) (share string) {
	home, err := os.MkdirTemp("", "scale")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(home)
	smaller, err := strconv.ParseInt(cmp.Or(os.Getenv("RECALL_BENCH_SMALLER"), "1"), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	sizes := make([]int64, len(realSizes))
	for i, kb := range realSizes {
		sizes[i*7%len(sizes)] = kb << 10 / smaller
	}
	made, err := synthtest.Write(filepath.Join(home, ".claude"), synthtest.Options{Sessions: n, Sizes: sizes, Seed: 5})
	if err != nil {
		b.Fatal(err)
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "RECALL_") })
	env = append(env, "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "XDG_CONFIG_HOME="+home,
		"CLAUDE_CONFIG_DIR="+filepath.Join(home, ".claude"))
	var least int64 // a process is said to have held what the one that started it did
	run := func(step, want string, times int, args ...string) {
		var all []scaled
		for range times {
			cmd := exec.Command(exe, args...)
			cmd.Env = env
			start := time.Now()
			out, err := cmd.CombinedOutput()
			waited := time.Since(start)
			if exit := (&exec.ExitError{}); err != nil && (!asExit(err, &exit) || exit.ExitCode() != app.ExitNothing) ||
				!strings.Contains(string(out), want) {
				b.Fatalf("%d sessions: %v: %v, want %q in\n%s", n, args, err, want, out[:min(len(out), 3000)])
			}
			held := int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			if runtime.GOOS == "linux" {
				held <<= 10
			}
			if least = cmp.Or(least, held); held <= least*5/4 {
				held = 0
			}
			all = append(all, scaled{waited, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), held})
		}
		slices.SortFunc(all, func(a, b scaled) int { return cmp.Compare(a.worked, b.worked) })
		tell(step, all[len(all)/2])
	}
	run("`version`", "recall", 5, "version")
	run("first `sync`", fmt.Sprintf("%d new", n), 1, "sync")
	run("`sync`, nothing new", "nothing new", 5, "sync")
	run("`query`", "", 5, "query", "which queue do retries go through?")
	grown := made[len(made)-1].Path
	f, err := os.OpenFile(grown, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(f, `{"type":"user","uuid":"00000000-0000-4000-8000-000000000001","parentUuid":null,"sessionId":%q,`+
		`"cwd":"/home/ann/app","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":`+
		`"We decided to keep retries in quokkadb instead of Redis, because one file is easier to copy."}}`+"\n",
		strings.TrimSuffix(filepath.Base(grown), ".jsonl"))
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	run("one has grown, then `query`", "quokkadb", 1, "query", "quokkadb retries")
	run("`status`", fmt.Sprint(n), 5, "status")
	run("`list`", "", 5, "list")
	run("`check`", "everything is as it was written", 1, "check")
	var sources, kept int64
	for _, s := range made {
		sources += s.Bytes
	}
	for _, dir := range []string{"Recall", "cache"} {
		out, err := exec.Command("du", "-sk", filepath.Join(home, dir)).Output()
		kb, _, _ := strings.Cut(string(out), "\t")
		size, err2 := strconv.ParseInt(kb, 10, 64)
		if err := cmp.Or(err, err2); err != nil {
			b.Fatal(err)
		}
		kept += size << 10
	}
	return fmt.Sprintf("%d MB, library and index take %.0f %% of that", sources/1e6, 100*float64(kept)/float64(sources))
}
