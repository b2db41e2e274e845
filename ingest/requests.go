package ingest

import (
	"strings"
	"time"
)

// A Request is one message from a model with its usage as the client recorded it.
type Request struct {
	Message string `map:"-"` // its id, "" if it has none
	At      time.Time
	Model   string `map:"name"` // "" if unknown
	Usage   Usage
}

// Requests lists what a session used of models, each message once wherever it appears; what another session owns is
// left out (see Own). Tokens recorded apart from messages, as in an audit log, are one more request.
func (s *Session) Requests() (all []Request) {
	rest, counted := s.Usage, map[string]bool{}
	count := func(r Request, copied bool) {
		twice := counted[r.Message]
		counted[r.Message] = r.Message != ""
		if r.Usage != (Usage{}) && !copied && !twice {
			all = append(all, r)
			rest.subtract(r.Usage)
		}
	}
	for _, turns := range s.conversations() {
		for i := range turns {
			count(turns[i].Request(), turns[i].Copied)
		}
	}
	for _, r := range s.Unheard {
		count(r, false)
	}
	if rest != (Usage{}) {
		all = append(all, Request{At: s.End, Model: strings.Join(s.Models[:min(1, len(s.Models))], ""), Usage: rest})
	}
	return all
}

// Request returns what a turn used of a model.
func (t *Turn) Request() Request {
	r := Request{At: t.At, Model: t.Model, Usage: t.Usage}
	for _, k := range t.Keys {
		if id, ok := strings.CutPrefix(k, MessageKey); ok {
			r.Message = id
		}
	}
	return r
}

// MessageKey is the prefix of a turn's key (see Turn.Keys) that holds its message's id.
const MessageKey = "m:"

// conversations returns the session's own turns, and those of its sub-agents.
func (s *Session) conversations() [][]Turn {
	all := [][]Turn{s.Turns}
	for i := range s.Subagents {
		all = append(all, s.Subagents[i].Turns)
	}
	return all
}

// subtract subtracts less from u, down to zero.
func (u *Usage) subtract(less Usage) {
	u.Input = max(0, u.Input-less.Input)
	u.Output = max(0, u.Output-less.Output)
	u.CacheWrite = max(0, u.CacheWrite-less.CacheWrite)
	u.CacheHour = max(0, u.CacheHour-less.CacheHour)
	u.CacheRead = max(0, u.CacheRead-less.CacheRead)
}
