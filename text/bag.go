package text

import (
	"strings"
	"unicode"
)

// A Bag is a text taken apart for comparing it with others: its words, by
// whatever they are compared by, with their weights.
type Bag map[string]float64

// Words are the words of a text that carry meaning (see Content), cut to their
// stems. Each weighs 1.
func Words(s string) Bag {
	b := Bag{}
	for _, w := range Content(s) {
		b[Stem(w)] = 1
	}
	return b
}

// Put puts a word in. One that is there already keeps the greater weight.
func (b Bag) Put(word string, weight float64) { b[word] = max(b[word], weight) }

// Add puts all of another bag in.
func (b Bag) Add(other Bag) {
	for w, weight := range other {
		b.Put(w, weight)
	}
}

// Has reports whether a word is in.
func (b Bag) Has(word string) bool { _, ok := b[word]; return ok }

// Shared counts the words that two bags have both.
func (b Bag) Shared(other Bag) (n int) {
	for w := range b {
		if other.Has(w) {
			n++
		}
	}
	return n
}

// Weight is that of all words.
func (b Bag) Weight() float64 {
	sum := 0.0
	for _, weight := range b {
		sum += weight
	}
	return sum
}

// In is the share of a bag's weight whose words the other holds too, 0 to 1; 0
// of an empty bag.
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

// Like is how alike two bags are, 0 to 1: the weight that they share, in parts of
// the mean of both (Dice). Two empty ones aren't.
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

// IsName tells names of code, files, versions and numbers from words: digits,
// dots, slashes and underscores, capitals inside.
func IsName(w string) bool {
	for i, r := range w {
		if unicode.IsDigit(r) || strings.ContainsRune("._/", r) || i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}
