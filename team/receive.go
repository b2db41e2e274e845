package team

import (
	"strings"
	"time"

	"recall/distill"
	"recall/ingest"
	"recall/payload"
)

// receive makes an item from the database safe to show, and holds it to the contract that every item must satisfy, as
// far as its quotes alone can say: their turns aren't here. A claim that they don't bear out stays as what was quoted,
// and one without any is a mere passage. It reports whether anything is left.
func receive(it *payload.Item) bool {
	if it.Receive() != nil {
		return false
	}
	if len(it.Evidence) > 0 {
		if kept, _ := distill.Contract(quoted(it), []payload.Item{*it}); len(kept) == 1 {
			*it = kept[0]
			return true
		}
		it.Text = strings.Join(it.Quotes(), " … ")
	}
	it.Kind, it.Why, it.Scope, it.Alternatives, it.Path, it.Status = payload.Lead, "", "", nil, "", ""
	it.Rule, it.Since, it.Hint = "", "", ""
	return it.Text != ""
}

// quoted is a session of the turns that an item quotes; where it names the question that was answered, that comes
// first.
func quoted(it *payload.Item) *ingest.Session {
	s := &ingest.Session{}
	if asked, _, ok := strings.Cut(it.Text, " → "); ok {
		s.Turns = append(s.Turns, ingest.Turn{ID: "question", Role: ingest.Assistant, Kind: ingest.Message,
			Text: asked})
	}
	for _, e := range it.Evidence {
		t := ingest.Turn{ID: ingest.TurnID(e.Turn), N: e.N, Role: ingest.User, Kind: ingest.Prompt, Text: e.Quote}
		if it.By == payload.ByAssistant {
			t.Role, t.Kind = ingest.Assistant, ingest.Message
		}
		s.Turns = append(s.Turns, t)
	}
	return s
}

// skewed is how far a clock may be ahead.
const skewed = 24 * time.Hour

// onTime corrects what a clock ahead of the database's says: nothing was said after it was put. It reports whether it
// had to.
func onTime(put time.Time, of ...*time.Time) (wrong bool) {
	for _, at := range of {
		if at.Sub(put) > skewed {
			*at, wrong = put.UTC(), true
		}
	}
	return wrong
}

// wrongClock marks a machine whose clock is ahead, where its name is shown.
const wrongClock = " (its clock is ahead)"
