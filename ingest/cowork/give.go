package cowork

import (
	"fmt"
	"time"

	"recall/ingest"
	"recall/ingest/jsonl"
)

// id names an entry that has no uuid by its place, which never changes: the
// log only grows.
func (s spot) id() string { return fmt.Sprintf("audit-L%d", s.line) }

// give writes an entry as a line of a transcript, hung below the one before.
func (a *auditLog) give(e *entry, at spot) {
	if e.kind != "system" && (len(e.message) == 0 || e.message[0] != '{' && e.message[0] != '"') {
		a.skip(at, "no message in it")
		return
	}
	if e.uuid == "" {
		e.uuid = at.id()
	}
	a.report.Lines-- // it is counted where it is read
	a.given = append(a.given, at)
	w := &a.out
	w.WriteString(`{"type":` + quote(e.kind) + `,"uuid":` + quote(e.uuid) + `,"isSidechain":false`)
	member := func(name, value string) {
		if value != "" {
			w.WriteString(`,"` + name + `":` + quote(value))
		}
	}
	raw := func(name string, value []byte) {
		if len(value) > 0 {
			w.WriteString(`,"` + name + `":`)
			w.Write(value)
		}
	}
	if a.last == "" {
		w.WriteString(`,"parentUuid":null`)
	}
	member("parentUuid", a.last)
	member("sessionId", e.session)
	if !e.at.IsZero() {
		member("timestamp", e.at.Format(time.RFC3339Nano))
	}
	member("cwd", a.cwd)
	member("version", a.version)
	switch {
	case e.kind == "system":
		member("subtype", e.subtype)
		member("logicalParentUuid", a.last)
		raw("compactMetadata", compactMetadata(e.compact))
	case e.message[0] == '"':
		w.WriteString(`,"message":{"role":` + quote(e.kind) + `,"content":`)
		w.Write(e.message)
		w.WriteString(`}`)
	default:
		raw("message", e.message)
	}
	if e.synthetic {
		w.WriteString(`,"isMeta":true`)
	}
	if e.failed && e.kind == "assistant" {
		w.WriteString(`,"isApiErrorMessage":true`)
	}
	raw("origin", e.origin)
	raw("toolUseResult", e.toolResult)
	w.WriteString("}\n")
	a.last = e.uuid
}

// compactMetadata spells the fields as transcripts do.
func compactMetadata(raw []byte) []byte {
	if len(raw) == 0 {
		return nil
	}
	trigger, before, after := "", int64(0), int64(0)
	c := jsonl.NewCursor(raw)
	c.Object(func(name []byte) {
		switch string(name) {
		case "trigger":
			trigger = text(c)
		case "pre_tokens", "preTokens":
			before = c.Int()
		case "post_tokens", "postTokens":
			after = c.Int()
		}
	})
	return fmt.Appendf(nil, `{"trigger":%s,"preTokens":%d,"postTokens":%d}`, quote(trigger), before, after)
}

// quote writes a string as JSON. Strings come from JSON and hold no broken UTF-8.
func quote(s string) string {
	out := make([]byte, 0, len(s)+2)
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
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
		s.before = plus(s.before, s.now)
	}
	s.now = total
}

func (s spentTokens) sum() ingest.Usage { return plus(s.before, s.now) }

func plus(a, b ingest.Usage) ingest.Usage {
	return ingest.Usage{Input: a.Input + b.Input, Output: a.Output + b.Output,
		CacheWrite: a.CacheWrite + b.CacheWrite, CacheRead: a.CacheRead + b.CacheRead}
}
