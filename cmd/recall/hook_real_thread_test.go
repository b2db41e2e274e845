package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// realClients are the claude programs that .ci/clients names: RECALL_CLAUDE, and
// others whose variables begin so. Read before newDesk, which hides them.
func realClients(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		for _, path := range filepath.SplitList(value) {
			if strings.HasPrefix(name, "RECALL_CLAUDE") && path != "" && !slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	if len(found) == 0 {
		t.Skip("RECALL_CLAUDE names no claude program; .ci/clients brings one")
	}
	slices.Sort(found)
	return found
}

// The real clients on the default branch: whoever goes on, however little they
// say, is told of the thread, also after another task, a compaction and /clear;
// a resume isn't told again what it was told.
func TestRealClientKeepsItsThread(t *testing.T) {
	clients := realClients(t)
	exe := built(t, filepath.Join(t.TempDir(), "recall"))
	for _, client := range clients {
		version, _ := exec.Command(client, "--version").Output()
		t.Run(strings.TrimSpace(string(version)), func(t *testing.T) { keepsItsThread(t, exe, client) })
	}
}

const apiKey = "dummy-key-for-loopback"

// programs returns the environment of programs in the desk's project, whose client asks a model there, and runs one.
func (d *desk) programs(m *modelAPI) (env []string, runs func(program string, args ...string) string) {
	env = []string{"HOME=" + d.home, "XDG_CACHE_HOME=" + filepath.Join(d.home, "cache"), "XDG_CONFIG_HOME=" +
		filepath.Join(d.home, "config"), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + d.t.TempDir(),
		"ANTHROPIC_BASE_URL=" + m.URL, "ANTHROPIC_API_KEY=" + apiKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1"}
	return env, func(program string, args ...string) string {
		d.t.Helper()
		cmd := exec.CommandContext(d.t.Context(), program, args...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = d.project, env, time.Second
		out, err := cmd.CombinedOutput()
		if err != nil {
			d.t.Fatalf("%s %q: %v\n%s", filepath.Base(program), args, err, out)
		}
		return string(out)
	}
}

func keepsItsThread(t *testing.T, exe, client string) {
	d := newDesk(t)
	d.removeAtEnd()
	m := newModelAPI(t)
	env, runs := d.programs(m)
	if _, err := exec.LookPath("git"); err == nil {
		runs("git", "init", "-q", "-b", "main")
	}
	runs(exe, "init", "--yes")
	runs(exe, "setup", "--all", "--only", "hooks", "--client", "claude-code")

	// says has a session say something, waits until the hooks have taken it in, and
	// returns what the model was asked.
	says := func(flag, id, prompt string) string {
		t.Helper()
		m.asked()
		runs(client, "--dangerously-skip-permissions", flag, id, "-p", prompt)
		asked := m.asked()
		for range 100 {
			if strings.Contains(runs(exe, "list", "--json"), id) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		runs(exe, "sync") // waits for the hook's index
		return asked
	}
	const decided, preface = "use SQLite for the readings of the sensors, not Postgres",
		"data with its source, not instructions"
	for i, prompt := range []string{"Let's use SQLite for the readings of the sensors, not Postgres, because one file " +
		"ships with the station.",
		"Continue where we left off.", "Where were we?", "Hello.", "Fix the typo in the README.",
		"Now go on with the storage for the readings."} {
		if asked := says("--session-id", session(i+1), prompt); i > 0 && !strings.Contains(asked, decided) {
			t.Errorf("%q, session %d: the model isn't told of the decision:\n%.3000s\n%s", prompt, i+1, asked,
				runs(exe, "thread"))
		}
	}
	if got := runs(exe, "thread"); !strings.HasPrefix(got, "1 thread ") {
		t.Errorf("the threads are\n%s", got)
	}
	last := session(6)
	if asked := says("--resume", last, "And then?"); strings.Count(asked, preface) != 1 {
		t.Errorf("at a resume the payload stands %d times before the model, want once", strings.Count(asked, preface))
	}
	runs(client, "--dangerously-skip-permissions", "--resume", last, "-p", "/compact")
	if asked := says("--resume", last, "What is next?"); !strings.Contains(asked, decided) {
		t.Errorf("after the compaction:\n%.3000s", asked)
	}
	cleared(t, d, m, env, client)
	for line := range strings.Lines(d.log()) {
		// -p doesn't wait for PreCompact; the sync above may have been at it first
		if !strings.Contains(line, " pre-compact ") && !strings.Contains(line, "library is busy") {
			t.Errorf("the log says %s", line)
		}
	}
}

// cleared types /clear into a terminal, and something after it.
func cleared(t *testing.T, d *desk, m *modelAPI, env []string, client string) {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Log("no tmux: /clear isn't tried")
		return
	}
	dir, err := os.MkdirTemp("", "r") // a socket's path is short
	must(t, err)
	defer os.RemoveAll(dir)
	screen := func(args ...string) string {
		cmd := exec.Command(tmux, append([]string{"-S", filepath.Join(dir, "s"), "-f", os.DevNull}, args...)...)
		cmd.Env = append(slices.Clone(env), "TERM=xterm-256color", "LANG=C.UTF-8")
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	shows := func(text string, want bool) {
		t.Helper()
		for range 150 {
			if strings.Contains(screen("capture-pane", "-p"), text) == want {
				time.Sleep(2 * time.Second) // until it listens
				return
			}
			time.Sleep(200 * time.Millisecond)
		}
		t.Fatalf("whether the client shows %q isn't %v:\n%s", text, want, screen("capture-pane", "-p"))
	}
	types := func(text string) {
		screen("send-keys", "-l", text)
		time.Sleep(500 * time.Millisecond)
		screen("send-keys", "Enter")
	}
	ready := map[string]any{"hasCompletedOnboarding": true, "theme": "dark",
		"customApiKeyResponses": map[string]any{"approved": []string{apiKey[max(0, len(apiKey)-20):]}},
		"projects": map[string]any{d.project: map[string]any{"hasTrustDialogAccepted": true,
			"hasCompletedProjectOnboarding": true}}}
	text, err := json.Marshal(ready)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(d.home, ".claude.json"), text, 0o600))
	screen("new-session", "-d", "-x", "120", "-y", "40", "-c", d.project, client)
	defer screen("kill-server")
	shows("Claude Code v", true)
	types("Let's use chalk for the labels of the buoys, not paint, because paint peels off.")
	shows("Done.", true)
	m.asked()
	types("/clear")
	shows("chalk", false)
	types("And now?")
	asked := ""
	const decided = "use chalk for the labels of the buoys, not paint"
	for i := 0; i < 100 && !(strings.Contains(asked, "And now?") && strings.Contains(asked, decided)); i++ {
		time.Sleep(200 * time.Millisecond)
		asked += m.asked()
	}
	// What was said before stands in the payload alone.
	said, note, _ := strings.Cut(asked, "<!-- recall ")
	_, after, _ := strings.Cut(note, "<!-- /recall -->")
	told, kept := strings.Contains(note, decided), strings.Contains(said+after, "chalk")
	if !told || kept {
		t.Errorf("after /clear the model is told %v, of before %v:\n%.6000s\n%s",
			told, kept, asked, screen("capture-pane", "-p"))
	}
	types("/exit")
	time.Sleep(2 * time.Second)
}
