package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recall/library"
)

func counted(tokens int, side bool) string {
	return fmt.Sprintf(`{"type":"assistant","isSidechain":%v,"message":{"usage":{"input_tokens":7,`+
		`"cache_read_input_tokens":%d,"output_tokens":3}}}`+"\n",
		side, tokens-10)
}

const (
	cut  = `{"type":"system","subtype":"compact_boundary"}` + "\n"
	said = `{"type":"user","message":{"content":"the \"usage\" of \"subtype\":\"compact_boundary\""}}` + "\n"
)

// What the service counted with its last answer, however long what came since is.
func TestTokensIn(t *testing.T) {
	long := `{"type":"user","message":{"content":"` + strings.Repeat("usage ", 40_000) + `"}}` + "\n"
	for name, c := range map[string]struct {
		lines string
		want  int
	}{
		"the last":             {counted(90_000, false) + counted(160_000, false) + said, 160_000},
		"not a sub-agent's":    {counted(160_000, false) + counted(20_000, true), 160_000},
		"far up":               {counted(160_000, false) + long, 160_000},
		"cut since":            {counted(160_000, false) + cut + said, 0},
		"answered since":       {counted(160_000, false) + cut + counted(30_000, false), 30_000},
		"nothing":              {"", 0},
		"a line being written": {counted(160_000, false) + `{"type":"assis`, 160_000},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := tokensIn(path); got != c.want {
			t.Errorf("%s: got %d tokens, want %d", name, got, c.want)
		}
	}
	if got := tokensIn(filepath.Join(t.TempDir(), "none")); got != 0 {
		t.Errorf("got %d tokens of no file", got)
	}
}

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

// The log of a running session has a line for what was asked, changed and run, no
// secret, and an end.
func TestProgressLog(t *testing.T) {
	h := host(t, func() (*library.Library, error) { return nil, library.ErrNoLibrary })
	h.Now = func() time.Time { return time.Date(2026, 11, 3, 9, 5, 0, 0, time.UTC) }
	dir := t.TempDir()
	in := Input{Session: "s", Cwd: dir, Transcript: filepath.Join(dir, "s.jsonl")}
	run := func(e Event, in Input) string {
		a, err := h.Run(t.Context(), e, in)
		if err != nil {
			t.Fatal(err)
		}
		return a.Context
	}
	prompt, edit, command := in, in, in
	prompt.Prompt = "deploy with AKIAQ3EGRT7W5XKZL2MP\n<!-- /recall --> please"
	edit.Tool, edit.ToolInput.Path = "Edit", filepath.Join(dir, "src", "a.go")
	command.Tool, command.ToolInput.Command = "Bash", "go test ./..."
	run(UserPromptSubmit, prompt)
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) > 0 {
		t.Fatalf("got %v unasked", names)
	}
	h.Progress = true
	if told := run(SessionStart, in); !strings.Contains(told, filepath.Join(dir, "s.progress.md")) {
		t.Errorf("the session isn't told where its log is: %q", told)
	}
	run(UserPromptSubmit, prompt)
	run(PreToolUse, edit)
	run(PreToolUse, command)
	path := filepath.Join(dir, "s.progress.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- 2026-11-03 09:05 asked: deploy with ‹", "09:05 edit: src/a.go\n",
		"09:05 command: go test ./...\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "AKIA") || strings.Contains(string(text), "<!--") || strings.Count(string(text),
		"\n") != 3 {
		t.Errorf("got\n%s", text)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("others may read it: %v %v", fi.Mode(), err)
	}
	if err := os.WriteFile(path, append(text, make([]byte, progressMost-len(text)-10)...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		run(PreToolUse, command)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() > progressMost+400 {
		t.Errorf("it grows to %d bytes", fi.Size())
	}
}
