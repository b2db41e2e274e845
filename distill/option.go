package distill

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// An eitherOr is a question of the form "A, or B?" and what a reply took of it.
type eitherOr struct {
	took  map[string]bool // words of the reply that only one side has
	left  []sayWord       // what only the other side says
	whole bool            // it took "the first", so all that one side says
}

// offerOf reads the last offer before a reply; it is empty if the reply has words of no side, or of both, or if two
// thirds of it say something else. "The first" has all words of its side.
func offerOf(asked, reply string) (o eitherOr) {
	said := wordsIn(reply)
	for _, s := range slices.Backward(text.Sentences(asked, true)) {
		a, b, ok := strings.Cut(s, " or ")
		if !ok {
			continue
		}
		of, other := wordsIn(a), wordsIn(b)
		ofTwo := !strings.Contains(strings.TrimRight(a, ", "), ",")
		for side := range 2 {
			ordinal := ofTwo && said[text.Stem(ordinals[side])]
			took := map[string]bool{}
			for w := range of {
				if (said[w] || ordinal) && !other[w] && len(w) > 2 {
					took[w] = true
				}
			}
			if len(took) > 0 && o.took != nil {
				return eitherOr{}
			}
			if len(took) > 0 && 3*len(took) >= len(text.Words(reply)) {
				o = eitherOr{took, read([]string{b, a}[side]), ordinal}
				o.left = slices.DeleteFunc(o.left, func(w sayWord) bool { return w.joint || of[w.stem] })
			}
			of, other = other, of
		}
		return o
	}
	return o
}

// ordinals name one of two.
var ordinals = [2]string{"first", "second"}

func wordsIn(s string) map[string]bool {
	all := map[string]bool{}
	text.Each(s, func(w string) bool {
		all[text.Stem(w)] = true
		return true
	})
	return all
}

// leaves reports whether a claim affirms something of the side that was left, and says nothing that the reply took; or
// affirms more of that side than of the one that was taken whole.
func (o eitherOr) leaves(claim string) bool {
	took, left := 0, 0
	words := wordsIn(claim)
	for _, w := range read(claim) {
		if w.denied {
			delete(words, w.stem)
		} else if has(o.left, w.stem) {
			left++
		}
	}
	for w := range words {
		if o.took[w] {
			took++
		}
	}
	return left > 0 && (took == 0 || o.whole && left > took)
}
