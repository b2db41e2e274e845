// Package baseline holds the simplest approaches, which a distiller and a search must beat.
package baseline

import (
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// Part is a piece of a session that stands in for its payload.
type Part struct {
	Turn ingest.TurnID
	Text string
}

// LastAssistant returns the assistant's last message with text.
func LastAssistant(s *ingest.Session) []Part {
	return last(parts(s, func(t ingest.Turn) bool { return t.Role == ingest.Assistant }))
}

// CompactionSummary returns the summary that the client wrote when it last compacted its context; none if it
// never did.
func CompactionSummary(s *ingest.Session) []Part {
	return last(parts(s, func(t ingest.Turn) bool { return t.Kind == ingest.Summary }))
}

// FirstAndLastUser returns the first and the last thing the person typed.
func FirstAndLastUser(s *ingest.Session) []Part {
	typed := parts(s, func(t ingest.Turn) bool { return t.Kind == ingest.Prompt || t.Kind == ingest.PlanTurn })
	if len(typed) > 2 {
		typed = []Part{typed[0], typed[len(typed)-1]}
	}
	return typed
}

func last(all []Part) []Part { return all[max(0, len(all)-1):] }

func parts(s *ingest.Session, of func(ingest.Turn) bool) (all []Part) {
	for _, t := range s.Turns {
		said := t.OwnText()
		if t.Kind == ingest.Summary {
			said = t.Text
		}
		if of(t) && !t.Abandoned && strings.TrimSpace(said) != "" {
			all = append(all, Part{t.ID, said})
		}
	}
	return all
}

// bullet matches the opening of a list item, heading or quotation.
var bullet = text.Pattern(`^\s*(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)]|\[[ xX]\])\s+)+`)

// Statements splits a message into its sentences and the lines of its lists and tables. It omits fenced code
// and lines without two letters in a row.
func Statements(message string) []string {
	var out []string
	fenced := false
	for _, line := range strings.Split(message, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		line = bullet().ReplaceAllString(line, "")
		line = strings.Trim(strings.ReplaceAll(line, "|", " "), " \t")
		for _, s := range sentences(line) {
			if wordy().MatchString(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// sentences splits a line naively, so that any improvement over it is recall's own.
func sentences(line string) (out []string) {
	from := 0
	for _, m := range sentenceEnd().FindAllStringIndex(line, -1) {
		out = append(out, strings.TrimSpace(line[from:m[0]+1]))
		from = m[0] + 1
	}
	return append(out, strings.TrimSpace(line[from:]))
}

var sentenceEnd = text.Pattern(`[.!?] \P{Ll}`)

// wordy matches two letters in a row.
var wordy = text.Pattern(`\pL\pL`)
