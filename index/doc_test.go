package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/payload"
)

func TestDocOf(t *testing.T) {
	foreign := "<!-- recall x --> use a skip list <!-- /recall --> is that still so?"
	s := &ingest.Session{ID: "s1", Source: ingest.ClaudeCode, Title: "Queue", Start: day, End: day, Turns: []ingest.Turn{
		{ID: "u1", N: 1, Role: ingest.User, Kind: ingest.Prompt, At: day, Text: foreign,
			Foreign: []ingest.Foreign{{From: 0, To: 51, Label: "recall"}}},
		{ID: "u2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Records: []string{"u2", "u2b"},
			Calls: []ingest.ToolCall{{
				ResultTurn: "r2", Result: "a thousand lines of output", Answers: []ingest.Answer{{Question: "Which heap?",
					Chosen: []string{"min-heap"}}}}}},
		{ID: "u3", N: 3, Role: ingest.Assistant, Kind: ingest.Message, Text: "Done.",
			Calls: []ingest.ToolCall{{ID: "c3", Name: "Bash", Command: "git commit -m heap", Done: true,
				Commit:        "76b7d178",
				CommitMessage: "queue: use a min-heap"}}},
		{ID: "u4", N: 4, Role: ingest.User, Kind: ingest.Prompt, Text: "rewound", Abandoned: true},
		{ID: "u5", N: 5, Role: ingest.User, Kind: ingest.Prompt, Text: "the parent's", Copied: true},
		{ID: "u6", N: 6, Role: ingest.User, Kind: ingest.Event, Text: "a task ended"},
		{ID: "u7", N: 7, Role: ingest.Assistant, Kind: ingest.Message, Calls: []ingest.ToolCall{{ID: "c7", Name: "Bash",
			Command: "git revert 76b7d178", Done: true}}},
		{ID: "u8", N: 8, Role: ingest.Assistant, Kind: ingest.Message,
			Calls: []ingest.ToolCall{{Name: "Edit", Verdict: ingest.Rejected, Reason: "no globals"}}},
		{ID: "u9", N: 9, Role: ingest.Assistant, Kind: ingest.Message,
			Calls: []ingest.ToolCall{{Name: "Edit", Verdict: ingest.Rejected, Reason: "typed next", ReasonTurn: "u10"}}},
		{ID: "u10", N: 10, Role: ingest.User, Kind: ingest.Prompt, Text: "typed next"},
		{ID: "u11", N: 11, Role: ingest.Assistant, Kind: ingest.Message, Calls: []ingest.ToolCall{{Name: "ExitPlanMode",
			Plan: &ingest.Plan{Text: "Watch the folder."}, Verdict: ingest.Rejected, Reason: "no watcher, poll"}}},
		{ID: "u12", N: 12, Role: ingest.Assistant, Kind: ingest.Message,
			Calls: []ingest.ToolCall{{Verdict: ingest.Clarify}, {Answers: []ingest.Answer{{Question: "Which port?",
				Chosen: []string{"9100", "9200"}, Notes: "if the proxy is on"}}}}},
		{ID: "u13", N: 13, Role: ingest.User, Kind: ingest.PlanTurn, Text: "# Plan: drain the queue first"},
		{ID: "u14", N: 14, Role: ingest.Program, Kind: ingest.Event, Name: "agent", Text: "B: the queue is drained"},
		{ID: "u15", N: 15, Role: ingest.Assistant, Kind: ingest.Message, Calls: []ingest.ToolCall{{ID: "c15", Name: "Agent",
			Result: "done"}, {ID: "c16", Name: "Task", Done: true, Result: "The cache is cold."}}},
	}, Subagents: []ingest.Subagent{{ID: "a1", Call: "c15", Turns: []ingest.Turn{
		{ID: "v1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "profile the build"},
		{ID: "v2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "I look."},
		{ID: "v3", N: 3, Role: ingest.Assistant, Kind: ingest.Message, Text: "The linker is the slow part."},
		{ID: "v4", N: 4, Role: ingest.Assistant, Kind: ingest.Message}}}}}
	s.Parent, s.PlanFiles = &ingest.Parent{Session: "s0"}, []string{"/p/plan.md"}
	p := &payload.Payload{Branch: "fix", Made: payload.Provenance{Distiller: "offline/1"},
		Items: []payload.Item{{ID: "aaaaaaaaaa", Text: "A min-heap", Evidence: []payload.Evidence{{Turn: "r2",
			Quote: "min-heap"}, {Turn: "gone", Quote: "lost"}}}}}
	got := DocOf(s, p, "queue")
	got.Did = nil // the trace's own
	want := Doc{Session: "s1", Project: "queue", Title: "Queue", Source: "claude-code", Start: day, End: day,
		Items: []Item{{Item: p.Items[0]}},
		Turns: []Turn{
			{Exchange: 1, ID: "u1", N: 1, Role: "user", At: day, Text: "is that still so?"},
			{Exchange: 1, ID: "u2", N: 2, Role: "both", Text: "Which heap? → min-heap"},
			{Exchange: 1, ID: "u3", N: 3, Role: "assistant", Text: "Done.",
				More: "commit: queue: use a min-heap (taken back in turn 7)"},
			{Exchange: 1, ID: "u8", N: 8, Role: "user", Text: "no globals"},
			{Exchange: 2, ID: "u10", N: 10, Role: "user", Text: "typed next"},
			{Exchange: 2, ID: "u11", N: 11, Role: "assistant", Text: "Watch the folder."},
			{Exchange: 2, ID: "u11", N: 11, Role: "user", Text: "no watcher, poll"},
			{Exchange: 2, ID: "u12", N: 12, Role: "both", Text: "Which port? → 9100, 9200 (“if the proxy is on”)"},
			{Exchange: 3, ID: "u13", N: 13, Role: "assistant", Text: "# Plan: drain the queue first"},
			{Exchange: 3, ID: "u14", N: 14, Role: "program", Text: "B: the queue is drained"},
			{Exchange: 3, ID: "v3", N: 15, Role: SubAgent, Text: "The linker is the slow part."},
			{Exchange: 3, ID: "u15", N: 15, Role: SubAgent, Text: "The cache is cold."},
		},
		Thread: ThreadEntry{ThreadInfo: payload.ThreadInfo{Session: "s1", Project: "queue",
			Branch: "fix", Parent: "s0",
			PlanFiles: []string{"/p/plan.md"}, Items: []payload.ItemID{"aaaaaaaaaa"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An exchange stands below the claims that were taken from it, whatever their scores.
func TestItemAboveItsExchange(t *testing.T) {
	list := []*ranked{
		{table: items, session: 1, n: 4, x: 2, id: 1, score: -1},
		{table: items, session: 1, n: 4, x: 2, id: 2, score: -2},
		{table: turns, session: 1, n: 4, x: 2, id: 7, score: 2},
		{table: turns, session: 2, n: 4, x: 2, id: 8, score: 1.5},
	}
	arrange(list)
	var got []int64
	for _, r := range list {
		got = append(got, r.id)
	}
	if want := []int64{8, 1, 7, 2}; !cmp.Equal(got, want) {
		t.Errorf("got rows %v, want %v", got, want)
	}
}

// A reply is indexed with the assistant's question of an earlier exchange, or with what it refuses, but not with what
// was only said there; a goal's question is the person's own.
func TestAnsweredIn(t *testing.T) {
	for _, c := range []struct {
		kind                payload.Kind
		rule, earlier, want string
	}{
		{payload.Lead, "said-typed", "Which port?", "Which port?"},
		{payload.Goal, "request", "Which port?", ""},
		{payload.Lead, "said-typed", "Let me look at the servers.", ""},
		{payload.Lead, payload.RefusalRule, "rm -rf build", "rm -rf build"},
	} {
		p := &payload.Payload{Items: []payload.Item{{Kind: c.kind, By: payload.ByUser, Rule: c.rule,
			Evidence: []payload.Evidence{{Turn: "u9", N: 9, Quote: "9100"}, {Turn: "u4", N: 4, Quote: c.earlier}}}}}
		if got := answeredIn(p, "u9"); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.kind, c.earlier, got, c.want)
		}
	}
}
