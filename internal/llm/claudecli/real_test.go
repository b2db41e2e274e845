package claudecli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest/claudecode/clienttest"
	"recall/internal/llm"
)

// api is as much of Anthropic's streaming Messages as the client needs. It
// answers by the tool for structured output if it is offered, or refuses with
// status.
type api struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	status int
	kind   string
	words  string
	stop   string
}

func (a *api) handle(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		w.WriteHeader(map[bool]int{true: 200, false: 404}[r.Method == http.MethodHead])
		return
	}
	b, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	a.bodies = append(a.bodies, string(b))
	a.mu.Unlock()
	if a.status != 0 {
		w.WriteHeader(a.status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":%q}}`, a.kind, a.words)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind, rest string) { fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest) }
	usage := `{"input_tokens":10,"cache_creation_input_tokens":5,"cache_read_input_tokens":20,"output_tokens":7}`
	event("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":`+usage+`}`)
	stop := a.stop
	if strings.Contains(string(b), `"StructuredOutput"`) {
		event("content_block_start", `,"index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"StructuredOutput","input":{}}`)
		event("content_block_delta", `,"index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}`)
		stop = "tool_use"
	} else {
		event("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
		event("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"hello back"}`)
	}
	event("content_block_stop", `,"index":0`)
	event("message_delta", `,"delta":{"stop_reason":"`+stop+`","stop_sequence":null},"usage":`+usage)
	event("message_stop", "")
}

// real is the real client, in a home that has all that mustn't be loaded, and
// the API it asks.
func real(t *testing.T, program string) (m *Model, a *api, home string) {
	t.Helper()
	a = &api{stop: "end_turn"}
	a.Server = httptest.NewServer(http.HandlerFunc(a.handle))
	t.Cleanup(a.Close)
	home = t.TempDir()
	write := func(name, text string) {
		p := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := `"` + filepath.Join(home, "ran.sh") + `"`
	write("ran.sh", "#!/bin/sh\ntouch "+filepath.Join(home, "ran")+"\n")
	hook := `[{"hooks":[{"type":"command","command":` + jsonString(run) + `}]}]`
	write("config/settings.json", `{"hooks":{"SessionStart":`+hook+`,"UserPromptSubmit":`+hook+`,"Stop":`+hook+`,"SessionEnd":`+hook+`},"outputStyle":"shouty"}`)
	write("config/CLAUDE.md", "MUST-NOT-BE-LOADED memory")
	write("config/output-styles/shouty.md", "---\nname: shouty\ndescription: x\n---\nMUST-NOT-BE-LOADED style")
	write("config/skills/s/SKILL.md", "---\nname: s\ndescription: MUST-NOT-BE-LOADED skill\n---\n")
	write("config/.claude.json", `{"hasCompletedOnboarding":true,"mcpServers":{"m":{"type":"stdio","command":`+jsonString(filepath.Join(home, "ran.sh"))+`,"args":[]}}}`)
	write("secret.txt", "MUST-NOT-BE-LOADED file")
	for k, v := range map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": filepath.Join(home, "config"),
		"ANTHROPIC_BASE_URL": a.URL, "ANTHROPIC_API_KEY": "dummy-key-for-loopback",
		"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_CHILD_SESSION": "1"} {
		t.Setenv(k, v)
	}
	m, err := New(Options{Program: program, Model: "haiku", Timeout: 30 * time.Second, Lock: filepath.Join(home, "lock")})
	if err != nil {
		t.Fatal(err)
	}
	return m, a, home
}

func jsonString(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestRealClient(t *testing.T) { clienttest.Each(t, answersAlone) }

func answersAlone(t *testing.T, program string) {
	m, a, home := real(t, program)
	r := llm.Request{System: "Be brief.", Prompt: "hello @" + filepath.Join(home, "secret.txt")}
	usage := llm.Usage{In: 35, CacheRead: 20, CacheWrite: 5, Out: 7}
	for _, tc := range []struct {
		schema *llm.Schema
		want   string
	}{{nil, "hello back"}, {schema, `{"a":1}`}} {
		r.Schema = tc.schema
		got, err := m.Complete(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(llm.Response{Text: tc.want, Usage: usage}, got); d != "" {
			t.Errorf("answer (-want +got):\n%s", d)
		}
	}
	if len(a.bodies) != 2 {
		t.Errorf("%d requests for two questions", len(a.bodies))
	}
	for _, b := range a.bodies {
		if strings.Contains(b, "MUST-NOT-BE-LOADED") || !strings.Contains(b, "Be brief.") {
			t.Errorf("sent %s", b)
		}
		var body struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal([]byte(b), &body); err != nil || len(body.Tools) > 1 || len(body.Tools) == 1 &&
			body.Tools[0].Name != "StructuredOutput" {
			t.Errorf("tools: got %v, %v", body.Tools, err)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("a hook or an MCP server of the user's was started")
	}
	noSessions(t, home)
}

// noSessions checks that no transcript or list of prompts is left.
func noSessions(t *testing.T, home string) {
	t.Helper()
	filepath.WalkDir(home, func(p string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(p, ".jsonl") || d != nil && d.IsDir() && d.Name() == "projects" {
			t.Errorf("left %s", strings.TrimPrefix(p, home))
		}
		return nil
	})
	b, _ := os.ReadFile(filepath.Join(home, "config", ".claude.json"))
	var kept struct{ Projects map[string]any }
	if err := json.Unmarshal(b, &kept); err != nil || len(kept.Projects) > 0 {
		t.Errorf(".claude.json: got projects %v, %v", kept.Projects, err)
	}
}

// What the real client makes of the API's refusals, each asked once.
func TestRealClientFaults(t *testing.T) { clienttest.Each(t, saysWhatFailed) }

func saysWhatFailed(t *testing.T, program string) {
	m, a, home := real(t, program)
	for _, tc := range []struct {
		status      int
		kind, words string
		want        llm.Fault
		asked       int
	}{
		{401, "authentication_error", "invalid x-api-key", llm.Unauthorized, 1},
		{429, "rate_limit_error", "slow down", llm.RateLimited, 1},
		{529, "overloaded_error", "Overloaded", llm.Overloaded, 1},
		{400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", llm.TooLong, 1},
		{400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", llm.NoCredit, 1},
	} {
		a.status, a.kind, a.words, a.bodies = tc.status, tc.kind, tc.words, nil
		_, err := m.Complete(t.Context(), llm.Request{Prompt: "hello"})
		var e *llm.Error
		if !errors.As(err, &e) || e.Fault != tc.want || len(a.bodies) != tc.asked {
			t.Errorf("%d %s: got %v after %d requests, want %s", tc.status, tc.words, err, len(a.bodies), tc.want)
		}
	}
	a.status, a.stop = 0, "refusal"
	var e *llm.Error
	if _, err := m.Complete(t.Context(), llm.Request{Prompt: "hello"}); !errors.As(err, &e) || e.Fault != llm.Refused {
		t.Errorf("refusal: got %v", err)
	}
	noSessions(t, home)
}
