package ingest

import (
	"strings"
	"unicode"

	"recall/internal/text"
)

// The least letters and digits of a sentence that nobody types again by chance, and how many turns back it is sought.
const leastRepeated, repeatedFrom = 40, 40

// repeated finds the sentences that a person repeats of what the assistant said before, as when pasting one to say that
// it isn't so. A prompt that is nothing else, or agrees, takes over what it repeats; one's own words stay one's own.
func (s *Session) repeated(sent string) (parts []Foreign) {
	said, typed, own, at := "", "", false, 0
	if text.Agrees(sent) {
		return nil
	}
	for paragraph := range strings.SplitAfterSeq(sent, "\n\n") {
		spans := text.Spans(paragraph, true)
		if len(spans) == 1 && len(paragraph) == len(sent) {
			return nil
		}
		for _, c := range spans {
			mine := letters(paragraph[c[0]:c[1]])
			if said == "" && len(mine) >= leastRepeated {
				said, typed = s.lastSaid()
			}
			if len(mine) >= leastRepeated && strings.Contains(said, mine) && !strings.Contains(typed, mine) {
				parts = append(parts, Foreign{From: at + c[0], To: at + c[1], Label: ForeignPasted})
			} else {
				own = own || mine != ""
			}
		}
		at += len(paragraph)
	}
	if !own {
		return nil
	}
	return parts
}

// lastSaid returns what the assistant said in the last turns, and what the person did, by their letters.
func (s *Session) lastSaid() (said, typed string) {
	for _, t := range s.Turns[max(0, len(s.Turns)-repeatedFrom):] {
		switch t.Role {
		case Assistant:
			said += "\n" + letters(t.Text)
		case User:
			typed += "\n" + letters(t.OwnText())
		}
	}
	return said + "\n", typed
}

// letters returns only the letters and digits of a text, and a number's sign and point: what is copied from a terminal
// has other breaks and no markup.
func letters(s string) string {
	var b strings.Builder
	all := []rune(s)
	for i, r := range all {
		numeric := strings.ContainsRune("-+.,", r) && i+1 < len(all) && unicode.IsDigit(all[i+1])
		if unicode.IsLetter(r) || unicode.IsDigit(r) || numeric {
			b.WriteRune(r)
		}
	}
	return b.String()
}
