package ingest

import "testing"

// What worked counts, once a file; what was refused, failed, rewound or copied doesn't.
func TestChanges(t *testing.T) {
	edit := ToolCall{Path: "a.go", Done: true, Edits: []Edit{{"a\nb\nc\n", "a\nB\nB2\nc\n"}, {"", "x"}}}
	failed, refused := edit, edit
	failed.Failed, refused.Verdict = true, Rejected
	write := ToolCall{Path: "b.go", Done: true, Input: map[string]string{"content": "1\n2\n3\n"}}
	s := &Session{Turns: []Turn{{Calls: []ToolCall{edit, edit, failed, refused}},
		{Abandoned: true, Calls: []ToolCall{edit}}, {Copied: true, Calls: []ToolCall{edit}}}, Subagents: []Subagent{{Turns: []Turn{{Calls: []ToolCall{write}}}}}}
	if got, want := s.Changes(), (Changes{Files: 2, Added: 9, Removed: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
