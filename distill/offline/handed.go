package offline

import (
	"math"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/payload"
)

// A session repeats what recall handed to it: asked for its understanding of a payload, an
// assistant restates its lines in other words. That is nothing new and must not become
// items, or the session would seem to have newly decided, with its own date, what was
// decided long ago.

// A handedLine is one line of a payload that was handed to the session.
type handedLine struct {
	kind  payload.Kind // "" if the page doesn't say
	words text.Bag
	turn  int // ordinal of the turn that contains it, 0 if it wasn't in a turn
}

func handedLines(s *ingest.Session) []handedLine {
	var out []handedLine
	for _, page := range s.Handed {
		out = appendHanded(out, page, 0)
	}
	for i := range s.Turns {
		t := &s.Turns[i]
		for _, f := range t.Foreign {
			if f.Label == ingest.ForeignRecall && f.From <= f.To && f.To <= len(t.Text) {
				out = appendHanded(out, t.Text[f.From:f.To], t.N)
			}
		}
	}
	return out
}

func appendHanded(out []handedLine, said string, turn int) []handedLine {
	var lines []string
	for line := range strings.Lines(said) {
		lines = append(lines, strings.TrimLeft(strings.TrimSpace(line), "> "))
	}
	page := strings.Join(lines, "\n")
	if doc, err := payload.Read(page); err == nil && len(doc.Lines) > 0 {
		for _, l := range doc.Lines {
			it := &l.Item
			out = append(out, handedLine{it.Kind, keywords(it.Text + " " + it.Why + " " + it.Path), turn})
		}
		return out
	}
	for _, line := range lines {
		if words := keywords(line); len(words) > 1 {
			out = append(out, handedLine{"", words, turn})
		}
	}
	return out
}

// withoutRetold removes what the assistant merely repeated. Each report restates what is to
// be done, and the last one counts; so of those kinds only the answer to the handover is
// removed.
func withoutRetold(s *ingest.Session, items []payload.Item) []payload.Item {
	lines := handedLines(s)
	if len(lines) == 0 {
		return items
	}
	return slices.DeleteFunc(items, func(it payload.Item) bool {
		if it.By != payload.ByAssistant || it.Kind == payload.File || len(it.Evidence) == 0 {
			return false
		}
		if at := first(&it); it.Kind == payload.Lead && slices.ContainsFunc(lines,
			func(l handedLine) bool { return at > l.turn && at < answerEnds(s, l.turn) }) {
			return true // the answer to a payload repeats it in whatever words
		}
		words := keywords(it.Text)
		return slices.ContainsFunc(lines, func(l handedLine) bool {
			return l.tells(words, it.Kind) && first(&it) > l.turn &&
				(isLasting(it.Kind) || first(&it) < answerEnds(s, l.turn))
		})
	})
}

// tells reports whether a line says what an item says.
func (l *handedLine) tells(words text.Bag, kind payload.Kind) bool {
	return len(words) >= 2 && (l.kind == "" || kind == payload.Lead || l.kind == kind) && words.In(l.words) >= 0.75
}

// isLasting reports whether an item of this kind holds until something else is said.
func isLasting(k payload.Kind) bool {
	return !slices.Contains([]payload.Kind{payload.Next, payload.Status, payload.Goal, payload.Hypothesis}, k)
}

// answerEnds returns the ordinal of the turn that ends the answer to a handover: the next
// one typed.
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
		typedBefore = true // handed over outside of the turns, to be answered along with the first prompt
	}
	return math.MaxInt
}
