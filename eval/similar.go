package eval

import (
	"strings"
	"unicode"

	"recall/internal/text"
)

// Weights of a text's parts. Names (paths, flags, symbols, numbers) distinguish facts better than ordinary words.
const (
	nameWeight = 2.0
	partWeight = 0.5 // a piece of a name: "retry" of "retryBackoff"
	wordWeight = 1.0
)

// bag is what a text says: its words with their weights, and whether it negates.
type bag struct {
	text.Bag
	negated bool
	open    bool // negation says nothing: what was ruled out can be worded either way
}

func newBag(s string) bag {
	b := bag{Bag: text.Bag{}, negated: negated(s)}
	put := func(w string, weight float64) {
		if (len(w) > 1 || isNumber(w)) && !text.Stop(w) {
			b.Put(w, weight)
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
	return b
}

// textSimilarity is how alike two texts are, 0 to 1, reduced if only one of them negates.
func textSimilarity(a, b bag) float64 {
	sim := a.Like(b.Bag)
	if a.negated != b.negated && !a.open && !b.open {
		sim *= 0.8
	}
	return sim
}

func overlap(a, b map[string]bool) bool {
	for x := range a {
		if b[x] {
			return true
		}
	}
	return false
}

// negated reports whether a text holds an odd number of negations.
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

// isName distinguishes paths, flags, symbols, versions and numbers from ordinary words.
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

// nameParts splits a name at punctuation and camel-case humps, in lower case.
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
