package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// writeTranscript FILE OUT makes a Claude Code transcript of a short form:
//
//	session ID FOLDER BRANCH
//	2026-04-17T09:00:00Z you WORDS
//	2026-04-17T09:00:05Z says WORDS
//	2026-04-17T09:00:07Z asks QUESTION
//	2026-04-17T09:00:08Z chose WORDS   one of the options
//	2026-04-17T09:00:10Z call TOOL {"input": "as JSON"}
//	2026-04-17T09:00:12Z ok TEXT     or: failed TEXT; the result of the call, as JSON where it begins with "
//
// $WORK stands for the story's folder.
func writeTranscript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write-transcript FILE OUT")
	}
	work, err := json.Marshal(ts.Getenv("WORK"))
	ts.Check(err)
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "$WORK", strings.Trim(string(work), `"`))
	out := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(out), 0o700))
	if strings.HasPrefix(text, "{") { // it is JSON already
		ts.Check(os.WriteFile(out, []byte(text), 0o600))
		return
	}
	w := transcriptWriter{ts: ts}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		for _, later := range slices.Backward(lines[i:]) {
			if _, words, ok := strings.Cut(later, " chose "); ok {
				w.chosen = words // in the end that of the next answer
			}
		}
		w.line(fmt.Sprintf("%s:%d", args[0], i+1), line)
	}
	ts.Check(os.WriteFile(out, []byte(w.out.String()), 0o600))
}

type transcriptWriter struct {
	ts              *testscript.TestScript
	id, dir, branch string
	out             strings.Builder
	n               int
	last, call      string
	asked           string // by the last "asks"
	chosen          string // by the next "chose"
}

func (w *transcriptWriter) line(where, line string) {
	if rest, ok := strings.CutPrefix(line, "session "); ok {
		f := strings.Fields(rest)
		w.id, w.dir, w.branch = f[0], f[1], f[2]
		return
	}
	at, rest, _ := strings.Cut(line, " ")
	what, words, _ := strings.Cut(rest, " ")
	w.n++
	r := map[string]any{"uuid": fmt.Sprintf("%s-%d", w.id[:8], w.n), "parentUuid": nil, "sessionId": w.id,
		"timestamp": at, "cwd": w.dir,
		"version": "2.1.200", "gitBranch": w.branch, "isSidechain": false, "userType": "external"}
	if w.last != "" {
		r["parentUuid"] = w.last
	}
	w.last = r["uuid"].(string)
	assistant := func(block map[string]any) {
		r["type"] = "assistant"
		r["message"] = map[string]any{"id": fmt.Sprint("msg_", w.n), "type": "message", "role": "assistant",
			"model":   "claude-opus-4-7",
			"content": []any{block}, "stop_reason": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}
	}
	if what != "you" && strings.HasPrefix(words, `"`) {
		w.ts.Check(json.Unmarshal([]byte(words), &words))
	}
	switch what {
	case "you":
		r["type"], r["message"] = "user", map[string]any{"role": "user", "content": words}
	case "says":
		assistant(map[string]any{"type": "text", "text": words})
	case "asks": // a question with options, of which "chose" chooses the first; after a | the other one
		words, other, _ := strings.Cut(words, " | ")
		w.call, w.asked = fmt.Sprint("toolu_", w.n), words
		assistant(map[string]any{"type": "tool_use", "id": w.call, "name": "AskUserQuestion",
			"input": map[string]any{"questions": []any{
				map[string]any{"question": words, "header": "", "multiSelect": false,
					"options": []any{map[string]any{"label": w.chosen}, map[string]any{"label": cmp.Or(other, "Something else")}}}}}})
	case "chose":
		r["type"], r["toolUseResult"] = "user", map[string]any{"answers": map[string]any{w.asked: words}}
		r["message"] = map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
			"tool_use_id": w.call, "content": "answered"}}}
	case "call":
		tool, input, _ := strings.Cut(words, " ")
		w.call = fmt.Sprint("toolu_", w.n)
		if !json.Valid([]byte(input)) {
			w.ts.Fatalf("%s: the input isn't JSON: %s", where, input)
		}
		assistant(map[string]any{"type": "tool_use", "id": w.call, "name": tool, "input": json.RawMessage(input)})
	case "ok", "failed":
		r["type"] = "user"
		r["message"] = map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
			"tool_use_id": w.call, "content": words, "is_error": what == "failed"}}}
	default:
		w.ts.Fatalf("%s: %q is no kind of line", where, what)
	}
	text, err := json.Marshal(r)
	w.ts.Check(err)
	w.out.Write(append(text, '\n'))
}
