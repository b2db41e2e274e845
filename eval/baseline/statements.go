// Package baseline holds what a distiller and a search have to be better than:
// what anybody would try first.
package baseline

import (
	"strings"

	"recall/ingest"
	"recall/text"
)

// A Part is a piece of a session that stands in for its payload.
type Part struct {
	Turn ingest.TurnID
	Text string
}

// LastAssistant is the last message of the assistant that says anything.
func LastAssistant(s *ingest.Session) []Part {
	return last(parts(s, func(t ingest.Turn) bool { return t.Role == ingest.Assistant }))
}

// CompactionSummary is the summary that the client wrote when it last cut its
// context; none where it never did.
func CompactionSummary(s *ingest.Session) []Part {
	return last(parts(s, func(t ingest.Turn) bool { return t.Kind == ingest.Summary }))
}

// FirstAndLastUser is the first and the last thing that the person typed.
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

// bullet is what a line of a list, a heading or a quotation begins with.
var bullet = text.Pattern(`^\s*(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)]|\[[ xX]\])\s+)+`)

// Statements cuts a message into what it says: its sentences, and the lines of
// its lists and tables. Code between fences and lines without a word of two
// letters are left out.
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

// sentences cuts a line as anybody would: what recall's own way does better is to count for it.
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
