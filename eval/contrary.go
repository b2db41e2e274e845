package eval

import "slices"

// contradicts reports whether two statements contradict each other in the words they share: by negation, another
// number, or another name in the same place.
func contradicts(a, b stance) bool {
	return a.told && b.told && denied(a, b) ||
		echoes(a, b) || opposed(a, b) || swapped(a, b) || differentNumber(a, b)
}

// echoes reports whether two statements have the same content words and still differ: one has an odd "no" more,
// or a few words changed places.
func echoes(a, b stance) bool {
	x, y := a.contentWords(), b.contentWords()
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
	if moved > maxMoved {
		return false
	}
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// maxMoved is how many words an exchange of two names may move: names can be several words long.
const maxMoved = 4

// contentWords returns the content words in order.
func (s stance) contentWords() []string {
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

// differentNumber looks for one number in the place of another: each occurs in one statement only, with the same word
// beside it.
func differentNumber(a, b stance) bool {
	for i, x := range a.tokens {
		if !x.number || b.said[x.key] != nil {
			continue
		}
		for j, y := range b.tokens {
			if !y.number || a.said[y.key] != nil {
				continue
			}
			if sharesNeighbor(a, []int{i}, b, []int{j}) || commonCount(a.neighbors(i), b.neighbors(j)) >= 2 {
				return true
			}
		}
	}
	return false
}

// sharesNeighbor reports whether a word has the same content word next to it in both statements.
func sharesNeighbor(a stance, as []int, b stance, bs []int) bool {
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

// next is the nearest content word before or after a place.
func (s stance) next(i, step int) string {
	for k := i + step; k >= 0 && k < len(s.tokens); k += step {
		if t := s.tokens[k]; t.weight > 0 {
			return t.key
		}
	}
	return ""
}
