package ingest

import (
	"strings"
	"time"
)

// A Request is one message of a model's, and what it took as the client noted it.
type Request struct {
	Message string `map:"-"` // its id, "" if it has none
	At      time.Time
	Model   string `map:"name"` // "" if that isn't known
	Usage   Usage
}

// Requests lists what a session took of models, each message once wherever it stands; what another session owns is left
// out (see Own). Tokens stated beside the messages, as in an audit log, are one request more.
func (s *Session) Requests() (all []Request) {
	rest, counted := s.UsageAll, map[string]bool{}
	count := func(r Request, copied bool) {
		twice := counted[r.Message]
		counted[r.Message] = r.Message != ""
		if r.Usage != (Usage{}) && !copied && !twice {
			all = append(all, r)
			rest.take(r.Usage)
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

// Request is what a turn took of a model.
func (t *Turn) Request() Request {
	r := Request{At: t.At, Model: t.Model, Usage: t.Usage}
	for _, k := range t.Keys {
		if id, ok := strings.CutPrefix(k, MessageKey); ok {
			r.Message = id
		}
	}
	return r
}

// MessageKey begins the key of a turn (see Turn.Keys) that is its message's id.
const MessageKey = "m:"

// conversations are the session's own turns, and those of its sub-agents.
func (s *Session) conversations() [][]Turn {
	all := [][]Turn{s.Turns}
	for i := range s.Subagents {
		all = append(all, s.Subagents[i].Turns)
	}
	return all
}

// take takes less from u, as far as there is any.
func (u *Usage) take(less Usage) {
	u.Input = max(0, u.Input-less.Input)
	u.Output = max(0, u.Output-less.Output)
	u.CacheWrite = max(0, u.CacheWrite-less.CacheWrite)
	u.CacheHour = max(0, u.CacheHour-less.CacheHour)
	u.CacheRead = max(0, u.CacheRead-less.CacheRead)
}
