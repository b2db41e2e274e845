package offline

import (
	"cmp"
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

// What the assistant only tells again of a payload is no item; what is new, or on record, is.
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
		{"in the answer", payload.Item{Text: "The drum turns at 60 rounds a minute."}, 2, true},
		{"told again later", payload.Item{Text: "Use SPI, not I2C, on the bus."}, 4, true},
		{"new", payload.Item{Text: "The drum turns at 60 rounds a minute."}, 4, false},
		{"the person's word", payload.Item{Text: "Use SPI, not I2C", By: payload.ByUser}, 3, false},
		{"on record", payload.Item{Kind: payload.Status, Text: "Photos: 2 renamed, a → b; c → d"}, 2, false},
	} {
		tt.it.Evidence = []payload.Evidence{{N: tt.n}}
		tt.it.By, tt.it.Kind = cmp.Or(tt.it.By, payload.ByAssistant), cmp.Or(tt.it.Kind, payload.Lead)
		for how, s := range map[string]*ingest.Session{"pasted": pasted(), "handed over": handed()} {
			if got := len(withoutRetold(s, []payload.Item{tt.it})) == 0; got != tt.gone {
				t.Errorf("%s, %s: gone is %v, want %v", tt.name, how, got, tt.gone)
			}
		}
	}
}
