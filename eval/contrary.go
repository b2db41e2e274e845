package eval

import "slices"

// contrary reports whether two statements can't both be so, by what they say of
// the words that both hold: no and yes, one number and another, a
// name in another's place.
func contrary(a, b stance) bool {
	return a.told && b.told && denied(a, b) ||
		echoes(a, b) || opposed(a, b) || swapped(a, b) || miscounts(a, b)
}

// echoes reports whether two statements hold the same words of content and yet
// aren't the same: one says "no" more often, or a few words stand elsewhere.
func echoes(a, b stance) bool {
	x, y := a.sequence(), b.sequence()
	if len(x) != len(y) {
		return false
	}
	moved := 0
	for i := range x {
		if x[i] != y[i] {
			moved++
		}
	}
	if moved == 0 {
		return a.negators()%2 != b.negators()%2
	}
	if moved > mostMoved {
		return false
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// mostMoved is how many words two that change places move: names are of
// several.
const mostMoved = 4

// sequence are the words of content in their order.
func (s stance) sequence() []string {
	var out []string
	for _, t := range s.tokens {
		if t.weight > 0 {
			out = append(out, t.key)
		}
	}
	return out
}

func (s stance) negators() int {
	n := 0
	for i := range s.tokens {
		if denies(s.tokens, i) {
			n++
		}
	}
	return n
}

// miscounts looks for a number in the place of another: each is in one
// statement only, with the same word beside it.
func miscounts(a, b stance) bool {
	for i, x := range a.tokens {
		if !x.number || b.said[x.key] != nil {
			continue
		}
		for j, y := range b.tokens {
			if y.number && a.said[y.key] == nil && (beside(a, []int{i}, b, []int{j}) || like(a.about(i), b.about(j)) >= 2) {
				return true
			}
		}
	}
	return false
}

// beside reports whether a word has the same word of content next to it in both
// statements.
func beside(a stance, as []int, b stance, bs []int) bool {
	for _, i := range as {
		for _, j := range bs {
			for _, step := range []int{-1, 1} {
				if x := a.next(i, step); x != "" && x == b.next(j, step) {
					return true
				}
			}
		}
	}
	return false
}

// next is the nearest word of content before or behind a place.
func (s stance) next(i, step int) string {
	for k := i + step; k >= 0 && k < len(s.tokens); k += step {
		if t := s.tokens[k]; t.weight > 0 {
			return t.key
		}
	}
	return ""
}
