package claudecli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/internal/llm"
	"recall/internal/text"
)

// output is the output of one run of the program.
type output struct {
	out, err []byte
	exit     *exec.ExitError // nil if it succeeded
}

// run runs the program once. When it returns, the program and everything it started have ended.
func (m *Model) run(ctx context.Context, r llm.Request) (output, error) {
	dir, err := os.MkdirTemp("", "recall-claude-") // 0700
	if err != nil {
		return output{}, fmt.Errorf("claude: a folder to run in: %w", err)
	}
	defer os.RemoveAll(dir)
	cwd := filepath.Join(dir, "empty")
	if err := os.Mkdir(cwd, 0o700); err != nil {
		return output{}, fmt.Errorf("claude: a folder to run in: %w", err)
	}
	// In a file, because an argument is limited to 128 KB on Linux, and all together to 32 KB on Windows.
	// Without one, the program would use its own for a coding agent with tools.
	system := filepath.Join(dir, "system.txt")
	if err := os.WriteFile(system, []byte(cmp.Or(r.System, "Answer the request.")), 0o600); err != nil {
		return output{}, fmt.Errorf("claude: its instructions: %w", err)
	}

	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	var o output
	stdout, stderr := &clipped{most: 64 << 20}, &clipped{most: 64 << 10}
	cmd := exec.CommandContext(ctx, m.o.Program, arguments(m.o, r, system)...)
	cmd.Dir = cwd
	cmd.Env = environment(os.Environ(), r.Max, m.o.Timeout)
	cmd.Stdin = strings.NewReader(userPrompt(m.o, r))
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = 2 * time.Second // one of its children may hold the pipes open
	kill := killsAll(cmd)
	cmd.Cancel = kill
	if err := cmd.Start(); err != nil {
		return output{}, m.notStarted(err)
	}
	llm.Sent(ctx)
	err = cmd.Wait()
	_ = kill() // what remains
	o.out, o.err = stdout.Bytes(), stderr.Bytes()
	switch {
	case ctx.Err() != nil:
		return o, m.wire().Broken(ctx, fmt.Errorf("no answer within %v: %w", m.o.Timeout, ctx.Err()))
	case errors.As(err, &o.exit) || err == nil || errors.Is(err, exec.ErrWaitDelay):
		return o, nil
	}
	return o, &llm.Error{Fault: llm.Unreachable, Model: m.Name(), Err: err}
}

// notStarted returns the error for a program that doesn't exist or can't be run.
func (m *Model) notStarted(err error) error {
	e := &llm.Error{Fault: llm.NotFound, Model: m.Name(), Err: err}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		e.Text = fmt.Sprintf("no program %s: install Claude Code (npm install -g @anthropic-ai/claude-code) and log in "+
			"once by running claude, or name the program's path", m.o.Program)
	}
	return e
}

// arguments returns those for one answer. Safe mode omits the user's hooks, plugins,
// skills, MCP servers and CLAUDE.md but keeps the login, which --bare would omit, too.
func arguments(o Options, r llm.Request, system string) []string {
	args := []string{"-p", "--output-format", "json", "--no-session-persistence", "--safe-mode",
		"--strict-mcp-config", "--disable-slash-commands", "--tools=", "--system-prompt-file", system}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	if r.Schema != nil && !toldSchema(o, r) {
		args = append(args, "--json-schema", string(r.Schema.JSON))
	}
	return args
}

// toldSchema reports whether the schema goes into the prompt, because it is too long for an
// argument or would pass through a batch file's quoting.
func toldSchema(o Options, r llm.Request) bool {
	ext := strings.ToLower(filepath.Ext(o.Program))
	if p, err := exec.LookPath(o.Program); err == nil {
		ext = strings.ToLower(filepath.Ext(p))
	}
	return len(r.Schema.JSON) > 16_000 || ext == ".cmd" || ext == ".bat"
}

// keptVariables lists prefixes of the program's variables that control login and connection.
var keptVariables = []string{"CLAUDE_CONFIG_DIR",
	"CLAUDE_CODE_OAUTH_", "CLAUDE_CODE_CUSTOM_OAUTH_URL", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
	"CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_SKIP_FOUNDRY_AUTH", "CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH",
	"CLAUDE_CODE_SKIP_MANTLE_AUTH",
	"CLAUDE_CODE_API_KEY_HELPER_TTL_MS", "CLAUDE_CODE_CLIENT_", "CLAUDE_CODE_CERT_STORE", "CLAUDE_CODE_PROXY_",
	"CLAUDE_CODE_GIT_BASH_PATH", "CLAUDE_CODE_TMPDIR"}

// environment returns the user's environment without what tells the program that it runs inside itself (as recall
// may be called by one of its hooks), and with settings that restrict it to one request. RECALL_CHILD identifies
// recall to hooks that an administrator enforces.
func environment(env []string, most int, timeout time.Duration) []string {
	thinks := false
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		thinks = thinks || name == "MAX_THINKING_TOKENS"
		if slices.ContainsFunc(keptVariables, func(k string) bool { return strings.HasPrefix(name, k) }) {
			return false
		}
		return strings.HasPrefix(name, "CLAUDE") || strings.HasPrefix(name, "RECALL_") || name == "AI_AGENT"
	})
	env = append(env, "RECALL_CHILD=1",
		"CLAUDE_CODE_MAX_RETRIES=0",         // the caller retries
		"MAX_STRUCTURED_OUTPUT_RETRIES=2",   // number of attempts to get the right form
		"CLAUDE_CODE_DISABLE_ATTACHMENTS=1", // otherwise "@/etc/passwd" in a prompt would be read and sent
		"CLAUDE_CODE_SKIP_PROMPT_HISTORY=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		// so that it gives up on its own if recall is killed
		"API_TIMEOUT_MS="+strconv.FormatInt(timeout.Milliseconds(), 10))
	if most > 0 {
		env = append(env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(most))
	}
	if !thinks {
		env = append(env, "MAX_THINKING_TOKENS=0") // otherwise up to 32,000 tokens per answer
	}
	return env
}

// clipped keeps the first bytes written to it.
type clipped struct {
	bytes.Buffer
	most int
}

func (c *clipped) Write(p []byte) (int, error) {
	c.Buffer.Write(p[:min(len(p), max(0, c.most-c.Len()))])
	return len(p), nil
}

// joiner is invisible. It separates an @ from a path and is removed from the answer.
const joiner = "\u2060"

// pathMention matches an @ before a path that may lead out of the empty folder. The program would read that file
// and include it in the request; the variable that should prevent it is undocumented.
var pathMention = text.Pattern(`@(["'/\\~]|[A-Za-z]:|\S*\.\.)`)

// userPrompt returns the program's input. The program takes a text that begins with / for one of its commands.
func userPrompt(o Options, r llm.Request) string {
	p := pathMention().ReplaceAllString(r.Prompt, "@"+joiner+"$1")
	if strings.HasPrefix(strings.TrimSpace(p), "/") {
		p = "The request:\n" + p
	}
	if r.Schema != nil && toldSchema(o, r) {
		p += r.Schema.Told()
	}
	return p
}

// withoutJoiners removes from an answer what userPrompt inserted.
func withoutJoiners(text string) string {
	if !strings.Contains(text, "2060") && !strings.Contains(text, joiner) {
		return text
	}
	return strings.NewReplacer("@"+joiner, "@", `@\u2060`, "@").Replace(text)
}
