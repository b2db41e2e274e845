package ingest

import "strings"

// An Exchange is what was asked and all that answers it until the next thing is asked: the assistant's messages and
// calls, a person's answers, choices and refusals in them. It is the unit that is searched, quoted and shown, because a
// turn alone seldom can be understood. The first of a session may begin without a request, as a compacted one does.
type Exchange struct {
	N     int     // 1-based among its session's exchanges
	Turns []*Turn // in order, without turns aside; the first is the request, if any turn is
}

// Exchanges returns a session's exchanges, in order: every turn that isn't aside is in one of them. Sub-agents' turns
// are in none; what a sub-agent reported is the result of a call.
func (s *Session) Exchanges() []Exchange {
	var all []Exchange
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Aside() {
			continue
		}
		if len(all) == 0 || t.Opens() {
			all = append(all, Exchange{N: len(all) + 1})
		}
		e := &all[len(all)-1]
		e.Turns = append(e.Turns, t)
	}
	return all
}

// Opens reports whether a turn opens an exchange by asking for something, whoever wrote it: a prompt, a command with
// words behind it, a plan to carry out. What the harness or recall put into a prompt asks for nothing.
func (t *Turn) Opens() bool {
	switch t.Kind {
	case Prompt, Command, PlanTurn:
		return t.Role != Assistant && strings.TrimSpace(t.WithPasted()) != ""
	}
	return false
}
