package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"recall/ingest/claudecode/clienttest"
	"recall/payload"
)

// messages is as much of the streaming Messages API as the real client needs. It
// calls the tools given, one a request, and then says that it is done.
type messages struct {
	*httptest.Server
	mu     sync.Mutex
	calls  []toolUse
	bodies []string
}

type toolUse struct {
	name  string
	input map[string]any
}

func newMessages(t *testing.T, calls ...toolUse) *messages {
	m := &messages{calls: calls}
	m.Server = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.Close)
	return m
}

func (m *messages) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprintf(w, `{"input_tokens":%d}`, len(body)/4)
		return
	case r.Method != http.MethodPost || r.URL.Path != "/v1/messages":
		w.WriteHeader(map[bool]int{true: 200, false: 404}[r.Method == http.MethodHead])
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, string(body))
	stop, block := "end_turn", `{"type":"text","text":""}`
	delta := `{"type":"text_delta","text":"Done."}`
	if len(m.calls) > 0 && strings.Contains(string(body), `"`+m.calls[0].name+`"`) {
		use := m.calls[0]
		m.calls = m.calls[1:]
		stop = "tool_use"
		block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%08d","name":%q,"input":{}}`, len(m.bodies), use.name)
		delta = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, mustJSON(string(mustJSON(use.input))))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind, rest string) { fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest) }
	usage := `{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7}`
	event("message_start",
		fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-4-8","content":[],`+
			`"stop_reason":null,"stop_sequence":null,"usage":%s}`, len(m.bodies), usage))
	event("content_block_start", `,"index":0,"content_block":`+block)
	event("content_block_delta", `,"index":0,"delta":`+delta)
	event("content_block_stop", `,"index":0`)
	event("message_delta", `,"delta":{"stop_reason":"`+stop+`","stop_sequence":null},"usage":`+usage)
	event("message_stop", "")
}

// client runs the real client in the world, in a project of its own.
func (w *world) client(program string, m *messages, args ...string) string {
	w.t.Helper()
	project := filepath.Join(w.home, "project")
	if err := os.MkdirAll(project, 0o700); err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.t.Context(), program, args...)
	cmd.Dir = project
	cmd.Env = append(append([]string{}, w.env...), "RECALL_LIBRARY_DIR="+w.library,
		"PATH="+filepath.Dir(w.program)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=dummy-key-for-loopback",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1")
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("claude %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// The real client, with the server as recall setup enters it: a question
// goes there and back, and what the agent notes is an item after the session.
func TestRealClient(t *testing.T) { clienttest.Each(t, asksAndNotes) }

func asksAndNotes(t *testing.T, program string) {
	w := newWorld(t)
	w.library = filepath.Join(w.home, "Recall")
	w.talk(noteSession, "Should we cache the rates in redis?", "Redis or an LRU in process; both hit 98 %.",
		"No redis: another server to run for a table that fits into memory.", "Right, the LRU it is.")
	w.recall("sync")
	m := newMessages(t,
		toolUse{"mcp__recall__recall_query", map[string]any{"question": "did we try redis for the rates?",
			"also": []string{"lru", "cache"}}},
		toolUse{"mcp__recall__recall_note", map[string]any{"kind": "decision",
			"text": "The rates' cache holds 10,000 entries", "quote": "let the rates' cache hold 10,000 entries"}})
	out := w.recall("setup", "--all", "--only", "server", "--client", "claude-code")
	if !strings.Contains(out, ".claude.json") {
		t.Errorf("got %q", out)
	}
	w.client(program, m, "--allowedTools", "mcp__recall", "-p", "Good, let the rates' cache hold 10,000 entries.")
	if len(m.bodies) != 3 {
		t.Fatalf("got %d requests, want 3", len(m.bodies))
	}
	if !strings.Contains(m.bodies[0], "## recall") || !strings.Contains(m.bodies[0], "recall remembers this user") {
		t.Error("the server's instructions didn't reach the model")
	}
	if !strings.Contains(m.bodies[1], "redis") || !strings.Contains(m.bodies[1], "another server to run") ||
		!strings.Contains(m.bodies[1], "<!-- recall ") {
		t.Errorf("the answer didn't reach the model: %s", m.bodies[1][max(0, len(m.bodies[1])-3000):])
	}
	if !strings.Contains(m.bodies[2], "it is on the disk") {
		t.Errorf("the note's answer didn't reach the model: %s", m.bodies[2][max(0, len(m.bodies[2])-2000):])
	}
	w.recall("sync")
	var list struct {
		Sessions []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(w.recall("list", "--headless", "--json")), &list.Sessions); err != nil {
		if err := json.Unmarshal([]byte(w.recall("list", "--headless", "--json")), &list); err != nil {
			t.Fatal(err)
		}
	}
	found := false
	for _, s := range list.Sessions {
		for _, it := range w.items(s.ID) {
			if strings.Contains(strings.ToLower(it.Text), "10,000 entries") && it.Kind == payload.Decision {
				found = true
			}
			if strings.Contains(it.Text, "another server to run") && s.ID != noteSession {
				t.Errorf("what recall answered became an item of the session that asked: %+v", it)
			}
		}
	}
	if !found {
		t.Error("the note isn't an item of the session")
	}
	w.recall("setup", "--remove", "--only", "server")
	if text, err := os.ReadFile(filepath.Join(w.home, ".claude.json")); err != nil ||
		strings.Contains(string(text), w.program) {
		t.Errorf("after uninstall: %s, %v", text, err)
	}
}

// The MCP inspector's command line finds nothing to object to.
func TestInspector(t *testing.T) {
	w := newWorld(t).demo()
	program := os.Getenv("RECALL_INSPECTOR")
	if program == "" {
		t.Skip("RECALL_INSPECTOR names no mcp-inspector; .ci/clients brings one")
	}
	inspect := func(args ...string) map[string]any {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, append([]string{"--cli", "-e", "RECALL_LIBRARY_DIR=" + w.library,
			w.program, "mcp"}, args...)...)
		cmd.Env, cmd.Dir = w.env, scratch
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		var v map[string]any
		if err := json.Unmarshal(out, &v); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return v
	}
	if tools, _ := inspect("--method", "tools/list")["tools"].([]any); len(tools) != len(Tools()) {
		t.Errorf("got %d tools, want %d", len(tools), len(Tools()))
	}
	if prompts, _ := inspect("--method", "prompts/list")["prompts"].([]any); len(prompts) != 3 {
		t.Errorf("got %d prompts, want 3", len(prompts))
	}
	answer := inspect("--method", "tools/call", "--tool-name", "recall_query", "--tool-arg", "question=retry backoff")
	if answer["isError"] == true || !strings.Contains(string(mustJSON(answer["content"])), "jitter") {
		t.Errorf("got %v", answer)
	}
}
