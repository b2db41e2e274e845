package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"recall/payload"
	"recall/payload/tokens"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK's own client over the real program: every tool, wrong arguments, huge
// ones, many at once.
func TestTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t).demo()
	w.recall("review", "link", "vsycphuui3", "contradicts", "x9jzur254d")
	s, _ := w.connect()
	for _, c := range []struct {
		name, tool string
		args       map[string]any
		want       []string // parts of the text
		fails      bool
	}{
		{"a decision", "recall_query", map[string]any{"question": "where do the workers run?",
			"also": []string{"binary", "ledgerd"}}, []string{"<!-- recall ",
			"] Where do the workers run? → Inside ledgerd — chosen 2026-08-31 · the user · session fd4adb93:6 (ledgerline#",
			"<!-- /recall -->"}, false},
		{"what the first passage's session says next", "recall_query", map[string]any{
			"question": "why does the retry have jitter?", "limit": 1}, []string{"· the user, session b1047db6:6 ",
			"five tries then dead letter", "\n  · the assistant, session b1047db6:14 (ledgerline#3), 2026-09-09:\n" +
				"    │ Fixed and committed"}, false},
		{"a passage", "recall_query", map[string]any{"question": "retry backoff", "also": []string{"jitter", "exponential"}},
			[]string{"session b1047db6:14", "xponential backoff"}, false},
		{"a kind that nothing on record has", "recall_query", map[string]any{"question": "did we try redis for the cache?",
			"kinds": []string{"eliminated"}}, []string{"Nothing about this of the kinds"}, false},
		{"nothing", "recall_query", map[string]any{"question": "which font did we pick?"},
			[]string{"font: said in no session; nearest"}, false},
		{"as of", "recall_query", map[string]any{"question": "retry backoff", "as_of": "2026-09-01", "limit": 2},
			[]string{"<!-- recall"}, false},
		{"details", "recall_query", map[string]any{"ids": []string{"[ewyffu5hng]"}}, []string{"[ewyffu5hng]", "  over  Norrsken Marine", "\nlater:\n  [7kwhe88hct] then we drop"},
			false},
		{"details of what a person says contradicts", "recall_query", map[string]any{"ids": []string{"vsycphuui3"}},
			[]string{"contradicts it, a person said"}, false},
		{"no question", "recall_query", nil, []string{"no question", "ids"}, true},
		{"unknown kind", "recall_query", map[string]any{"question": "x", "kinds": []string{"foo"}},
			[]string{"foo", "decision eliminated"}, true},
		{"unknown day", "recall_query", map[string]any{"question": "x", "since": "soon"}, []string{"since:", "2w"}, true},
		{"a day after the other", "recall_query", map[string]any{"question": "x", "since": "2026-02", "until": "2026-01"},
			[]string{"isn't before"}, true},
		{"unknown project", "recall_query", map[string]any{"question": "x", "project": "nope"},
			[]string{"no such project", "Leave project out"}, true},
		{"unknown id", "recall_query", map[string]any{"ids": []string{"zzzzzzzzzz"}},
			[]string{"no item zzzzzzzzzz", "[brackets]"}, true},
		{"an unknown id among known ones", "recall_query", map[string]any{"ids": []string{"nonexist00", "ewyffu5hng"}},
			[]string{"[ewyffu5hng]", "There is no item nonexist00."}, false},
		{"a limit that is none", "recall_query", map[string]any{"question": "x", "limit": -5},
			[]string{"/properties/limit: minimum"}, true},
		{"a wrong type", "recall_query", map[string]any{"question": 5}, []string{"/properties/question: type"},
			true},
		{"an argument too many", "recall_query", map[string]any{"question": "x", "colour": "red"},
			[]string{"additional properties"}, true},
		{"huge", "recall_query", map[string]any{"question": strings.Repeat("retry backoff ", 100_000),
			"also": slices.Repeat([]string{strings.Repeat("x", 10_000)}, 100)}, []string{"<!-- recall"}, false},
		{"a payload", "recall_resume", map[string]any{"project": "ledgerline"},
			[]string{"<!-- recall ", "# Rehydration payload", "what would you do next?"}, false},
		{"a session's payload", "recall_resume", map[string]any{"session": "b1047db6", "variant": "handoff"},
			[]string{"## Began with"}, false},
		{"no variant", "recall_resume", map[string]any{"variant": "poem"}, []string{"coding debug handoff"}, true},
		{"the list of sessions", "recall_session", nil, []string{"b1047db6 · 2026-09-09 · ledgerline"}, false},
		{"around a turn", "recall_session", map[string]any{"session": "b1047db6:14"},
			[]string{"\n> ### 12 · ", "\n> ### 14 · Assistant", "\n> ### 16 · "}, false},
		{"some turns, as answers name them", "recall_session", map[string]any{"session": "b1047db6:13-14"},
			[]string{"### 13 · ", "### 14 · Assistant"}, false},
		{"a word", "recall_session", map[string]any{"session": "b1047db6", "find": "JITTER"},
			[]string{"### 14 · "}, false},
		{"beyond the end", "recall_session", map[string]any{"session": "b1047db6:99"}, []string{"turns 1 to 16"}, true},
		{"no such session", "recall_session", map[string]any{"session": "nope"}, []string{"without arguments"}, true},
		{"several sessions", "recall_session", map[string]any{"session": "tid"}, []string{"one of these ids"}, true},
		{"a state", "recall_state", map[string]any{"session": "b1047db6"},
			[]string{"## Decisions", "## Files", "internal/queue/backoff.go · ", "## Apps", "## Data", "## Tool calls",
				"→ ok"},
			false},
		{"what a later session overtook, in the state of its own", "recall_state", map[string]any{"session": "fd4adb93",
			"parts": []string{"decisions"}}, []string{", superseded on 2026-10-05 by ["}, false},
		{"and in its payload", "recall_resume", map[string]any{"session": "fd4adb93"},
			[]string{"; later on the same subject, Oct 5)"}, false},
		{"a part", "recall_state", map[string]any{"session": "b1047db6", "parts": []string{"actions"}},
			[]string{"## Tool calls"}, false},
		{"no part", "recall_state", map[string]any{"parts": []string{"mood"}}, []string{"decisions files apps data actions"},
			true},
		{"nothing to check", "recall_check", nil, []string{"Send plan (words), command, or path"}, true},
		{"a harmless plan", "recall_check", map[string]any{"plan": "Rename a variable in the login page",
			"project": "ledgerline"}, []string{"Nothing that stands speaks against it"}, false},
		{"a plan of no project", "recall_check", map[string]any{"plan": "Rename a variable in the login page"},
			[]string{"no session worked here", `the last was in "tidewise"`, "Send the project"}, true},
		{"a payload of no project", "recall_resume", nil, []string{"no session worked here", "Send the project"}, true},
		{"a state of no project", "recall_state", nil, []string{"no session worked here", "Send the project"}, true},
		{"a note of no session", "recall_note", map[string]any{"kind": "decision", "text": "x"},
			[]string{"not noted", "session"}, true},
		{"a note of no kind", "recall_note", map[string]any{"kind": "poem", "text": "x", "session": "b1047db6"},
			[]string{"poem", "decision eliminated"}, true},
		{"a note that is a book", "recall_note", map[string]any{"kind": "flag", "text": strings.Repeat("x ", 5000),
			"session": "b1047db6"}, []string{"600 characters"}, true},
		{"a note", "recall_note", map[string]any{"kind": "flag", "text": "Mind the cap of 10 min", "session": "b1047db6"},
			[]string{"Noted as flag of session b1047db6", "no quote"}, false},
	} {
		said, failed := call(t, s, c.tool, c.args)
		if failed != c.fails {
			t.Errorf("%s: got error %v, want %v: %s", c.name, failed, c.fails, said)
		}
		for _, part := range c.want {
			if !strings.Contains(said, part) {
				t.Errorf("%s: got no %q in\n%s", c.name, part, said)
			}
		}
		if n := utf8.RuneCountInString(said); n > mostAnswer+1500 {
			t.Errorf("%s: got %d characters, want at most %d", c.name, n, mostAnswer+1500)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "recall_nothing"}); err == nil {
		t.Error("an unknown tool: got no error")
	}
}

func TestConcurrentAndCancelledCalls(t *testing.T) {
	w := newWorld(t).demo()
	s, _ := w.connect()
	var calls sync.WaitGroup
	for i := range 24 {
		calls.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%4 == 0 {
				time.AfterFunc(time.Duration(i)*time.Millisecond, cancel)
			}
			res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "recall_query",
				Arguments: map[string]any{"question": fmt.Sprint("retry backoff ", i)}})
			switch {
			case i%4 == 0 && (err == nil || errors.Is(err, context.Canceled)):
			case err != nil:
				t.Errorf("call %d: %v", i, err)
			case res.IsError:
				t.Errorf("call %d: %v", i, res.Content[0].(*mcp.TextContent).Text)
			}
		})
	}
	calls.Wait()
	if text, failed := call(t, s, "recall_query", map[string]any{"question": "retry backoff"}); failed ||
		!strings.Contains(text, "jitter") {
		t.Errorf("after them: got %q", text)
	}
}

// Without a library, with a broken one or a broken configuration the server
// starts and says what to do; when it is mended, the same server works.
func TestFaultsAreExplained(t *testing.T) {
	w := newWorld(t)
	w.library = filepath.Join(w.home, "Recall")
	file := filepath.Join(w.home, "recall.yaml")
	s, _ := w.connect("RECALL_CONFIG=" + file)
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("query:\n  limits: 5\n")
	if text, failed := call(t, s, "recall_query", map[string]any{"question": "x"}); !failed ||
		!strings.Contains(text, "limits") {
		t.Errorf("a broken configuration: got %q", text)
	}
	write("query:\n  limit: 5\n")
	for _, tool := range []string{"recall_query", "recall_note"} {
		text, failed := call(t, s, tool, map[string]any{"recall_query": map[string]any{"question": "x"},
			"recall_note": map[string]any{"kind": "flag", "text": "x", "session": "y"}}[tool].(map[string]any))
		if !failed || !strings.Contains(text, "recall init") {
			t.Errorf("%s without a library: got %q, want the way to one", tool, text)
		}
	}
	w.recall("sync")
	if text, failed := call(t, s, "recall_query", map[string]any{"question": "anything"}); failed ||
		!strings.Contains(text, "Nothing decided") {
		t.Errorf("an empty library: got %q", text)
	}
	odd := map[string]any{"question": "x", "kinds": []string{"\x1b" + strings.Repeat("x", 50_000)}}
	if text, failed := call(t, s, "recall_query", odd); !failed || len(text) > 10_000 || strings.Contains(text, "\x1b") {
		t.Errorf("an argument that isn't valid: %d bytes: %.200q", len(text), text)
	}
	if err := os.WriteFile(filepath.Join(w.library, "library.toml"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, failed := call(t, s, "recall_query", map[string]any{"question": "x"}); !failed ||
		!strings.Contains(text, "library.toml") {
		t.Errorf("a damaged library: got %q", text)
	}
}

// When the client goes away, by closing its end or by dying, the process ends.
func TestServerEndsWithItsClient(t *testing.T) {
	w := newWorld(t).demo()
	for _, how := range []string{"closed", "interrupted"} {
		cmd := w.command("mcp")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(in,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
				`"clientInfo":{"name":"x","version":"1"}}}`)
		line := make([]byte, 20)
		if _, err := io.ReadFull(out, line); err != nil || string(line[:8]) != `{"jsonrp` {
			t.Fatalf("%s: got %q, %v; want an answer", how, line, err)
		}
		go io.Copy(io.Discard, out)
		if how == "closed" {
			in.Close()
		} else if err := cmd.Process.Signal(os.Interrupt); err != nil {
			cmd.Process.Kill()
			t.Logf("%s: not on this system: %v", how, err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil && how == "closed" {
				t.Errorf("%s: %v", how, err)
			}
		case <-time.After(time.Minute):
			cmd.Process.Kill()
			t.Errorf("%s: the server still runs after a minute", how)
		}
		in.Close()
	}
}

// Schemas and descriptions are what a model goes by: a change shows here.
// UPDATE_SCHEMAS=1 writes them anew.
func TestSchemas(t *testing.T) {
	server, client := mcp.NewInMemoryTransports()
	s := New(Options{Version: "test"})
	ctx := t.Context()
	if _, err := s.mcp.Connect(ctx, server, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, client, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tools, err := c.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	prompts, err := c.ListPrompts(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	words := func(tool, argument string) string {
		p := pages()[tool].Input[argument].(map[string]any)
		if of, ok := p["items"].(map[string]any); ok {
			p = of
		}
		return fmt.Sprint(p["enum"])
	}
	for argument, want := range map[string]any{"recall_query kinds": payload.Kinds, "recall_state parts": stateParts,
		"recall_note kind": payload.NoteKinds, "recall_resume variant": payload.Variants} {
		tool, name, _ := strings.Cut(argument, " ")
		if got := words(tool, name); got != fmt.Sprint(want) {
			t.Errorf("%s takes %s, want %v", argument, got, want)
		}
	}
	for _, tool := range tools.Tools {
		if tool.OutputSchema != nil || tool.Annotations == nil || tool.Annotations.OpenWorldHint == nil {
			t.Errorf("%s: it has an output schema, or lacks annotations", tool.Name)
		}
		if readOnly := tool.Name != "recall_note"; tool.Annotations.ReadOnlyHint != readOnly {
			t.Errorf("%s: got readOnlyHint %v, want %v", tool.Name, !readOnly, readOnly)
		}
	}
	if n := tokens.Count(c.InitializeResult().Instructions); n > 160 {
		t.Errorf("the instructions, which every session reads, take %d tokens, want at most 160", n)
	}
	got, err := json.MarshalIndent(map[string]any{"instructions": c.InitializeResult().Instructions, "tools": tools.Tools,
		"prompts": prompts.Prompts}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "schemas.json")
	if os.Getenv("UPDATE_SCHEMAS") != "" {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
		t.Errorf("other than %s (-want +got); UPDATE_SCHEMAS=1 writes it anew:\n%s", file, diff)
	}
}
