package claudecli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"recall/internal/llm"
)

var schema = &llm.Schema{Name: "a",
	JSON: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`)}

// success is what 2.1.197 prints, shortened.
func success(result, more string) string {
	r, _ := json.Marshal(result)
	return `{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"duration_ms":103,"num_turns":1,"result":` + string(r) +
		`,"stop_reason":"end_turn","session_id":"7ecda78a","total_cost_usd":0.00005325,"usage":{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":20,"output_tokens":7,"server_tool_use":{"web_search_requests":0}},` +
		`"modelUsage":{"claude-haiku-4-5-20251001":{"inputTokens":10,"outputTokens":7,"costUSD":0.00005325,"contextWindow":200000},"a-small-one":{"outputTokens":2}},"permission_denials":[]` + more + "}\n"
}

func TestComplete(t *testing.T) {
	for k, v := range map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ID": "s",
		"CLAUDE_CODE_FORCE_SESSION_PERSISTENCE": "1",
		"CLAUDE_PROJECT_DIR":                    "/p", "CLAUDE_CONFIG_DIR": "/c", "CLAUDE_CODE_OAUTH_TOKEN": "tok", "RECALL_LLM_KEY": "k",
		"AI_AGENT": "x", "MAX_THINKING_TOKENS": "9"} {
		t.Setenv(k, v)
	}
	m, out := fake(t, "record", success(`{"a":1}`, `,"structured_output":{"a":1}`))
	got, err := m.Complete(t.Context(), llm.Request{System: "Be brief.", Prompt: "hello", Schema: schema, Max: 500})
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Response{Text: `{"a":1}`,
		Usage: llm.Usage{In: 35, CacheRead: 20, CacheWrite: 5, Out: 7}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("answer (-want +got):\n%s", d)
	}
	s := saw(t, out)
	if s.Input != "hello" || s.System != "Be brief." || s.Files != 0 {
		t.Errorf("got input %q, system %q, %d files around it", s.Input, s.System, s.Files)
	}
	s.Args = slices.DeleteFunc(s.Args, func(a string) bool { return strings.HasSuffix(a, "system.txt") })
	if d := cmp.Diff([]string{"-p", "--output-format", "json", "--no-session-persistence", "--safe-mode",
		"--strict-mcp-config", "--disable-slash-commands",
		"--tools=", "--system-prompt-file", "--model", "haiku", "--json-schema", string(schema.JSON)}, s.Args); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	var env []string
	for _, v := range s.Env {
		if strings.HasPrefix(v, "CLAUDE") || strings.HasPrefix(v, "RECALL") || strings.HasPrefix(v, "MAX_") ||
			strings.HasPrefix(v, "AI_") || strings.HasPrefix(v, "API_") {
			env = append(env, v)
		}
	}
	slices.Sort(env)
	if d := cmp.Diff([]string{"API_TIMEOUT_MS=120000", "CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=500",
		"CLAUDE_CODE_MAX_RETRIES=0", "CLAUDE_CODE_OAUTH_TOKEN=tok", "CLAUDE_CODE_SKIP_PROMPT_HISTORY=1",
		"CLAUDE_CONFIG_DIR=/c", "MAX_STRUCTURED_OUTPUT_RETRIES=2",
		"MAX_THINKING_TOKENS=9", "RECALL_CHILD=1"}, env); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
	if _, err := os.Stat(s.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder is still there: %v", err)
	}
	if m.Name() != "claude-cli/haiku" || m.Window() != 200_000 {
		t.Errorf("got %s, window %d", m.Name(), m.Window())
	}
}

func saw(t *testing.T, out string) (s seen) {
	t.Helper()
	b, err := os.ReadFile(out)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A prompt names files and commands; none is for the program to read or run.
func TestPromptIsText(t *testing.T) {
	for _, tc := range []struct{ prompt, want string }{
		{"see @/etc/passwd", "see @\u2060/etc/passwd"},
		{"see @~/.ssh/id, @\"/a b\" and @a/../../b", "see @\u2060~/.ssh/id, @\u2060\"/a b\" and @\u2060a/../../b"},
		{`@C:\keys`, "@\u2060C:\\keys"},
		{"me@example.com, @decorator, @go/x", "me@example.com, @decorator, @go/x"},
		{"/compact now", "The request:\n/compact now"},
		{"", ""},
	} {
		if got := userPrompt(Options{Program: "claude"}, llm.Request{Prompt: tc.prompt}); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.prompt, got, tc.want)
		}
	}
	m, out := fake(t, "record", success("",
		`,"structured_output":{"quote":"see @\u2060/etc/passwd","other":"@`+"\u2060"+`~/x"}`))
	long := &llm.Schema{JSON: json.RawMessage(`{"description":"` + strings.Repeat("x", 16_000) + `"}`)}
	got, err := m.Complete(t.Context(), llm.Request{Prompt: "see @/etc/passwd", Schema: long})
	if err != nil || got.Text != `{"quote":"see @/etc/passwd","other":"@~/x"}` {
		t.Errorf("got %q, %v", got.Text, err)
	}
	if s := saw(t, out); slices.Contains(s.Args, "--json-schema") || !strings.Contains(s.Input, string(long.JSON)) {
		t.Error("a long schema isn't told in the prompt")
	}
}

func TestFaults(t *testing.T) {
	failed := func(status, subtype, words string) string {
		s := strings.Replace(success(words, ""), `"is_error":false,"api_error_status":null`,
			`"is_error":true,"api_error_status":`+status, 1)
		return strings.Replace(s, `"subtype":"success"`, `"subtype":"`+subtype+`"`, 1)
	}
	paid := llm.Usage{In: 35, CacheRead: 20, CacheWrite: 5, Out: 7}
	for _, tc := range []struct {
		name, out, err, exit string
		fault                llm.Fault
		text                 string // a part
		usage                llm.Usage
	}{
		// As 2.1.197 says it to the API's answer.
		{"no login", failed("null", "success", "Not logged in · Please run /login"), "", "1", llm.Unauthorized, "run /login",
			paid},
		{"401", failed("401", "success", "Invalid API key · Fix external API key"), "", "1", llm.Unauthorized,
			"Invalid API key", paid},
		{"404", failed("404", "success",
			"There's an issue with the selected model (nix). It may not exist or you may not have access to it."), "", "1",
			llm.NotFound, "nix", paid},
		{"429", failed("429", "success", "API Error: Request rejected (429) · slow down"), "", "1", llm.RateLimited,
			"slow down", paid},
		{"529", failed("529", "success", "API Error: 529 Overloaded. This is a server-side issue"), "", "1", llm.Overloaded,
			"529", paid},
		{"500", failed("500", "success", "API Error: 500 Internal server error"), "", "1", llm.Overloaded, "500", paid},
		{"credit", failed("400", "success", "API Error: 400 Your credit balance is too low to access the Anthropic API."),
			"", "1", llm.NoCredit, "credit balance", paid},
		{"too long", failed("400", "success", "API Error: 400 prompt is too long: 9 tokens > 8 maximum"), "", "1",
			llm.TooLong, "9 tokens", paid},
		{"wrong request", failed("400", "success", "API Error: 400 messages: nothing"), "", "1", llm.Rejected, "nothing",
			paid},
		{"cut", failed("null", "success",
			"API Error: Claude's response exceeded the 500 output token maximum. To configure this"), "", "1", llm.Cut, "500",
			paid},
		{"refusal", failed("null", "success",
			"API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy"), "", "1",
			llm.Refused, "Usage Policy", paid},
		// As users report it.
		{"subscription's limit", failed("429", "success", "Claude AI usage limit reached|1762952400"), "", "1", llm.NoCredit,
			"usage limit", paid},
		{"session's limit", failed("429", "success", "You've hit your session limit · resets 12:50pm (Europe/Paris)"), "",
			"1", llm.NoCredit, "12:50pm", paid},
		{"no network", failed("null", "success", "API Error: Connection error."), "", "1", llm.Unreachable, "Connection",
			paid},
		{"slow network", failed("null", "success", "API Error: Request timed out."), "", "1", llm.TimedOut, "timed out",
			paid},
		{"never by the schema", failed("null", "error_max_structured_output_retries", ""), "", "1", llm.Nonsense,
			"structured_output", paid},
		{"an error of its own", failed("null", "error_during_execution", ""), "", "1", llm.Nonsense, "during_execution",
			paid},
		// What is no answer.
		{"empty", success("", ""), "", "0", llm.Nonsense, "empty answer", paid},
		{"too old", "", "error: unknown option '--safe-mode'\n", "1", llm.NotFound, "claude update", llm.Usage{}},
		{"nothing", "", "", "0", llm.Nonsense, "printed nothing", llm.Usage{}},
		{"nothing, ill", "", "", "3", llm.Nonsense, "exit status 3", llm.Usage{}},
		{"no JSON", "Welcome to Claude!\n\x1b[1m", "", "0", llm.Nonsense, "Welcome", llm.Usage{}},
		{"half a JSON", success("x", "")[:80], "", "0", llm.Nonsense, `"result"`, llm.Usage{}},
		{"other JSON", `{"ok":true}`, "", "0", llm.Nonsense, "ok", llm.Usage{}},
		{"crash", "", "panic: Invalid API key", "2", llm.Unauthorized, "Invalid API key", llm.Usage{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, _ := fake(t, "print", tc.out)
			t.Setenv("FAKE_ERR", tc.err)
			t.Setenv("FAKE_EXIT", tc.exit)
			_, err := m.answer(output{out: []byte(tc.out)})
			if tc.out == "" { // how it ended matters too
				_, err = m.Complete(t.Context(), llm.Request{Prompt: "hello", Schema: schema})
			}
			var e *llm.Error
			if !errors.As(err, &e) || e.Fault != tc.fault || e.Usage != tc.usage || !strings.Contains(e.Text, tc.text) {
				t.Errorf("got %#v, want %s with %q", err, tc.fault, tc.text)
			}
		})
	}
}

// Older programs answer without structured_output; some print a list.
func TestOtherForms(t *testing.T) {
	for _, out := range []string{success("Sure:\n```json\n{\"a\":1}\n```", ""), `[{"type":"system","subtype":"init"},` +
		success(`{"a":1}`, "") + `]`,
		"(node:1) Warning: something is deprecated\n" + success(`{"a":1}`, "")} {
		m, _ := fake(t, "print", out)
		got, err := m.Complete(t.Context(), llm.Request{Prompt: "hello", Schema: schema})
		if found, _ := llm.FindJSON(got.Text); err != nil || found != `{"a":1}` {
			t.Errorf("%s: got %q, %v", out, got.Text, err)
		}
	}
}

func TestNoProgram(t *testing.T) {
	for _, p := range []string{"claude-that-is-not-there", filepath.Join(t.TempDir(), "claude")} {
		m, err := New(Options{Program: p, Lock: filepath.Join(t.TempDir(), "lock")})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Complete(t.Context(), llm.Request{Prompt: "hello"})
		var e *llm.Error
		if !errors.As(err, &e) || e.Fault != llm.NotFound || !strings.Contains(e.Text, "npm install") {
			t.Errorf("%s: got %v", p, err)
		}
	}
}

// One program runs at a time, whoever asks.
func TestOneAtATime(t *testing.T) {
	m, _ := fake(t, "alone", success("ok", ""))
	other, err := New(m.o)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, m := range []*Model{m, other, m, other} {
		wg.Go(func() {
			if _, err := m.Complete(t.Context(), llm.Request{Prompt: "hello"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()

	lock := flock.New(m.o.Lock) // as another process holds it
	if ok, err := lock.TryLock(); !ok {
		t.Fatal(err)
	}
	defer lock.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var e *llm.Error
	if _, err := m.Complete(ctx, llm.Request{Prompt: "hello"}); !errors.As(err, &e) || e.Fault != llm.TimedOut {
		t.Errorf("got %v while another runs", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := m.Complete(ctx, llm.Request{Prompt: "hello"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after a cancel", err)
	}
}

// Neither the program nor what it started outlives the request, however that
// ends.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the child's lock isn't seen to end at once")
	}
	for _, tc := range []struct {
		name, how string
		end       func(ctx context.Context, m *Model, out string) context.Context
		want      func(error) bool
	}{
		{"an answer", "leave", nil, func(err error) bool { return err == nil }},
		{"a timeout", "hang", func(ctx context.Context, m *Model, _ string) context.Context {
			m.o.Timeout = 300 * time.Millisecond
			return ctx
		}, func(err error) bool {
			var e *llm.Error
			return errors.As(err, &e) && e.Fault == llm.TimedOut
		}},
		{"a cancel", "hang", func(ctx context.Context, _ *Model, out string) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			go func() { // as soon as the child lives
				for {
					if _, err := os.Stat(out); err == nil {
						cancel()
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
			}()
			return ctx
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		m, out := fake(t, tc.how, success("ok", ""))
		ctx := t.Context()
		if tc.end != nil {
			ctx = tc.end(ctx, m, out)
		}
		began := time.Now()
		_, err := m.Complete(ctx, llm.Request{Prompt: "hello"})
		if !tc.want(err) {
			t.Errorf("%s: got %v", tc.name, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: took %v", tc.name, took)
		}
		// The child held this lock while it lived.
		wait, cancel := context.WithTimeout(t.Context(), time.Minute)
		if ok, err := flock.New(out).TryLockContext(wait, 5*time.Millisecond); !ok {
			t.Errorf("%s: its child lives on: %v", tc.name, err)
		}
		cancel()
	}
}
