package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"recall/eval"
)

// relayAnswers FOLDER answers the requests that come into a folder until the
// story ends, as somebody would who knows the bundled gold set: what people
// wrote down of the turns shown, and that what is worded otherwise is something else.
func relayAnswers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: relay-answers FOLDER")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	set, err := eval.LoadSet()
	ts.Check(err)
	stop, stopped := make(chan struct{}), make(chan struct{})
	ts.Defer(func() { close(stop); <-stopped })
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
			names, _ := filepath.Glob(filepath.Join(dir, "*.request.json"))
			for _, name := range names {
				out := strings.TrimSuffix(name, ".request.json") + ".answer.json"
				if _, err := os.Stat(out); err != nil {
					os.WriteFile(strings.TrimSuffix(out, ".answer.json")+".usage.json",
						[]byte(`{"model":"somebody","in":1000,"out":100}`), 0o600)
					os.WriteFile(out+".tmp", oracle(set, name), 0o600)
					os.Rename(out+".tmp", out)
				}
				os.Remove(name) // a thousand of them would be looked at again and again
			}
		}
	}()
}

// oracle answers one request.
func oracle(set *eval.Set, name string) []byte {
	var q struct{ Task, Prompt string }
	b, _ := os.ReadFile(name)
	_ = json.Unmarshal(b, &q) // an answer to nothing fails the story
	var answer map[string]any
	switch q.Task {
	case "extract":
		answer = map[string]any{"items": goldIn(set, q.Prompt), "closed": []any{}}
	case "rerank": // everything is the other way round
		answer = map[string]any{"order": []int{2, 1}, "found": "answer"}
	case "reconcile": // whatever is later takes the earlier one's place
		pairs := []any{}
		for _, m := range regexp.MustCompile(`(?m)^(\d+)\.\nA .*\n  quote: "(.*)"\nB .*\n  quote: "(.*)"$`).FindAllStringSubmatch(q.Prompt, -1) {
			pairs = append(pairs, map[string]any{"number": json.Number(m[1]), "why": "it is later", "relation": "supersedes",
				"earlier_quote": m[2], "later_quote": m[3]})
		}
		answer = map[string]any{"pairs": pairs}
	case "judge":
		pairs := []any{}
		for _, m := range regexp.MustCompile(`(?m)^(\d+)\nA (.*)\nB (.*)$`).FindAllStringSubmatch(q.Prompt, -1) {
			verdict := "different"
			if a, _, _ := strings.Cut(m[2], " (why: "); strings.HasPrefix(m[3], a) { // the shorter one comes first
				verdict = "same"
			}
			pairs = append(pairs, map[string]any{"number": json.Number(m[1]), "why": "by its words", "verdict": verdict})
		}
		answer = map[string]any{"pairs": pairs}
	}
	b, _ = json.Marshal(answer)
	return b
}

// goldIn are the gold items whose quotes stand in a prompt's turns.
func goldIn(set *eval.Set, prompt string) []any {
	type turn struct{ id, text string }
	var turns []turn
	for _, part := range regexp.MustCompile(`(?m)^## (t\d+)\b`).Split(prompt, -1)[1:] {
		turns = append(turns, turn{text: strings.Join(strings.Fields(part), " ")})
	}
	for i, m := range regexp.MustCompile(`(?m)^## (t\d+)\b`).FindAllStringSubmatch(prompt, -1) {
		turns[i].id = m[1]
	}
	items := []any{}
	for _, g := range set.Golds {
		for _, it := range g.Items {
			quote := strings.Join(strings.Fields(it.Quote), " ")
			for _, t := range turns {
				if len(quote) < 12 || !strings.Contains(t.text, quote) {
					continue
				}
				path, text, status := "", it.Text, ""
				if it.Kind == "file" {
					path, text, _ = strings.Cut(it.Text, " ")
					path, status = strings.Trim(path, "`:,"), "DONE"
				}
				items = append(items, map[string]any{"kind": it.Kind, "evidence": []any{map[string]any{"turn": t.id,
					"quote": it.Quote}}, "text": text, "why": it.Why,
					"by": "user", "scope": "", "alternatives": []any{}, "about": []any{}, "path": path, "status": status, "confidence": "high", "earlier": "", "bearing": "none",
					"aliases": []string{"that thing from before"}, "asks": []string{"what was that thing?"}})
				break
			}
		}
	}
	return items
}

// microOver RUN FLOOR checks the F1 of all kinds of a run's first system.
func microOver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: micro-over RUN FLOOR")
	}
	r, err := eval.ReadRun(ts.MkAbs(args[0]))
	ts.Check(err)
	var floor float64
	fmt.Sscan(args[1], &floor)
	if f := r.Systems[0].Payloads.Micro.F1.Value; f < floor {
		ts.Fatalf("%s: F1 %.3f, want %v", r.Systems[0].Name, f, floor)
	}
}
