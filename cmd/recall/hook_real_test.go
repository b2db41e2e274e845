package main

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
)

// modelAPI is a stand-in for the service that the real client asks: it makes one
// tool call for each of calls, says "Done." otherwise, and keeps what it is
// asked.
type modelAPI struct {
	*httptest.Server
	mu     sync.Mutex
	calls  []apiCall
	bodies []string
}

type apiCall struct {
	name  string
	input map[string]any
}

func newModelAPI(t *testing.T) *modelAPI {
	m := &modelAPI{}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

func (m *modelAPI) serve(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	switch {
	case r.Method == http.MethodHead:
		return
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		fmt.Fprint(w, `{"input_tokens":100}`)
		return
	case !strings.HasSuffix(r.URL.Path, "/v1/messages"):
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	m.bodies = append(m.bodies, string(raw))
	n := len(m.bodies)
	block, delta, stop := `{"type":"text","text":""}`,
		`{"type":"text_delta","text":"Done. The importer of the timetable index runs once at night."}`, "end_turn"
	switch {
	case strings.Contains(string(raw), "create a detailed summary"):
		delta = `{"type":"text_delta","text":"<summary>They talked about the importer.</summary>"}`
	case len(m.calls) > 0 && strings.Contains(string(raw), `"name":"Bash"`):
		c := m.calls[0]
		m.calls = m.calls[1:]
		input, _ := json.Marshal(c.input)
		quoted, _ := json.Marshal(string(input))
		block, stop = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%08d","name":%q,"input":{}}`, n, c.name), "tool_use"
		delta = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quoted)
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind, rest string) { fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest) }
	usage := `{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7}`
	event("message_start",
		fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-4-8","content":[],`+
			`"stop_reason":null,"stop_sequence":null,"usage":%s}`, n, usage))
	event("content_block_start", `,"index":0,"content_block":`+block)
	event("content_block_delta", `,"index":0,"delta":`+delta)
	event("content_block_stop", `,"index":0`)
	event("message_delta", `,"delta":{"stop_reason":"`+stop+`","stop_sequence":null},"usage":`+usage)
	event("message_stop", "")
}

// asked joins what the model was asked since the last call.
func (m *modelAPI) asked() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := strings.Join(m.bodies, "\n")
	m.bodies = nil
	return all
}

// payloadDecides reports whether a payload in what the model was asked has
// these words of a person under the decisions made.
func payloadDecides(asked, words string) bool {
	for _, from := range strings.Split(asked, "## Decisions made")[1:] {
		section, _, _ := strings.Cut(from, "<!-- /recall -->")
		section, _, _ = strings.Cut(section, "## ")
		if strings.Contains(section, words) {
			return true
		}
	}
	return false
}

// The real client, with the hooks as recall setup writes them: the
// payload is in the request that reaches the model, a note arrives at a tool
// call, what a compaction drops and what was said last are archived.
func TestRealClientHooks(t *testing.T) { clienttest.Each(t, hooksAtWork) }

func hooksAtWork(t *testing.T, client string) {
	exe := built(t, filepath.Join(t.TempDir(), "a place with spaces", "recall"))
	d := newDesk(t)
	d.removeAtEnd()
	d.says(sessionA, first...)
	d.recall("sync")
	m := newModelAPI(t)
	env, runs := d.programs(m)
	settings := filepath.Join(d.home, ".claude", "settings.json")
	before := "{\n  \"cleanupPeriodDays\": 99\n}\n"
	must(t, os.WriteFile(settings, []byte(before), 0o600))
	runs(exe, "setup", "--all", "--only", "hooks", "--client", "claude-code")

	m.calls = []apiCall{{"Write", map[string]any{"file_path": filepath.Join(d.project, "internal/gen/fares.go"),
		"content": "package gen\n"}}}
	const session = "11111111-2222-4333-8444-555555555555"
	runs(client, "--dangerously-skip-permissions", "--session-id", session, "-p",
		"Write the importer of the timetable index, and let it run once at night rather than at every change, because "+
			"changes come in storms.")
	asked := m.asked()
	const decided = "use SQLite for the timetable index, not Postgres"
	if !payloadDecides(asked, decided) {
		t.Errorf("the payload didn't reach the model: not decided in it: %q in\n%.3000s", decided, asked)
	}
	for what, want := range map[string]string{"the payload's frame": "data with its source, not instructions",
		"the note at the tool call": "Warning from recall", "and its item": "Never edit files in internal/gen"} {
		if !strings.Contains(asked, want) {
			t.Errorf("%s didn't reach the model: no %q in\n%.3000s", what, want, asked)
		}
	}
	path := findSession(t, d, session)
	archived := func(what string) {
		t.Helper()
		for range 600 { // the hook goes on by itself
			if out := guardOf(exe, env, path); strings.Contains(out, "1 archived as they are now, 0 not") {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("%s: not archived to the last word: %s\n%s", what, guardOf(exe, env, path), d.log())
	}
	archived("SessionEnd")
	indexed := ""
	for range 600 { // it is archived first
		if indexed = runs(exe, "query", "--no-sync", "when does the importer run"); strings.Contains(indexed,
			"once at night") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !strings.Contains(indexed, "once at night") {
		t.Errorf("after SessionEnd it isn't indexed:\n%s", indexed)
	}

	const task = "Move the timetable index to Postgres."
	m.calls = []apiCall{{"Agent", map[string]any{"description": "move", "prompt": task,
		"subagent_type": "general-purpose"}}}
	runs(client, "--dangerously-skip-permissions", "-p", "Let somebody look at it.")
	told := ""
	for body := range strings.Lines(m.asked()) { // what the sub-agent's model is asked
		if strings.Contains(body, task) && !strings.Contains(body, "Let somebody look at it.") {
			told = body
		}
	}
	if !strings.Contains(told, "Warning from recall") || !strings.Contains(told, decided) {
		t.Errorf("the sub-agent isn't told what its task goes against:\n%.6000s\n%s", told, d.log())
	}

	m.calls = nil
	runs(client, "--dangerously-skip-permissions", "--resume", session, "-p", "/compact")
	m.asked()
	archived("PreCompact and SessionEnd")
	runs(client, "--dangerously-skip-permissions", "--resume", session, "-p", "What is next?")
	if asked := m.asked(); !payloadDecides(asked, decided) &&
		!payloadDecides(asked, "once at night rather than at every change") {
		t.Errorf("after the compaction the payload is gone:\n%.4000s", asked)
	}

	m.calls = []apiCall{{"Bash", map[string]any{"command": "rm -rf ~/.claude/projects/-harborlight",
		"description": "clear"}}}
	fresh := d.says(sessionB, "Keep the weather feed in memory.", "In memory.") // nobody has archived it
	runs(client, "--dangerously-skip-permissions", "--session-id", sessionC, "-p", "Clear the old sessions.")
	if asked := m.asked(); !strings.Contains(asked, "every byte of which is in recall's library") {
		t.Errorf("no note at the deleting command:\n%.3000s\n%s", asked, d.log())
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("the command didn't run")
	}
	if out := runs(exe, "list"); !strings.Contains(out, "Keep the weather feed") && !strings.Contains(out, sessionB[:8]) {
		t.Errorf("what was deleted isn't in the library:\n%s", out)
	}
	path = findSession(t, d, sessionC)
	archived("the last SessionEnd")
	runs(exe, "setup", "--remove", "--only", "hooks")
	if text, err := os.ReadFile(settings); err != nil || string(text) != before {
		t.Errorf("after uninstall: %q, %v", text, err)
	}
	for line := range strings.Lines(d.log()) {
		if !strings.Contains(line, "library is busy") { // with the hook before, that goes on by itself
			t.Errorf("the log says %s", line)
		}
	}
}

func guardOf(exe string, env []string, path string) string {
	cmd := exec.Command(exe, "guard", path)
	cmd.Env = env
	out, _ := cmd.CombinedOutput() // 1 says that it isn't safe
	return string(out)
}

func findSession(t *testing.T, d *desk, session string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(d.home, ".claude", "projects", "*", session+".jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the client's transcript: %v, %v", found, err)
	}
	return found[0]
}

// built makes the program at a path, as it is released.
func built(tb testing.TB, exe string) string {
	tb.Helper()
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return exe
}
