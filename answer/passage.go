package answer

import (
	"fmt"
	"strings"
	"unicode"

	"recall/index"
	"recall/text"
)

// How much of a turn is shown, in characters, where nobody says: of one that answers,
// and of others.
const (
	answering = 288
	passage   = 192
)

// Passage is the part of a turn that speaks of the question, about so many characters
// of it.
func (v Voice) Passage(r *Result, n int) string { return snippet(v.line(r.Text), r.Terms, n) }

// Nearest is a result, and where it stands, where there is no answer; "" if it is near
// to nothing.
func (v Voice) Nearest(r *Result) string {
	if !r.speaksOf() {
		return ""
	}
	at := v.Where(r.Place, 0, false)
	if r.Turn > 0 && r.Source != index.Handed {
		at = fmt.Sprintf("turn %d of %s", r.Turn, at)
	}
	said, day := v.Passage(r, 100), r.At
	if r.Item != nil {
		said, day = text.Clip(v.Sentence(*r.Item), 160), r.Item.At
	}
	return fmt.Sprintf("\"%s\" (%s), %s.", strings.TrimRight(said, "."), Day(day), at)
}

// snippet cuts about n runes out of text around the place where most of the
// words stand. A word counts where it begins a word of the text.
func snippet(text string, words []string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	lower := []rune(strings.ToLower(text))
	if len(lower) != len(runes) { // a letter whose lower case is longer
		lower = runes
	}
	var at []int
	for _, w := range words {
		at = append(at, places(lower, []rune(strings.ToLower(w)))...)
	}
	best, most := 0, 0
	for _, start := range at {
		hits := 0
		for _, other := range at {
			if other >= start && other < start+n*3/4 {
				hits++
			}
		}
		if hits > most || hits == most && start < best {
			best, most = start, hits
		}
	}
	from := max(0, min(best-n/4, len(runes)-n))
	to := min(len(runes), from+n)
	for from > 0 && from < best && !unicode.IsSpace(runes[from-1]) {
		from++
	}
	for to < len(runes) && to > from+n/2 && !unicode.IsSpace(runes[to]) {
		to--
	}
	out := strings.TrimSpace(string(runes[from:to]))
	if from > 0 {
		out = "…" + out
	}
	if to < len(runes) {
		out += "…"
	}
	return out
}

// places lists where a word begins in text.
func places(text, word []rune) []int {
	var at []int
	for i := 0; len(word) > 0 && i+len(word) <= len(text); i++ {
		if i > 0 && (unicode.IsLetter(text[i-1]) || unicode.IsDigit(text[i-1])) {
			continue
		}
		match := true
		for k, r := range word {
			if text[i+k] != r {
				match = false
				break
			}
		}
		if match {
			at = append(at, i)
		}
	}
	return at
}
