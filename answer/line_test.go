package answer

import (
	"testing"
	"time"

	"recall/payload"
)

// What is said of a dead end never turns into its opposite.
func TestSentenceOfDeadEnds(t *testing.T) {
	for text, want := range map[string]string{
		"No Redis for the cache": "Ruled out: Redis for the cache",
		"A lock doesn't help":    "A lock doesn't help",
		"the sorted list":        "Ruled out: the sorted list",
	} {
		if got := (Voice{Agent: true}).Sentence(payload.Item{Kind: payload.Eliminated, Text: text}); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	file := payload.Item{Kind: payload.File, Path: "a.go", Status: payload.FileDone, Text: "New."}
	if got := (Voice{Agent: true}).Sentence(file); got != "a.go: New." { // beside it, its state says how far it is
		t.Errorf("got %q", got)
	}
}

// A library without sessions is in a team: what is there was searched, and nothing else is named.
func TestSearchedSays(t *testing.T) {
	for want, s := range map[string]Searched{
		"5 items of your team's":                                    {Team: 5, Projects: 1},
		"2 items and 1 session and 5 items of your team's":          {Items: 2, Sessions: 1, Team: 5},
		"0 items and 0 sessions":                                    {},
		"3 items and 2 sessions of 2 projects; 1 archived left out": {Items: 3, Sessions: 2, Projects: 2, Archived: 1},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v says %q, not %q", s, got, want)
		}
	}
}

// Nobody said a commit's subject.
func TestStateOfQuotes(t *testing.T) {
	for rule, want := range map[string]string{payload.CommitRule: "committed 2026-04-17",
		payload.ReportRule: "said 2026-04-17"} {
		it := payload.Item{Kind: payload.Lead, Rule: rule, At: time.Date(2026, 4, 17, 15, 0, 0, 0, time.Local)}
		if got := State(it); got != want {
			t.Errorf("%s: got %q, want %q", rule, got, want)
		}
	}
}
