package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"recall/cmd/recall/keep"
)

// printed is what commands print, errors too, by command.
func (b *bed) printed() map[string][]byte {
	all := map[string][]byte{}
	say := func(args ...string) []byte {
		var out, errs bytes.Buffer
		run(b.t.Context(), args, strings.NewReader(""), &out, &errs)
		all[strings.Join(args, " ")] = append(out.Bytes(), errs.Bytes()...)
		return out.Bytes()
	}
	say("init", "--yes")
	say("sync")
	var sessions []listed
	if err := json.Unmarshal(say("list", "--json"), &sessions); err != nil || len(sessions) != 5*b.sessions {
		b.t.Fatalf("%d sessions, %v\n%s", len(sessions), err, all["sync"])
	}
	var projects []keep.ProjectDoc
	if err := json.Unmarshal(say("project", "list", "--json"), &projects); err != nil ||
		len(projects) < min(b.sessions, 20) {
		b.t.Fatalf("%d projects, %v", len(projects), err)
	}
	for s := range some(sessions, 32) {
		id := string(s.ID)
		say("show", id)
		say("show", id, "--transcript")
		say("show", "--actions", id, "--json")
		say("manifest", id, "--json")
	}
	for p := range some(projects, 32) {
		say("resume", p.Name, "--no-sync")
		say("thread", p.Name)
	}
	id := string(sessions[0].ID)
	for _, args := range [][]string{{"list"}, {"project", "list"}, {"status"}, {"status", "--json"}, {"log", "--changed"},
		{"status", "--open"}, {"status", "--open", "--json"},
		{"log"}, {"log", "--json"}, {"habits"}, {"audit"}, {"check"}, {"check", "--repair"},
		{"status", "usage"}, {"review"}, {"query", "--no-sync", "heap instead of sorted list"},
		{"query", "--no-sync", "--json", "which offers do we compare"}, {"thread"},
		{"export", id, "--to", filepath.Join(os.Getenv("HOME"), "out")},
		{"resume", "build the importer with a heap"}, {"handoff", "--to", "bea"}, {"guard"},
		{"guard", os.Getenv("HOME")}, {"restore", id, "--dry-run"},
		{"forget", id, "--dry-run"}, {"why", "src/x.go:1"}, {"why", "--file", "x.go"}, {"grep", "FAIL"},
		{"reindex"}, {"archive"}, {"sync"}} {
		say(args...)
	}
	var asked []string
	call := func(method string, params object) {
		line, err := json.Marshal(object{"jsonrpc": "2.0", "id": len(asked) + 1, "method": method, "params": params})
		if err != nil {
			b.t.Fatal(err)
		}
		asked = append(asked, string(line)+"\n")
	}
	call("initialize", object{"protocolVersion": "2025-06-18", "capabilities": object{},
		"clientInfo": object{"name": "x", "version": "1"}})
	call("prompts/list", object{})
	for s := range some(sessions, 32) {
		call("tools/call", object{"name": "recall_resume", "arguments": object{"session": string(s.ID)}})
		call("tools/call", object{"name": "recall_session", "arguments": object{"session": string(s.ID)}})
		call("tools/call", object{"name": "recall_state", "arguments": object{"session": string(s.ID)}})
	}
	for p := range some(projects, 16) {
		call("tools/call", object{"name": "recall_resume", "arguments": object{"project": p.Name}})
	}
	for _, question := range []string{"which queue, heap or sorted list", "which offers do we compare",
		"what is next", "what went wrong"} {
		call("tools/call", object{"name": "recall_query", "arguments": object{"question": question}})
		call("tools/call", object{"name": "recall_check", "arguments": object{"plan": question}})
	}
	said := b.asksServer(asked)
	if n := bytes.Count(said, []byte("‹")); n < 100 {
		b.t.Errorf("%d placeholders were answered over MCP: this test proves nothing", n)
	}
	all["over MCP"] = said
	told, folders := 0, 0
	for folder := range some(b.folders, 16) {
		folders++
		for event, in := range map[string]object{"session-start": {"source": "startup"},
			"user-prompt-submit": {"prompt": "Which queue do we use, a heap?"},
			"pre-tool-use":       {"tool_name": "Bash", "tool_input": object{"command": "rm -rf " + os.Getenv("HOME")}},
			"pre-compact":        {"trigger": "auto"}, "session-end": {"reason": "exit"}} {
			if event == "pre-tool-use" && folders%3 != 1 {
				continue // it reads everything that would be deleted, the same each time
			}
			in["session_id"], in["cwd"], in["hook_event_name"] = fmt.Sprintf("hooked-%d", len(all)), folder, event
			text, err := json.Marshal(in)
			if err != nil {
				b.t.Fatal(err)
			}
			var out, errs bytes.Buffer
			run(b.t.Context(), []string{"hook", event}, bytes.NewReader(text), &out, &errs)
			all["hook "+event+" in "+folder] = append(out.Bytes(), errs.Bytes()...)
			told += out.Len()
		}
	}
	if told == 0 {
		b.t.Error("no hook said anything: this test proves nothing about them")
	}
	return all
}

// some are at most about so many of all, from everywhere among them: commands are tried on some, however much is
// planted, as what they print is made of what is looked through whole. Sources and forms take turns by two and
// three, so that the step is neither's.
func some[T any](all []T, most int) iter.Seq[T] {
	step := max(1, len(all)/most)
	for step%2 == 0 || step%3 == 0 {
		step++
	}
	return func(yield func(T) bool) {
		for i := 0; i < len(all) && yield(all[i]); i += step {
		}
	}
}

// asksServer sends requests to `recall mcp` and returns all its answers.
func (b *bed) asksServer(requests []string) []byte {
	said := &allAnswers{left: len(requests), done: make(chan struct{})}
	var errs bytes.Buffer
	run(b.t.Context(), []string{"mcp"}, io.MultiReader(strings.NewReader(strings.Join(requests, "")), said), said,
		&errs)
	return append(said.Bytes(), errs.Bytes()...)
}

// allAnswers is what a server says, and the end of its input once it has answered
// everything.
type allAnswers struct {
	bytes.Buffer
	left int
	done chan struct{}
}

func (a *allAnswers) Write(p []byte) (int, error) {
	n, err := a.Buffer.Write(p)
	if a.left -= bytes.Count(p, []byte("\n")); a.left == 0 {
		close(a.done)
	}
	return n, err
}

func (a *allAnswers) Read([]byte) (int, error) {
	<-a.done
	return 0, io.EOF
}
