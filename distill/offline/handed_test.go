package offline

import (
	"testing"

	"recall/ingest"
	"recall/payload"
)

const handedPage = `<!-- recall k3v9t2m8qa b7xw4c5d2e 5hq2n6r3ya -->
# Rehydration payload: Brew controller
Session 7f3c… · project brew · distilled by offline/1

## Decisions made
- Use SPI, not I2C — because the bus is shared
- Which store holds the curves: SQLite (not: Postgres)

## Decisions deferred
- Leave the second burner out of scope for now.

## Next action
1. Calibrate the drum.
<!-- /recall -->`

// What the assistant only tells again of a payload is no item; what is new, or
// the other way round, is.
func TestToldAgainIsNoItem(t *testing.T) {
	pasted := func() *ingest.Session {
		s := &ingest.Session{Turns: []ingest.Turn{
			{N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: handedPage + "\nGo on."},
			{N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "…"},
			{N: 3, Role: ingest.User, Kind: ingest.Prompt, Text: "Do it."},
			{N: 4, Role: ingest.Assistant, Kind: ingest.Message, Text: "…"},
		}}
		ingest.MarkForeign(&s.Turns[0])
		return s
	}
	handed := func() *ingest.Session {
		s := pasted()
		s.Hand(s.Turns[0].Text)
		s.Turns[0].Text, s.Turns[0].Foreign = "Go on.", nil
		return s
	}
	for _, tt := range []struct {
		name string
		it   payload.Item
		n    int
		gone bool
	}{
		{"put off again", payload.Item{Kind: payload.Deferred, Text: "The second burner is out of scope for now."}, 2, true},
		{"later too", payload.Item{Kind: payload.Deferred, Text: "The second burner stays out of scope."}, 4, true},
		{"the same decision", payload.Item{Kind: payload.Decision, Text: "We use SPI instead of I2C",
			Alternatives: []string{"I2C"}}, 2, true},
		{"quoted from the assistant", payload.Item{Kind: payload.Lead, Text: "Use SPI, not I2C, on the shared bus."}, 2,
			true},
		{"quoted, and new", payload.Item{Kind: payload.Lead, Text: "The drum turns at 60 rounds a minute."}, 4, false},
		{"an answer told again", payload.Item{Kind: payload.Decision, Text: "SQLite holds the curves"}, 4, true},
		{"of another kind", payload.Item{Kind: payload.Decision, Text: "The second burner is out of scope"}, 2, false},
		{"the person's word", payload.Item{Kind: payload.Decision, Text: "Use SPI, not I2C", By: payload.ByUser}, 3, false},
		{"to be done, as asked", payload.Item{Kind: payload.Next, Text: "Calibrate the drum."}, 2, true},
		{"still to be done", payload.Item{Kind: payload.Next, Text: "Calibrate the drum."}, 4, false},
	} {
		tt.it.Evidence = []payload.Evidence{{N: tt.n}}
		if tt.it.By == "" {
			tt.it.By = payload.ByAssistant
		}
		for how, s := range map[string]*ingest.Session{"pasted": pasted(), "handed over": handed()} {
			if got := len(withoutRetold(s, []payload.Item{tt.it})) == 0; got != tt.gone {
				t.Errorf("%s, %s: gone is %v, want %v", tt.name, how, got, tt.gone)
			}
		}
	}
}
