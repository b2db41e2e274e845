package ingest

import (
	"strings"
	"unicode"

	"recall/internal/text"
)

// The least letters and digits of a sentence that nobody types again by chance, and how many turns back it is sought.
const leastRepeated, repeatedFrom = 40, 40

// repeated finds the sentences that a person repeats of what the assistant said before, as when pasting one to say that
// it isn't so. A prompt that is nothing else takes over what it repeats.
func (s *Session) repeated(sent string) (parts []Foreign) {
	said, own, at := "", false, 0
	for paragraph := range strings.SplitAfterSeq(sent, "\n\n") {
		for _, c := range text.Spans(paragraph, true) {
			mine := letters(paragraph[c[0]:c[1]])
			if said == "" && len(mine) >= leastRepeated {
				said = s.lastSaid()
			}
			if len(mine) >= leastRepeated && strings.Contains(said, mine) {
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

// lastSaid returns what the assistant said in the last turns, by its letters.
func (s *Session) lastSaid() string {
	said := []string{""}
	for _, t := range s.Turns[max(0, len(s.Turns)-repeatedFrom):] {
		if t.Role == Assistant {
			said = append(said, letters(t.Text))
		}
	}
	return strings.Join(said, "\n")
}

// letters returns only the letters and digits of a text: what is copied from a terminal has other breaks and no markup.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
