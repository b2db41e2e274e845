package offline

import (
	"math"
	"slices"
	"strings"

	"recall/ingest"
	"recall/payload"
)

// What recall hands to a session is told again by it: an assistant that is asked
// for its understanding of a payload says its lines in other words. That is
// nothing new, and no item: the session would seem to decide anew, with its own
// date, what stands since long.

// A told line is one of a payload that was handed to the session.
type told struct {
	kind  payload.Kind // "" if the page doesn't tell
	words terms
	turn  int // ordinal of the turn that it stands in, 0 if beside the turns
}

func toldLines(s *ingest.Session) []told {
	var out []told
	for _, text := range s.Handed {
		out = appendTold(out, text, 0)
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		for _, f := range t.Foreign {
			if f.Label == ingest.ForeignRecall && f.From <= f.To && f.To <= len(t.Text) {
				out = appendTold(out, t.Text[f.From:f.To], t.N)
			}
		}
	}
	return out
}

func appendTold(out []told, text string, turn int) []told {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimLeft(strings.TrimSpace(line), "> "))
	}
	page := strings.Join(lines, "\n")
	if doc, err := payload.Read(page); err == nil && len(doc.Lines) > 0 {
		for _, l := range doc.Lines {
			it := &l.Item
			out = append(out, told{it.Kind, keywords(it.Text + " " + it.Why + " " + it.Path), turn})
		}
		return out
	}
	for _, line := range lines {
		if words := keywords(line); len(words) > 1 {
			out = append(out, told{"", words, turn})
		}
	}
	return out
}

// withoutTold leaves out what the assistant merely told again. What is to be done
// is told anew with each report, and the last report counts, so that of it only
// the answer to what was handed over is left out.
func withoutTold(s *ingest.Session, items []payload.Item) []payload.Item {
	lines := toldLines(s)
	if len(lines) == 0 {
		return items
	}
	return slices.DeleteFunc(items, func(it payload.Item) bool {
		if it.By != payload.ByAssistant || it.Kind == payload.File || len(it.Evidence) == 0 {
			return false
		}
		if at := first(&it); it.Kind == payload.Lead && slices.ContainsFunc(lines,
			func(l told) bool { return at > l.turn && at < answerEnds(s, l.turn) }) {
			return true // the answer to a payload tells it again, in whatever words
		}
		said := []terms{keywords(it.Text)}
		if before, after, ok := strings.Cut(it.Text, ": "); ok && len(strings.Fields(before)) <= 4 {
			said = append(said, keywords(after)) // "My understanding: …"
		}
		return slices.ContainsFunc(lines, func(l told) bool {
			return slices.ContainsFunc(said, func(words terms) bool { return l.tells(words, it.Kind) }) &&
				first(&it) > l.turn && (lasting(it.Kind) || first(&it) < answerEnds(s, l.turn))
		})
	})
}

// tells says that a line says what an item says.
func (l *told) tells(words terms, kind payload.Kind) bool {
	return len(words) >= 2 && (l.kind == "" || kind == payload.Lead || l.kind == kind) && share(words, l.words) >= 0.75
}

// lasting reports whether what an item says holds until something else is said.
func lasting(k payload.Kind) bool {
	return !slices.Contains([]payload.Kind{payload.Next, payload.Status, payload.Goal, payload.Hypothesis}, k)
}

// answerEnds is the ordinal of the turn with which the answer to what a turn
// handed over ends: the next that was typed.
func answerEnds(s *ingest.Session, turn int) int {
	typedBefore := turn > 0
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.N <= turn || !typed(t) {
			continue
		}
		if typedBefore {
			return t.N
		}
		typedBefore = true // handed over beside the turns: the first that was typed is answered with it
	}
	return math.MaxInt
}
