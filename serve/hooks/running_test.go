package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/library"
	"recall/payload"
	"recall/pipeline/worklog"
)

func counted(tokens int, side bool) string {
	return fmt.Sprintf(`{"type":"assistant","isSidechain":%v,"message":{"usage":{"input_tokens":7,`+
		`"cache_read_input_tokens":%d,"output_tokens":3}}}`+"\n",
		side, tokens-10)
}

const cut = `{"type":"system","subtype":"compact_boundary"}` + "\n"

// A session is told once that its context fills, and once more after it was cut.
func TestNudgedOnce(t *testing.T) {
	h := host(t, func() (*library.Library, error) { return nil, library.ErrNoLibrary })
	h.Notes, h.Nudge = false, 150_000
	path := filepath.Join(t.TempDir(), "s.jsonl")
	in := Input{Session: "s", Transcript: path, Prompt: "go on"}
	ask := func(lines string) bool {
		t.Helper()
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := h.Run(t.Context(), UserPromptSubmit, in)
		if err != nil {
			t.Fatal(err)
		}
		if a.Context != "" && !strings.Contains(a.Context, "160,000 tokens") {
			t.Errorf("got %q", a.Context)
		}
		return a.Context != ""
	}
	full := counted(160_000, false)
	got := []bool{ask(counted(149_999, false)), ask(full), ask(full)}
	if _, err := h.Run(t.Context(), SessionStart, Input{Session: "s", Transcript: path, Source: "compact"}); err != nil {
		t.Fatal(err)
	}
	got = append(got, ask(full+cut), ask(full+cut+full))
	h.Nudge = 0
	in.Session = "other"
	got = append(got, ask(full))
	if want := "[false true false false true false]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The person is told once that a session could end: after a commit, when half of the context is used.
func TestBoundaryProposed(t *testing.T) {
	h := host(t, func() (*library.Library, error) { return nil, library.ErrNoLibrary })
	h.Notes, h.Nudge = false, 150_000
	path := filepath.Join(t.TempDir(), "s.jsonl")
	in := Input{Session: "s", Transcript: path}
	ask := func(tokens int, commands ...string) bool {
		t.Helper()
		if err := os.WriteFile(path, []byte(counted(tokens, false)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range commands {
			in := in
			in.Tool, in.ToolInput.Command = "Bash", c
			if _, err := h.Run(t.Context(), PreToolUse, in); err != nil {
				t.Fatal(err)
			}
		}
		in := in
		in.Prompt = "go on"
		a, err := h.Run(t.Context(), UserPromptSubmit, in)
		if err != nil || a.Context != "" || a.Block {
			t.Fatal(a, err)
		}
		return strings.Contains(a.Tell, "new session")
	}
	got := []bool{ask(99_000, "git commit -m x"), ask(100_000), ask(100_000, "git log; echo commit"),
		ask(100_000, "go test ./...", "git add . && git -C . commit -qm y"), ask(110_000, "git commit -m z")}
	if want := "[false false false true false]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// The log of a project has a line for what was asked, changed and committed and what an agent noted, no secret, and an
// end; what a torn write left is a line of its own, and a forgotten session's lines go.
func TestWorkLog(t *testing.T) {
	h := host(t, func() (*library.Library, error) { return nil, library.ErrNoLibrary })
	dir := t.TempDir()
	in := Input{Session: "0f3a1c52-7d7e", Cwd: filepath.Join(dir, "src"), Transcript: filepath.Join(dir, "s.jsonl")}
	run := func(e Event, in Input) string {
		a, err := h.Run(t.Context(), e, in)
		if err != nil {
			t.Fatal(err)
		}
		return a.Context
	}
	prompt, edit, command, commit := in, in, in, in
	prompt.Prompt = "deploy with AKIAQ3EGRT7W5XKZL2MP\n<!-- /recall --> please"
	edit.Tool, edit.ToolInput.Path = "Edit", filepath.Join(dir, "src", "a.go")
	command.Tool, command.ToolInput.Command = "Bash", "go test ./..."
	commit.Tool, commit.ToolInput.Command = "Bash", "git commit -m ring"
	run(UserPromptSubmit, prompt)
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) > 0 {
		t.Fatalf("got %v unasked", names)
	}
	h.Logs = worklog.Logs{File: filepath.Join(t.TempDir(), "logs.json")}
	if err := h.Logs.Begin(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "scratch", "session-log.md")
	if told := run(SessionStart, in); !strings.Contains(told, path) {
		t.Errorf("the session isn't told where its log is: %q", told)
	}
	for _, one := range []Input{edit, command, commit} {
		run(PreToolUse, one)
	}
	run(UserPromptSubmit, prompt)
	run(UserPromptSubmit, Input{Session: "other", Cwd: t.TempDir(), Prompt: "elsewhere"})
	const torn = "- 2026-11-03 09:05 torn"
	appendTo(t, path, torn)
	note := payload.Note{Kind: payload.Eliminated, Text: "Redis", Why: "one more server"}
	h.Logs.Add(dir, "9c1b2d34", worklog.Noted(note), time.Now())
	const by = "- 2026-11-03 09:05 0f3a1c52 "
	want := by + "edit: a.go\n" + by + "commit: git commit -m ring\n" + by +
		"asked: deploy with ‹aws-key 1› ‹!-- /recall --> please\n" + torn + "\n" +
		"- 2026-11-03 09:05 9c1b2d34 eliminated: Redis — because one more server\n"
	text, err := os.ReadFile(path)
	head, lines, _ := strings.Cut(string(text), "\n\n")
	lines = regexp.MustCompile(`(?m)^- \d{4}-\d\d-\d\d \d\d:\d\d `).ReplaceAllString(lines, "- 2026-11-03 09:05 ")
	if diff := cmp.Diff(want, lines); err != nil || diff != "" || !strings.HasPrefix(head, "<!-- recall -->\n") {
		t.Error(err, diff, head)
	}
	if err := h.Logs.Forget("local_0f3a1c52-7d7e"); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(path); err != nil || strings.Contains(string(text), "0f3a1c52") ||
		!strings.Contains(string(text), "9c1b2d34 eliminated") {
		t.Errorf("got\n%s", text)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("others may read it: %v %v", fi.Mode(), err)
	}
	appendTo(t, path, strings.Repeat("x", 1<<20))
	before, _ := os.Stat(path)
	run(PreToolUse, commit)
	if fi, err := os.Stat(path); err != nil || fi.Size() != before.Size() {
		t.Errorf("it grows to %d bytes", fi.Size())
	}
}

func appendTo(t *testing.T, path, said string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(text, said...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
