package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The finder in a real terminal: what is typed finds, a row's payload stands beside it, Enter has the client go on in
// the folder where the session worked, and what the client deleted is put back before.
func TestPick(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux")
	}
	home, recall := asProgram(t)
	for n, said := range []string{"retries use jittered backoff", "the cache holds rates for an hour",
		"charts without a network"} {
		tell(t, home, n+1, said, "Noted: "+said+".")
	}
	work := filepath.Join(home, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	transcripts, _ := filepath.Glob(filepath.Join(home, ".claude", "projects", "*", "*.jsonl"))
	for _, path := range transcripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte("/home/ann/app"), []byte(work)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client := "#!/bin/sh\necho \"client in $(pwd): $*\"\n"
	if err := os.WriteFile(filepath.Join(home, "bin", "claude"), []byte(client), 0o700); err != nil {
		t.Fatal(err)
	}
	recall(nil, "sync")
	if out, _ := recall(nil, "pick"); !regexp.MustCompile(`(?m)^2026-\d\d-\d\d  \S+#2 `).MatchString(out) {
		t.Fatalf("no list without a terminal:\n%s", out)
	}

	tmux := startTmux(t, home)
	tmux.keys("recall pick", "Enter")
	tmux.sees(`3 of 3`, `(?m)^▸ `, `jittered|rates|charts`)
	tmux.keys("rates hour")
	tmux.sees(`> rates hour▏  1 of 3`, `Current goal`, `“the cache holds rates for an hour”`)
	tmux.keys("C-u", "zzzz")
	tmux.sees(`0 of 3`)
	tmux.keys("Enter", "Escape") // nothing to pick: Enter does nothing
	tmux.sees(`[$#] $`)

	tmux.keys("recall pick", "Enter")
	tmux.sees(`3 of 3`)
	tmux.keys("rates", "Enter")
	tmux.sees(`client in ` + regexp.QuoteMeta(work) + `: --resume 00000002-0000-4000-8000-000000000001`)

	if err := os.RemoveAll(filepath.Join(home, ".claude")); err != nil {
		t.Fatal(err)
	}
	tmux.keys("clear; recall pick", "Enter")
	tmux.sees(`3 of 3`)
	tmux.keys("charts", "Enter")
	tmux.sees(`deleted its transcript. Restore it first\?`)
	tmux.keys("y", "Enter")
	tmux.sees(`restored`, `client in .*: --resume 00000003-0000-4000-8000-000000000001`)

	tmux.keys("clear; recall pick --print >line", "Enter")
	tmux.sees(`3 of 3`)
	tmux.keys("charts", "Enter")
	tmux.sees(`[$#] $`)
	if line, err := os.ReadFile(filepath.Join(home, "line")); err != nil ||
		string(line) != "cd "+work+" && claude --resume 00000003-0000-4000-8000-000000000001\n" {
		t.Errorf("printed %q, %v", line, err)
	}

	if err := os.RemoveAll(filepath.Join(home, ".claude")); err != nil {
		t.Fatal(err)
	}
	tmux.keys("clear; recall pick --print >line; wc -c <line", "Enter")
	tmux.sees(`3 of 3`)
	tmux.keys("charts", "Enter")
	tmux.sees(`has deleted its transcript`, `recall restore 00000003 restores it`, `(?m)^0$`)
}

// tmuxScreen is a tmux server of a test's own.
type tmuxScreen struct {
	t      *testing.T
	socket string
}

// startTmux starts a shell in a terminal of 100 columns and 30 lines, whose home is home.
func startTmux(t *testing.T, home string) tmuxScreen {
	s := tmuxScreen{t, filepath.Join(t.TempDir(), "s")}
	cmd := exec.Command("tmux", "-S", s.socket, "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "sh")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "PATH="+home+"/bin:"+os.Getenv("PATH"),
		"XDG_CACHE_HOME="+home+"/cache", "XDG_CONFIG_HOME="+home+"/config", "RECALL_LIBRARY_DIR="+home+"/Recall")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("tmux", "-S", s.socket, "kill-server").Run() })
	return s
}

// keys types text, or presses a key that has that name.
func (s tmuxScreen) keys(keys ...string) {
	s.t.Helper()
	if out, err := exec.Command("tmux", append([]string{"-S", s.socket, "send-keys", "-t", "0"},
		keys...)...).CombinedOutput(); err != nil {
		s.t.Fatalf("keys %q: %v: %s", keys, err, out)
	}
}

// sees waits until the screen shows all patterns.
func (s tmuxScreen) sees(patterns ...string) {
	s.t.Helper()
	var screen string
	for range 300 {
		out, err := exec.Command("tmux", "-S", s.socket, "capture-pane", "-p", "-t", "0").Output()
		if err != nil {
			s.t.Fatal(err)
		}
		screen = strings.TrimRight(string(out), "\n ") + " "
		missing := 0
		for _, p := range patterns {
			if !regexp.MustCompile(p).MatchString(screen) {
				missing++
			}
		}
		if missing == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("the screen never showed %q:\n%s", patterns, screen)
}
