package cowork

import (
	"maps"
	"slices"
	"strings"
	"time"

	"recall/ingest"
)

// sameTime is how far apart the app and the CLI can log the same message.
const sameTime = 5 * time.Minute

const (
	cardTime = 5 * time.Second  // between a call and its card, if their inputs differ
	stopTime = 10 * time.Second // between Stop and the CLI's line about it
)

// addAppEvents adds what the app recorded apart from messages: the person's clicks, and Stop.
func addAppEvents(s *ingest.Session, log *auditLog) {
	applyCards(s, log.cards)
	for _, id := range log.denied {
		for _, c := range ingest.EachCall(s.Turns) {
			if c.ID == id && id != "" && c.Verdict == ingest.Unasked {
				c.Verdict = ingest.Denied
			}
		}
	}
	for _, st := range log.stops {
		addStop(s, st, log.name)
	}
}

// callPlace is the position of a call among the turns.
type callPlace struct{ turn, call int }

// applyCards turns answered cards into verdicts. Refusals in the transcript stand.
func applyCards(s *ingest.Session, cards []card) {
	taken := map[callPlace]bool{}
	for i := range cards {
		c := &cards[i]
		if !c.answered {
			continue
		}
		at, ok := callOf(s, c, taken)
		if !ok {
			if !c.granted {
				refusedUnseen(s, c)
			}
			continue
		}
		taken[at] = true
		call := &s.Turns[at.turn].Calls[at.call]
		switch {
		case call.Verdict != ingest.Unasked:
		case c.granted && call.Name != "AskUserQuestion":
			call.Verdict = ingest.Approved
		case !c.granted:
			call.Verdict = ingest.Rejected
			ingest.BindReason(call, s.Turns[at.turn].Abandoned, s.Turns[at.turn+1:])
		}
	}
}

// callOf finds the call that a card asked about: the nearest with the same tool and input, else the tool's only one
// nearby.
func callOf(s *ingest.Session, c *card, taken map[callPlace]bool) (callPlace, bool) {
	var best, near callPlace
	bestGap, nears := time.Duration(-1), 0
	for i := range s.Turns {
		t := &s.Turns[i]
		for j := range t.Calls {
			call := &t.Calls[j]
			at := callPlace{i, j}
			if c.call != "" && call.ID == c.call {
				return at, true
			}
			if taken[at] || call.Name != c.tool {
				continue
			}
			gap := c.at.Sub(t.At).Abs()
			if sameInput(call.Input, c.input) && (bestGap < 0 || gap < bestGap) {
				best, bestGap = at, gap
			}
			if gap <= cardTime {
				near, nears = at, nears+1
			}
		}
	}
	if bestGap >= 0 {
		return best, true
	}
	return near, nears == 1
}

// sameInput compares inputs, ignoring white space.
func sameInput(a, b map[string]string) bool {
	return maps.EqualFunc(a, b, func(v, w string) bool { return v == w || noSpace(v) == noSpace(w) })
}

func noSpace(s string) string { return strings.Join(strings.Fields(s), "") }

// refusedUnseen keeps a refusal whose call is missing as a call of the message before it.
func refusedUnseen(s *ingest.Session, c *card) {
	for i := len(s.Turns) - 1; i >= 0; i-- {
		t := &s.Turns[i]
		if t.Kind != ingest.Message || t.At.After(c.at) {
			continue
		}
		call := ingest.ToolCall{ID: c.id, Name: c.tool, Input: c.input, Command: c.input["command"],
			Path: c.input["file_path"], Done: true, Failed: true, At: c.at, ResultTurn: t.ID, Verdict: ingest.Rejected}
		ingest.BindReason(&call, t.Abandoned, s.Turns[i+1:])
		t.Calls = append(t.Calls, call)
		return
	}
}

// addStop adds the person's Stop as a turn, unless the transcript has one within seconds or at that point.
func addStop(s *ingest.Session, st stop, file string) {
	at := len(s.Turns)
	for at > 0 && s.Turns[at-1].At.After(st.at) && !st.at.IsZero() {
		at--
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Kind == ingest.Interrupt && (t.At.Sub(st.at).Abs() <= stopTime || i == at-1) {
			return
		}
	}
	s.Turns = slices.Insert(s.Turns, at, ingest.Turn{
		ID: ingest.TurnID(st.id), Records: []string{st.id}, Role: ingest.User, Kind: ingest.Interrupt, At: st.at,
		Text: "[Stopped by the person]", File: file, Line: st.line,
	})
	if st.at.After(s.End) {
		s.End = st.at
	}
}
