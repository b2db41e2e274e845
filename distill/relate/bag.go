package relate

import (
	"cmp"
	"hash/fnv"
	"io"
	"iter"
	"slices"
)

// nameWeight is the weight of a name; other words have weight 1.
const nameWeight = 2

// A bag represents a text for comparison: its words, each once, sorted by number.
type bag []entry

// An entry is a word in a bag: its number, and in the lowest bits whether it is a name or a value.
type entry uint64

const (
	aName  entry = 1
	aValue entry = 2 // "=5"
)

// number returns the number that stands for a stem.
func number(stem string) entry {
	h := fnv.New64a()
	io.WriteString(h, stem)
	return entry(h.Sum64()).word()
}

func (e entry) word() entry { return e &^ (aName | aValue) }

func (e entry) weight() int {
	if e&aName != 0 {
		return nameWeight
	}
	return 1
}

func bagOf(toks []token) bag {
	var b bag
	for _, t := range toks {
		b.put(t)
	}
	return b
}

// put adds what a token is compared by. If it is present already, the greater weight counts.
func (b *bag) put(t token) {
	if t.stem == "" {
		return
	}
	e := number(t.stem)
	if t.name {
		e |= aName
	}
	if t.stem[0] == '=' {
		e |= aValue
	}
	at, found := slices.BinarySearchFunc(*b, e, func(a, e entry) int { return cmp.Compare(a.word(), e.word()) })
	if found {
		(*b)[at] |= e
	} else {
		*b = slices.Insert(*b, at, e)
	}
}

// has reports whether a word is present.
func (b bag) has(word entry) bool {
	return slices.ContainsFunc(b, func(e entry) bool { return e.word() == word })
}

// hasAny reports whether a name is present, or a value, as the marks say.
func (b bag) hasAny(marks entry) bool {
	return slices.ContainsFunc(b, func(e entry) bool { return e&marks != 0 })
}

// weight returns the total weight.
func (b bag) weight() (sum int) {
	for _, e := range b {
		sum += e.weight()
	}
	return sum
}

// beside yields a bag's words with their weights in another, 0 if that hasn't the word.
func (b bag) beside(c bag) iter.Seq2[entry, int] {
	return func(yield func(entry, int) bool) {
		at := 0
		for _, e := range b {
			for at < len(c) && c[at].word() < e.word() {
				at++
			}
			other := 0
			if at < len(c) && c[at].word() == e.word() {
				other = c[at].weight()
			}
			if !yield(e, other) {
				return
			}
		}
	}
}

// without returns what one bag has and the other hasn't.
func without(b, c bag) bag {
	var rest bag
	for e, other := range b.beside(c) {
		if other == 0 {
			rest = append(rest, e)
		}
	}
	return rest
}

// in returns the share of a bag's weight whose words the other has too, from 0 to 1; 0 for an empty bag.
func (b bag) in(c bag) float64 {
	all := b.weight()
	return float64(all-without(b, c).weight()) / float64(max(1, all))
}

// like returns how similar two bags are, from 0 to 1: the shared weight relative to the mean of both (Dice). It is 0
// for two empty bags.
func (b bag) like(c bag) float64 {
	shared := 0
	for e, other := range b.beside(c) {
		shared += min(e.weight(), other)
	}
	return float64(2*shared) / float64(max(1, b.weight()+c.weight()))
}

// meet reports whether both have a common word.
func meet(b, c bag) bool { return len(without(b, c)) < len(b) }

// namesIn reports whether all names in one bag are in the other.
func namesIn(b, c bag) bool { return !without(b, c).hasAny(aName) }
