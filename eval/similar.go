package eval

import (
	"slices"
	"strings"
	"unicode"

	"recall/text"
)

// Weights of a text's parts. Names (paths, flags, symbols, numbers) tell facts
// apart; ordinary words tell them apart less.
const (
	nameWeight = 2.0
	partWeight = 0.5 // a piece of a name: "retry" of "retryBackoff"
	wordWeight = 1.0
)

// A bag is a text taken apart: its words with their weights, and what words
// alone don't tell: whether it says no.
type bag struct {
	words   []weighed // in order, so that the same texts give the same sums
	total   float64
	negated bool
	open    bool // whether it says no tells nothing: what was ruled out is told either way
}

type weighed struct {
	word   string
	weight float64
}

func newBag(text string) bag {
	b := bag{negated: negated(text)}
	for w, x := range wordsIn(text) {
		b.words = append(b.words, weighed{w, x})
	}
	slices.SortFunc(b.words, func(x, y weighed) int { return strings.Compare(x.word, y.word) })
	for _, w := range b.words {
		b.total += w.weight
	}
	return b
}

// wordsIn weighs the words of a text.
func wordsIn(s string) map[string]float64 {
	words := map[string]float64{}
	put := func(w string, weight float64) {
		if (len(w) > 1 || isNumber(w)) && !text.Stop(w) && words[w] < weight {
			words[w] = weight
		}
	}
	for _, tok := range strings.Fields(s) {
		tok = strings.Trim(tok, edges)
		low := strings.ToLower(tok)
		if n, ok := numberWords[low]; ok {
			tok, low = n, n
		}
		switch {
		case tok == "":
		case !isName(tok):
			put(text.Stem(low), wordWeight)
		case isNumber(low):
			put(number(low), nameWeight)
		default:
			put(low, nameWeight)
			if parts := nameParts(tok); len(parts) > 1 {
				for _, p := range parts {
					put(text.Stem(p), partWeight)
				}
			}
		}
	}
	return words
}

// textSimilarity is between 0 and 1: the weight of what both say, against the
// mean of what each says. Two texts of which one says no are less likely the same.
func textSimilarity(a, b bag) float64 {
	if a.total == 0 || b.total == 0 {
		return 0
	}
	var both float64
	for i, j := 0, 0; i < len(a.words) && j < len(b.words); {
		x, y := a.words[i], b.words[j]
		switch {
		case x.word < y.word:
			i++
		case x.word > y.word:
			j++
		default:
			both += min(x.weight, y.weight)
			i, j = i+1, j+1
		}
	}
	sim := 2 * both / (a.total + b.total)
	if a.negated != b.negated && !a.open && !b.open {
		sim *= 0.8
	}
	return min(sim, 1)
}

func overlap(a, b map[string]bool) bool {
	for x := range a {
		if b[x] {
			return true
		}
	}
	return false
}

// negated reports whether a text turns something down, an even number of times
// being none.
func negated(text string) bool {
	odd := false
	low := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for _, w := range strings.FieldsFunc(low, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if negations[w] || strings.HasSuffix(w, "n't") {
			odd = !odd
		}
	}
	return odd
}

var negations = text.Set(`not no never without neither nor cannot stop stops unlike refuse refused rejected
	dropped skip skips skipped`)

// isName tells paths, flags, symbols, versions and numbers from words.
func isName(tok string) bool {
	inner, upper := false, false
	for i, r := range tok {
		switch {
		case unicode.IsDigit(r), strings.ContainsRune("_/.\\=@#%:~$&+", r):
			return true
		case r == '-' && i == 0:
			return true
		case unicode.IsUpper(r):
			inner = inner || i > 0
		case unicode.IsLower(r):
			upper = true
		}
	}
	return inner && upper || inner && len(tok) > 2
}

func isNumber(tok string) bool {
	digits := 0
	for _, r := range tok {
		if unicode.IsDigit(r) {
			digits++
		} else if !strings.ContainsRune(",._k%", r) {
			return false
		}
	}
	return digits > 0
}

// nameParts splits a name at its punctuation and its humps, in lower case.
func nameParts(tok string) []string {
	var parts []string
	var cur []rune
	flush := func() {
		if len(cur) > 1 {
			parts = append(parts, strings.ToLower(string(cur)))
		}
		cur = cur[:0]
	}
	prev := ' '
	for _, r := range tok {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
		} else if unicode.IsUpper(r) && unicode.IsLower(prev) {
			flush()
			cur = append(cur, r)
		} else {
			cur = append(cur, r)
		}
		prev = r
	}
	flush()
	return parts
}
