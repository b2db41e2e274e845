// Package baseline holds what a distiller and a search have to be better than:
// what anybody would try first.
package baseline

import (
	"regexp"
	"strings"
	"unicode"

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
	var last []Part
	for _, t := range s.Turns {
		if t.Role == ingest.Assistant && !t.Abandoned && strings.TrimSpace(t.OwnText()) != "" {
			last = []Part{{t.ID, t.OwnText()}}
		}
	}
	return last
}

// CompactionSummary is the summary that the client wrote when it last cut its
// context; none where it never did.
func CompactionSummary(s *ingest.Session) []Part {
	var last []Part
	for _, t := range s.Turns {
		if t.Kind == ingest.Summary && !t.Abandoned && strings.TrimSpace(t.Text) != "" {
			last = []Part{{t.ID, t.Text}}
		}
	}
	return last
}

// FirstAndLastUser is the first and the last thing that the person typed.
func FirstAndLastUser(s *ingest.Session) []Part {
	var typed []Part
	for _, t := range s.Turns {
		if (t.Kind == ingest.Prompt || t.Kind == ingest.PlanTurn) && !t.Abandoned && strings.TrimSpace(t.OwnText()) != "" {
			typed = append(typed, Part{t.ID, t.OwnText()})
		}
	}
	if len(typed) > 2 {
		typed = []Part{typed[0], typed[len(typed)-1]}
	}
	return typed
}

// bullet is what a line of a list, a heading or a quotation begins with.
var bullet = regexp.MustCompile(`^\s*(?:(?:[-*+•>]|#{1,6}|\d{1,3}[.)]|\[[ xX]\])\s+)+`)

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
		line = bullet.ReplaceAllString(line, "")
		line = strings.Trim(strings.ReplaceAll(line, "|", " "), " \t")
		for _, s := range text.Sentences(line, false) {
			if wordy(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// wordy reports whether a text holds two letters in a row.
func wordy(s string) bool {
	before := false
	for _, r := range s {
		if unicode.IsLetter(r) && before {
			return true
		}
		before = unicode.IsLetter(r)
	}
	return false
}
