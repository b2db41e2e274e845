package eval

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Weights of a text's parts. Names (paths, flags, symbols, numbers) tell facts
// apart; ordinary words tell them apart less; the reason is often worded freely.
const (
	nameWeight = 2.0
	partWeight = 0.5 // a piece of a name: "retry" of "retryBackoff"
	wordWeight = 1.0
	whyWeight  = 0.4  // share that words standing only in the reason count
	whyMost    = 0.35 // of the text's weight, what they count together at most
)

// A bag is a text taken apart: its words with their weights, and what words
// alone don't tell: whether it says no, and its numbers.
type bag struct {
	words   map[string]float64
	total   float64
	negated bool
	numbers map[string]bool
}

func newBag(text, why string) bag {
	b := bag{words: map[string]float64{}, numbers: map[string]bool{}}
	b.add(text, 1)
	b.negated = negated(text)
	b.total = b.sum()
	b.reason(why)
	return b
}

// reason adds the words of a text's reason, all together for no more than
// whyMost of the text's own: a reason alone makes no fact.
func (b *bag) reason(why string) {
	r := bag{words: map[string]float64{}, numbers: map[string]bool{}}
	r.add(why, whyWeight)
	for w := range b.words {
		delete(r.words, w)
	}
	sum := r.sum()
	scale := min(1, whyMost*b.total/max(sum, 1e-9))
	for w, x := range r.words {
		b.words[w] = x * scale
	}
	b.total += sum * scale
}

func (b *bag) sum() (total float64) {
	for _, w := range slices.Sorted(maps.Keys(b.words)) { // the same sum whatever the order of the map
		total += b.words[w]
	}
	return total
}

func (b *bag) add(text string, share float64) {
	for _, tok := range strings.Fields(text) {
		tok = strings.Trim(tok, "`*_\"'“”‘’()[]{}<>,;:.!?…—–")
		if tok == "" {
			continue
		}
		if n, ok := numberWords[strings.ToLower(tok)]; ok {
			tok = n
		}
		if !isName(tok) {
			b.put(stem(strings.ToLower(tok)), wordWeight*share)
			continue
		}
		low := strings.ToLower(tok)
		b.put(low, nameWeight*share)
		if isNumber(low) && share == 1 {
			b.numbers[number(low)] = true
		}
		if parts := nameParts(tok); len(parts) > 1 {
			for _, p := range parts {
				b.put(stem(p), partWeight*share)
			}
		}
	}
}

func (b *bag) put(w string, weight float64) {
	if len(w) < 2 && !isNumber(w) || stopWords[w] {
		return
	}
	if b.words[w] < weight {
		b.words[w] = weight
	}
}

// textSimilarity is between 0 and 1: the weight of what both say, against that
// of what they say together, an extra word costing less than a missing one.
// Two texts of which one says no, or whose numbers have nothing in common,
// can't be the same however alike their words are.
func textSimilarity(a, b bag) float64 {
	if a.total == 0 || b.total == 0 {
		return 0
	}
	var both float64
	for w, x := range a.words {
		if y, ok := b.words[w]; ok {
			both += min(x, y)
		}
	}
	small, big := min(a.total, b.total), max(a.total, b.total)
	sim := both / (0.6*small + 0.4*big)
	if a.negated != b.negated {
		sim *= 0.8
	}
	if len(a.numbers) > 0 && len(b.numbers) > 0 && !overlap(a.numbers, b.numbers) {
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

// negated tells whether a text turns something down, an even number of times
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

var negations = set("not no never without neither nor cannot stop stops unlike refuse refused rejected dropped skip skips skipped")

var stopWords = set(`a an and are as at be been both but by can could did do does for from had has have how i if in into is it
	its just let me more no not of on only or our out own so than that the their them then there these they this those to too up
	us was we were what when where which while who why will with would you your also already now still instead because one new
	use used using user via per make made should whether`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

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

// stem cuts the commonest English endings, so that "batches" meets "batching".
func stem(w string) string {
	for _, end := range []string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "ly", "s", "e"} {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 {
			return w[:len(w)-len(end)]
		}
	}
	return w
}
