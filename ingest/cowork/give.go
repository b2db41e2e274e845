package cowork

import (
	"cmp"
	"fmt"

	"recall/ingest"
	"recall/ingest/claudecode"
)

// id names an entry that has no uuid by its place, which never changes: the
// log only grows.
func (s spot) id() string { return fmt.Sprintf("audit-L%d", s.line) }

// message gives an entry as a message, behind the one before.
func (a *auditLog) message(e *entry, at spot) {
	m := &claudecode.Message{Kind: e.kind, UUID: cmp.Or(e.uuid, at.id()), Parent: a.last, Session: e.session, At: e.at,
		Dir: a.cwd, Version: a.version, Origin: e.origin, ToolResult: e.toolResult, Meta: e.synthetic,
		Failed: e.failed && e.kind == "assistant"}
	switch {
	case e.kind == "system":
		m.Subtype, m.Compact = e.subtype, e.compact
	case len(e.message) == 0 || e.message[0] != '{' && e.message[0] != '"':
		a.why = "no message in it"
		return
	default:
		m.Content = e.message
	}
	if a.why = a.give(m); a.why == "" {
		a.last = m.UUID
	}
}

// spending adds up what grows within one run of the CLI and begins anew with
// the next.
type spending struct{ before, now float64 }

func (s *spending) add(total float64) {
	if total <= 0 {
		return // a turn that was stopped states none
	}
	if total < s.now {
		s.before += s.now
	}
	s.now = total
}

func (s spending) sum() float64 { return s.before + s.now }

type spentTokens struct{ before, now ingest.Usage }

func (s *spentTokens) add(total ingest.Usage) {
	if total == (ingest.Usage{}) {
		return
	}
	if total.Output < s.now.Output {
		s.before.Add(s.now)
	}
	s.now = total
}

func (s spentTokens) sum() ingest.Usage {
	s.before.Add(s.now)
	return s.before
}
