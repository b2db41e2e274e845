package relate

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// A term is a stem as a number, a hash of it: two claims that are compared
// hardly ever hold two stems of one number.
type term uint64

func termOf(stem string) term {
	h := term(14695981039346656037) // FNV-1a
	for i := range len(stem) {
		h = (h ^ term(stem[i])) * 1099511628211
	}
	return h
}

// bag is a set of stems with their weights, in order of their numbers: bags are
// compared by walking along both. With maps, as text.Bag is, relating 4,300 items
// takes twice the time (252 instead of 130 ms).
type bag []entry

type entry struct {
	term   term
	weight float64
	value  bool
}

// nameWeight is what a name counts beside a word.
const nameWeight = 2

func (b *bag) add(t token) {
	if t.stem == "" {
		return
	}
	e := entry{t.term, 1, strings.HasPrefix(t.stem, "=")}
	if t.name {
		e.weight = nameWeight
	}
	i, found := slices.BinarySearchFunc(*b, t.term, func(e entry, t term) int { return cmp.Compare(e.term, t) })
	if found {
		(*b)[i].weight = max((*b)[i].weight, e.weight)
		return
	}
	*b = slices.Insert(*b, i, e)
}

// bagOf is a bag of tokens.
func bagOf(toks []token) bag {
	var b bag
	for _, t := range toks {
		b.add(t)
	}
	return b
}

// seek finds from a place on where a term stands, or would.
func (b bag) seek(from int, t term) (at int, ok bool) {
	for from < len(b) && b[from].term < t {
		from++
	}
	return from, from < len(b) && b[from].term == t
}

// of is the weight of a term, 0 of one that isn't there.
func (b bag) of(t term) float64 {
	if i, ok := b.seek(0, t); ok {
		return b[i].weight
	}
	return 0
}

func (b bag) weight() float64 {
	sum := 0.0
	for _, e := range b {
		sum += e.weight
	}
	return sum
}

// in is the share of b's weight that c holds too; 0 of an empty bag.
func (b bag) in(c bag) float64 {
	all, shared := 0.0, 0.0
	at, ok := 0, false
	for _, e := range b {
		all += e.weight
		if at, ok = c.seek(at, e.term); ok {
			shared += e.weight
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}

func (b bag) without(c bag) bag { return slices.Collect(b.rest(c)) }

// meets reports whether a stem is in both.
func (b bag) meets(c bag) bool {
	at, ok := 0, false
	for _, e := range b {
		if at, ok = c.seek(at, e.term); ok {
			return true
		}
	}
	return false
}

// rest visits what b holds and c doesn't.
func (b bag) rest(c bag) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		at, ok := 0, false
		for _, e := range b {
			if at, ok = c.seek(at, e.term); !ok && !yield(e) {
				return
			}
		}
	}
}
