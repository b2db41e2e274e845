package pipeline

import (
	"testing"

	"recall/ingest"
	"recall/payload"
)

// Newer rules that find one secret more give the others other numbers: quotes
// follow, where they stand in their turn.
func TestRenumber(t *testing.T) {
	s := &ingest.Session{Turns: []ingest.Turn{{ID: "a", Text: "use ‹aws-key 3› with ‹password 2› (not *)"},
		{ID: "b", Text: "nothing"}}}
	for _, c := range []struct{ turn, quote, want string }{
		{"a", "use ‹aws-key 2› with ‹password 1› (not *)", "use ‹aws-key 3› with ‹password 2› (not *)"},
		{"a", "use ‹aws-key 3› with", "use ‹aws-key 3› with"},
		{"a", "use ‹token 2› with", "use ‹token 2› with"},
		{"b", "use ‹aws-key 2› with", "use ‹aws-key 2› with"},
		{"gone", "use ‹aws-key 2›", "use ‹aws-key 2›"},
	} {
		p := &payload.Payload{Items: []payload.Item{{Evidence: []payload.Evidence{{Turn: c.turn, Quote: c.quote}}}}}
		renumber(p, s)
		if got := p.Items[0].Evidence[0].Quote; got != c.want {
			t.Errorf("%s, %q: got %q, want %q", c.turn, c.quote, got, c.want)
		}
	}
}
