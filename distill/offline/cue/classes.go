package cue

import (
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// classes sorts runes into classes that no expression tells apart.
type classes struct {
	ascii  [utf8.RuneSelf]uint16
	from   []rune   // where a stretch of runes of one class begins, ascending, the first 0
	class  []uint16 // of each stretch
	sample []rune   // a rune of each class
}

// of gives a rune's class.
func (c *classes) of(r rune) uint32 {
	if r < utf8.RuneSelf {
		return uint32(c.ascii[r])
	}
	lo, hi := 0, len(c.from)
	for lo+1 < hi {
		if m := (lo + hi) / 2; c.from[m] <= r {
			lo = m
		} else {
			hi = m
		}
	}
	return uint32(c.class[lo])
}

// count is the number of classes.
func (c *classes) count() int { return len(c.sample) }

// A runeSet is a set of runes as sorted pairs, both ends included.
type runeSet []rune

func (s runeSet) has(r rune) bool {
	i := sort.Search(len(s)/2, func(i int) bool { return s[2*i+1] >= r })
	return 2*i < len(s) && s[2*i] <= r
}

// foldSet is the set of a rune with those that differ from it in case only.
func foldSet(r rune) runeSet {
	all := []rune{r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		all = append(all, f)
	}
	slices.Sort(all)
	var s runeSet
	for _, f := range all {
		s = append(s, f, f)
	}
	return s
}

// classify finds the classes that some sets of runes make.
func classify(sets []runeSet) *classes {
	from := []rune{0}
	for _, s := range sets {
		for i := 0; i+1 < len(s); i += 2 {
			from = append(from, s[i])
			if s[i+1] < unicode.MaxRune {
				from = append(from, s[i+1]+1)
			}
		}
	}
	slices.Sort(from)
	c := &classes{}
	known := map[string]uint16{}
	in := make([]byte, (len(sets)+7)/8)
	for _, r := range slices.Compact(from) {
		clear(in)
		for i, s := range sets {
			if s.has(r) {
				in[i/8] |= 1 << (i % 8)
			}
		}
		id, ok := known[string(in)]
		if !ok {
			id = uint16(len(c.sample))
			known[string(in)] = id
			c.sample = append(c.sample, r)
		}
		if n := len(c.class); n > 0 && c.class[n-1] == id {
			continue
		}
		c.from = append(c.from, r)
		c.class = append(c.class, id)
	}
	at := 0
	for r := range c.ascii {
		for at+1 < len(c.from) && c.from[at+1] <= rune(r) {
			at++
		}
		c.ascii[r] = c.class[at]
	}
	return c
}
