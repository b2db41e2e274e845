package eval

import "maps"

// swapped reports whether two words of both statements fit each other's places better than their own, by the
// words around them. Ordinary words must do so more clearly than names.
func swapped(a, b stance) bool {
	as, bs := a.surroundings(), b.surroundings()
	var both []string
	for key := range as {
		if bs[key] != nil {
			both = append(both, key)
		}
	}
	for i, x := range both {
		for _, y := range both[i+1:] {
			enough := swapMargin
			if !a.named(x) || !a.named(y) {
				enough = plainMargin
			}
			crossed := commonCount(as[x], bs[y]) + commonCount(as[y], bs[x])
			if crossed-commonCount(as[x], bs[x])-commonCount(as[y], bs[y]) >= enough {
				return true
			}
		}
	}
	return false
}

// How many more surrounding words must fit.
const (
	swapMargin  = 2
	plainMargin = 4
)

// surroundWidth is how far a word's surroundings reach, in words.
const surroundWidth = 3

// surroundings collects the words around each content word, marked by side.
func (s stance) surroundings() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for i, t := range s.tokens {
		if t.weight == 0 {
			continue
		}
		if m[t.key] == nil {
			m[t.key] = map[string]bool{}
		}
		maps.Copy(m[t.key], s.neighbors(i))
	}
	return m
}

// neighbors returns the words near a place, marked by side.
func (s stance) neighbors(i int) map[string]bool {
	m := map[string]bool{}
	for k := 1; k <= surroundWidth; k++ {
		if i-k >= 0 {
			m["<"+s.tokens[i-k].key] = true
		}
		if i+k < len(s.tokens) {
			m[">"+s.tokens[i+k].key] = true
		}
	}
	return m
}

func commonCount(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

func (s stance) named(key string) bool {
	for _, i := range s.said[key] {
		if t := s.tokens[i]; t.name || t.number {
			return true
		}
	}
	return false
}
