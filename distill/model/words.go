package model

import (
	"recall/text"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A bag is a text's words for comparing: stems of those that say something.
type bag map[string]float64

// bagOf takes a text's words. Names (with digits, dots, capitals inside) weigh
// twice.
func bagOf(text string) bag {
	b := bag{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._/-", r)
	}) {
		if w = strings.Trim(w, "._/-"); w == "" {
			continue
		}
		weight := 1.0
		if isName(w) {
			weight = 2
		}
		for _, p := range strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("./-_", r) }) {
			for _, s := range stems(p) {
				b[s] = max(b[s], weight)
			}
		}
	}
	return b
}

func isName(w string) bool {
	for i, r := range w {
		if unicode.IsDigit(r) || strings.ContainsRune("._/", r) || i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// stems are the stem of a word, or the pairs of letters of a text that is
// written without spaces.
func stems(w string) []string {
	if !unspaced(w) {
		if s := stem(w); s != "" {
			return []string{s}
		}
		return nil
	}
	letters := []rune(strings.ToLower(w))
	if len(letters) == 1 {
		return []string{string(letters)}
	}
	out := make([]string, len(letters)-1)
	for i := range out {
		out[i] = string(letters[i : i+2])
	}
	return out
}

// unspaced reports whether a text has letters of a script that puts no spaces
// between words, or hangs endings onto them.
func unspaced(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// stem is the beginning of a word, "" of one that says nothing.
func stem(w string) string {
	w = strings.ToLower(w)
	if emptyWords[w] || len(w) < 2 {
		return ""
	}
	if utf8.RuneCountInString(w) > 5 && !strings.ContainsFunc(w, unicode.IsDigit) {
		w = string([]rune(w)[:5])
	}
	return w
}

var emptyWords = text.Set(`a an the this that these those it its is are was were be been being do does did has
	have had will would can could should may might must of in on at to from by for with without into onto over
	under as and or but if then than so no not you we they he she our your their them us there here when where
	which who what how why all any each every some more most other only just also very too out up down off about
	after before again once never nor instead now still until while because`)

func (b bag) sum() float64 {
	s := 0.0
	for _, w := range b {
		s += w
	}
	return s
}

// in says how much of a bag's words stand in another, 0 to 1.
func (b bag) in(other bag) float64 {
	all, both := 0.0, 0.0
	for w, n := range b {
		all += n
		if other[w] > 0 {
			both += n
		}
	}
	if all == 0 {
		return 0
	}
	return both / all
}

// like says how alike two bags are, 0 to 1 (Dice).
func (b bag) like(other bag) float64 {
	all := b.sum() + other.sum()
	if all == 0 {
		return 0
	}
	both := 0.0
	for w, n := range b {
		if o := other[w]; o > 0 {
			both += min(n, o)
		}
	}
	return 2 * both / all
}
