package model

import (
	"encoding/json"
	"strings"
	"testing"

	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
)

// A model that is asked for right quotes is told of each that it gave what is wrong with it.
func TestRepairSaysWhy(t *testing.T) {
	s := session("u: Let us keep the jobs in a heap.", "a: Jobs are kept in a heap. Tests pass.")
	s.Turns[1].Calls = []ingest.ToolCall{{Name: "Bash", Command: "go test ./...", Done: true,
		Result: "ok: jobs are kept for thirty days"}}
	item := func(text string, quotes ...cited) found {
		return found{Kind: "decision", Text: word(text), By: "user", Confidence: "high", Evidence: quotes}
	}
	var told string
	m := &scripted{answer: func(r llm.Request) (string, error) {
		var said any
		switch r.Task {
		case "extract":
			said = answer{Items: []found{
				item("Jobs are kept in a heap.", cited{"t1", "We shall store everything in a list"}, cited{"t2", "."}),
				item("Jobs are kept for thirty days.", cited{"t2", "ok: jobs are kept for thirty days"}),
				item("Jobs are sorted.", cited{"t9", "each and every job is sorted by age"})}}
		case "repair":
			told = r.Prompt
			said = map[string][]repairedQuote{"quotes": {{Number: 1, Turn: "t1", Quote: "keep the jobs in a heap"},
				{Number: 2}, {Number: 3}}}
		}
		data, err := json.Marshal(said)
		return string(data), err
	}}
	p := must(t, improver(t, m, newMemory(), nil), s, nil)
	want := `1. decision: Jobs are kept in a heap.
   said to be in t1: "We shall store everything in a list" (not in these words there)
   said to be in t2: "." (too short to be looked for)
2. decision: Jobs are kept for thirty days.
   said to be in t2: "ok: jobs are kept for thirty days" (from a line marked ~)
3. decision: Jobs are sorted.
   said to be in t9: "each and every job is sorted by age" (there is no such turn)
`
	if !strings.Contains(told, want) || len(m.of("repair")) != 1 {
		t.Errorf("got %d requests, the last\n%swant\n%s", len(m.of("repair")), told, want)
	}
	if len(p.Items) != 1 || p.Items[0].Evidence[0].Quote != "keep the jobs in a heap" {
		t.Errorf("got %+v, want the one whose quote was mended", p.Items)
	}
}

// Whose an item is, is whose words prove it: by what the model said where they can be, else by the first of them.
func TestWhoseAnItemIs(t *testing.T) {
	s := session("u: Never touch the lock order.", "a: The heap loses ties. Shall I count them?", "u: yes, count them")
	user, assistant := cited{"t1", "Never touch the lock order"}, cited{"t2", "The heap loses ties"}
	for _, c := range []struct {
		said  word
		quote []cited
		want  payload.By
	}{
		{"", []cited{user}, payload.ByUser},
		{"", []cited{assistant}, payload.ByAssistant},
		{"", []cited{assistant, {"t3", "yes, count them"}}, payload.ByAssistant},
		{"both", []cited{assistant, {"t3", "yes, count them"}}, payload.ByBoth},
		{"user", []cited{assistant}, payload.ByAssistant},
		{"assistant-accepted", []cited{user}, payload.ByAssistant},
		{"somebody", []cited{user}, payload.ByAssistant},
	} {
		m := &scripted{answer: func(r llm.Request) (string, error) {
			data, err := json.Marshal(answer{Items: []found{{Kind: "flag", Text: "Ties are lost, and the lock order stays.",
				By: c.said, Confidence: "high", Evidence: c.quote}}})
			return string(data), err
		}}
		p := must(t, improver(t, m, newMemory(), nil), s, nil)
		if len(p.Items) != 1 || p.Items[0].By != c.want {
			t.Errorf("by %q, proved by %v: got %+v, want it to be by %s", c.said, c.quote, p.Items, c.want)
		}
	}
}
