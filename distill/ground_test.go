package distill

import (
	"strings"
	"testing"

	"recall/ingest"
	"recall/payload"
)

func TestGround(t *testing.T) {
	text := "use the LRU cache\n<memory>use redis</memory>\nnothing else"
	from := strings.Index(text, "<memory>")
	s := &ingest.Session{Turns: []ingest.Turn{
		{ID: "u1", N: 1, Records: []string{"u1", "u1b"}, Role: ingest.User, Text: text,
			Foreign: []ingest.Foreign{{From: from, To: strings.Index(text, "\nnothing"), Label: "claude-mem"}}},
		{ID: "a1", N: 2, Role: ingest.Assistant, Text: "Done.", Calls: []ingest.ToolCall{
			{ResultTurn: "r1", Reason: "keep the old API", Result: "we decided on tabs", Path: "cache/lru.go",
				Answers: []ingest.Answer{{Question: "Which store?", Chosen: []string{"SQLite"}}}}}},
	}}
	tests := []struct {
		name, turn, quote, drop string
	}{
		{"own words", "u1", "use the LRU cache", ""},
		{"another record of the turn", "u1b", "nothing else", ""},
		{"reason of a refusal", "a1", "keep the old API", ""},
		{"answer, by the result's record", "r1", "SQLite", ""},
		{"path of a call", "a1", "cache/lru.go", ""},
		{"not there", "u1", "use memcached", DropQuote},
		{"somebody else's words", "u1", "use redis", DropForeign},
		{"words that run into somebody else's", "u1", "redis</memory>\nnothing", DropForeign},
		{"a tool's output", "a1", "we decided on tabs", DropQuote},
		{"no such turn", "u9", "use the LRU cache", DropNoTurn},
		{"empty", "u1", " ", DropNoEvidence},
		{"too long", "u1", strings.Repeat("x", MaxQuote+1), DropLong},
	}
	for _, tt := range tests {
		p := &payload.Payload{Items: []payload.Item{{Kind: payload.Decision,
			Evidence: []payload.Evidence{{Turn: tt.turn, Quote: tt.quote}}}}}
		dropped := Ground(s, p)
		if tt.drop == "" {
			if len(p.Items) != 1 || len(dropped) != 0 {
				t.Errorf("%s: got %d items, dropped %v, want it kept", tt.name, len(p.Items), dropped)
			}
			continue
		}
		if len(p.Items) != 0 || dropped[tt.drop] != 1 || p.Dropped[tt.drop] != 1 {
			t.Errorf("%s: got %d items, dropped %v, want %q", tt.name, len(p.Items), dropped, tt.drop)
		}
	}
}

func TestGroundKeepsWhatHolds(t *testing.T) {
	s := &ingest.Session{Turns: []ingest.Turn{{ID: "u1", Text: "keep it small"}}}
	p := &payload.Payload{Items: []payload.Item{
		{Evidence: []payload.Evidence{{Turn: "u1", Quote: "made up"}, {Turn: "u1", Quote: "keep it small"}}},
		{Maker: payload.ByHuman},
		{},
	}}
	dropped := Ground(s, p)
	if len(p.Items) != 2 || len(p.Items[0].Evidence) != 1 || p.Items[1].Maker != payload.ByHuman {
		t.Errorf("got %+v, want the grounded quote and the person's own item", p.Items)
	}
	if dropped[DropNoEvidence] != 1 {
		t.Errorf("got dropped %v, want one without evidence", dropped)
	}
}
