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
	for line := range strings.Lines(said) {
		if words := keywords(line); len(words) > 1 {
			out = append(out, handedLine{words, turn})
		}
	}
	return out
}

// withoutRetold removes what is quoted of the assistant's answer to a payload, which repeats it in whatever words, and
// what is quoted later that one of its lines says.
func withoutRetold(s *ingest.Session, items []payload.Item) []payload.Item {
	lines := handedLines(s)
	return slices.DeleteFunc(items, func(it payload.Item) bool {
		if it.By != payload.ByAssistant || it.Kind != payload.Lead || it.Rule == payload.TaskStatesRule {
			return false
		}
		at, words := first(&it), keywords(it.Text)
		return slices.ContainsFunc(lines, func(l handedLine) bool {
			retold := len(words) > 1 && words.In(l.words) >= retoldShare
			return at > l.turn && (retold || at < answerEnds(s, l.turn))
		})
	})
}

// retoldShare is the share of a passage's words from which the line that has them says it.
const retoldShare = 0.75

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
