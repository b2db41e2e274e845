package cowork

import (
	"encoding/json"
	"fmt"
	"time"

	"recall/ingest"
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
		raw("compactMetadata", e.compact)
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

func quote(s string) string {
	b, _ := json.Marshal(s) // of a string there is no error
	return string(b)
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
