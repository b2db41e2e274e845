package text

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Bag represents a text for comparison: its words, in the form they are compared by, with their weights.
type Bag map[string]float64

// Words returns the stems of a text's content words (see Content), with weight 1 each, without small ones of whatever
// language unless there is nothing else.
func Words(s string) Bag {
	words := Content(s)
	if telling := slices.DeleteFunc(slices.Clone(words), Small(words)); len(telling) > 0 {
		words = telling
	}
	b := make(Bag, len(words))
	for _, w := range words {
		b[Stem(w)] = 1
	}
	return b
}

//go:embed small.txt
var smallText string

// smallWords holds the lists of small.txt by their names.
var smallWords = sync.OnceValue(func() map[string]map[string]bool {
	lists := map[string]map[string]bool{}
	for line := range strings.Lines(smallText) {
		name, words, _ := strings.Cut(line, ": ")
		if lists[name] == nil {
			lists[name] = map[string]bool{}
		}
		for w := range strings.FieldsSeq(words) {
			lists[name][w] = true
		}
	}
	return lists
})

// Small returns what tells which words say nothing of a topic, among such ones as are given: small words of German,
// Spanish, French, Portuguese and Italian, those that may be English or names only beside others.
func Small(among []string) func(w string) bool {
	small, beside := smallWords()["small"], smallWords()["beside"]
	few, foreign := 0, false
	for _, w := range among {
		foreign = foreign || small[w]
		if beside[w] {
			few++
		}
	}
	foreign = foreign || few > 1
	return func(w string) bool { return small[w] || foreign && beside[w] }
}

// Put adds a word. If it is present already, the greater weight counts.
func (b Bag) Put(word string, weight float64) { b[word] = max(b[word], weight) }

// Add adds all words of another bag.
func (b Bag) Add(other Bag) {
	for w, weight := range other {
		b.Put(w, weight)
	}
}

// Has reports whether a word is present.
func (b Bag) Has(word string) bool { _, ok := b[word]; return ok }

// Shared counts the words that both bags have.
func (b Bag) Shared(other Bag) (n int) {
	if len(b) > len(other) {
		b, other = other, b
	}
	for w := range b {
		if other.Has(w) {
			n++
		}
	}
	return n
}

// Among returns those of the bag's words that a text has; of a long text this costs a part of what a bag of it would.
func (b Bag) Among(s string) Bag {
	begins := [256]bool{}
	for w := range b {
		begins[w[0]] = true // a stem begins as its word does, but for accents
	}
	out := Bag{}
	Each(s, func(w string) bool {
		if begins[w[0]] || w[0] >= utf8.RuneSelf {
			if stem := Stem(w); b.Has(stem) {
				out[stem] = b[stem]
			}
		}
		return true
	})
	return out
}

// Without returns the words that the other bag doesn't have.
func (b Bag) Without(other Bag) Bag {
	out := Bag{}
	for w, weight := range b {
		if !other.Has(w) {
			out[w] = weight
		}
	}
	return out
}

// Weight returns the total weight.
func (b Bag) Weight() float64 {
	sum := 0.0
	for _, weight := range b {
		sum += weight
	}
	return sum
}

// In returns the share of a bag's weight whose words the other has too, from 0 to 1; 0 for an empty bag.
func (b Bag) In(other Bag) float64 {
	all, shared := 0.0, 0.0
	for w, weight := range b {
		all += weight
		if other.Has(w) {
			shared += weight
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}

// Like returns how similar two bags are, from 0 to 1: the shared weight relative to the
// mean of both (Dice). It is 0 for two empty bags.
func (b Bag) Like(other Bag) float64 {
	all := b.Weight() + other.Weight()
	if all == 0 {
		return 0
	}
	shared := 0.0
	for w, weight := range b {
		shared += min(weight, other[w])
	}
	return 2 * shared / all
}

// IsName distinguishes names of code, files, versions and numbers from words: by digits,
// dots, slashes, underscores, and capitals inside.
func IsName(w string) bool {
	for i, r := range w {
		if unicode.IsDigit(r) || strings.ContainsRune("._/", r) || i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}
