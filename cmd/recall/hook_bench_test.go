package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recall/cmd/recall/app"
	"recall/ingest/synthtest"
	"recall/library"
	"recall/serve/hooks"
)

// BenchmarkHookProcess is each hook that the client waits for, over 100,000
// items of 5,000 sessions in 50 projects, as the client waits for it: the whole
// process. "idle" is a hook with nothing to do: in a folder that is no project,
// and a command that touches nothing. The floor is what `recall version` takes
// in the same run. To be held are 100 ms, and 30 ms when idle; nothing fails by
// it, since a machine may have other work: then the CPU time tells more. Making
// it all takes some minutes.
//
//	go test ./cmd/recall -run XXX -bench HookProcess -benchtime 20x
func BenchmarkHookProcess(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "recall")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	home := b.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		b.Setenv(name, home)
	}
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData"} {
		b.Setenv(name, filepath.Join(home, "cache"))
	}
	recall := func(stdin string, args ...string) (out string, wall, cpu time.Duration) {
		cmd := exec.Command(exe, args...)
		cmd.Stdin = strings.NewReader(stdin)
		start := time.Now()
		text, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %v\n%s", args, err, text)
		}
		return string(text), time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	const sessions, projects = 5_000, 50
	src := filepath.Join(home, "src")
	for i := range sessions {
		writeSession(b, filepath.Join(src, fmt.Sprint("p", i%projects)), i)
	}
	recall("", "sync", "--from", src)
	l, err := library.Open(filepath.Join(home, "Recall"))
	if err != nil {
		b.Fatal(err)
	}
	made := synthtest.Items(100_000, 1)
	for i := range made {
		made[i].Project = fmt.Sprint("p", i/6%projects)
	}
	fillIndex(b, app.IndexPath(l), made)
	l.Close()
	all, err := l.Projects()
	if err != nil || len(all) != projects {
		b.Fatalf("%d projects, %v", len(all), err)
	}
	dir := "/home/ann/p7"
	call := func(event hooks.Event, cwd, session string, more map[string]any) string {
		in := map[string]any{"session_id": session, "cwd": cwd, "source": "startup", "hook_event_name": event}
		for k, v := range more {
			in[k] = v
		}
		text, err := json.Marshal(in)
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		name  string
		event hooks.Event
		cwd   string
		more  map[string]any
	}{
		{"idle-start", hooks.SessionStart, home, nil},
		{"idle-prompt", hooks.UserPromptSubmit, home, map[string]any{"prompt": "use redis for the cache"}},
		{"idle-command", hooks.PreToolUse, dir, map[string]any{"tool_name": "Bash",
			"tool_input": map[string]string{"command": "ls -la && git status"}}},
		{"start", hooks.SessionStart, dir, nil},
		{"prompt", hooks.UserPromptSubmit, dir, map[string]any{"prompt": made[7*6].Question() + " Let's use " +
			made[7*6].Text}},
		{"edit", hooks.PreToolUse, dir, map[string]any{"tool_name": "Edit",
			"tool_input": map[string]string{"file_path": dir + "/queue/worker.go", "old_string": "a := poll()",
				"new_string": "a := redis.NewClient(options)\nb := lock(a)"}}},
		{"command", hooks.PreToolUse, dir, map[string]any{"tool_name": "Bash",
			"tool_input": map[string]string{"command": "npm install redis && docker compose up -d postgres"}}},
		{"deleting", hooks.PreToolUse, dir, map[string]any{"tool_name": "Bash",
			"tool_input": map[string]string{"command": "rm -rf build node_modules"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var floor, floorCPU, took, tookCPU time.Duration
			i := 0
			for b.Loop() {
				_, wall, cpu := recall("", "version")
				floor, floorCPU = floor+wall, floorCPU+cpu
				out, wall, cpu := recall(call(c.event, c.cwd, fmt.Sprint("s", c.name, i), c.more), "hook", c.event.Word())
				took, tookCPU = took+wall, tookCPU+cpu
				if strings.HasPrefix(c.name, "start") && !strings.Contains(out, "additionalContext") {
					b.Fatalf("nothing is said: %q", out)
				}
				i++
			}
			for unit, sum := range map[string]time.Duration{"ms/version": floor, "cpu-ms/version": floorCPU, "ms/hook": took,
				"cpu-ms/hook": tookCPU} {
				b.ReportMetric(float64(sum.Microseconds())/1e3/float64(b.N), unit)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(home, "cache", "recall", "hooks", hooks.LogName)); err == nil {
		b.Errorf("the log says\n%s", text)
	}
}
