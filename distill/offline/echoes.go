package offline

import "math"

// echoes find where else in a talk a statement's words are said. They know by
// which sentences each word is used, so that a statement is not compared with
// every other.
type echoes struct {
	rare map[string]float64 // weight of each keyword of the talk: the fewer speeches it occurs in, the more
	uses map[string][]int32 // sentences that have it, by their place in said
	said []saidAt
	sums []float64 // of what they have of the words looked for; 0 between two look-ups
	hits []int32   // room for the sentences whose sum isn't 0
}

// A saidAt is a sentence of the talk: who says it when.
type saidAt struct {
	exchange int32
	by       speaking
}

// speaking says whose a sentence is.
type speaking uint8

const (
	midway speaking = iota // the assistant's, before its last word
	closes                 // its last word before the person speaks
	typing                 // the person's
)

// An echo is what share of a statement's words, rare ones counting more, one
// sentence of another speech has at best: by when it is said, and by whom.
type echo [3][3]float64

// When another sentence is said: in which exchange.
const (
	before = iota
	beside
	after
)

// listenForEchoes gathers the words of a talk.
func listenForEchoes(t *talk) *echoes {
	e := &echoes{rare: map[string]float64{}, uses: map[string][]int32{}}
	for _, sp := range t.speeches {
		sp.from = len(e.said)
		by := midway
		if sp.user {
			by = typing
		} else if sp.closing {
			by = closes
		}
		for i := range sp.parts {
			for _, w := range sp.parts[i].keys() {
				uses := e.uses[w]
				if len(uses) == 0 || int(uses[len(uses)-1]) < sp.from {
					e.rare[w]++
				}
				e.uses[w] = append(uses, int32(len(e.said)))
			}
			e.said = append(e.said, saidAt{exchange: int32(sp.exchange), by: by})
		}
	}
	e.sums = make([]float64, len(e.said))
	for w, k := range e.rare {
		e.rare[w] = math.Log(1 + float64(len(t.speeches))/k)
	}
	return e
}

// of a statement of one speech: in the sentences of all others.
func (e *echoes) of(own *speech, words terms) echo {
	all, sums, hits := 0.0, e.sums, e.hits[:0]
	for _, w := range words {
		r := e.rare[w]
		all += r
		for _, at := range e.uses[w] {
			if sums[at] == 0 {
				hits = append(hits, at)
			}
			sums[at] += r
		}
	}
	var best echo
	for _, at := range hits {
		sum, when := sums[at], beside
		sums[at] = 0
		s := e.said[at]
		if s.exchange < int32(own.exchange) {
			when = before
		} else if s.exchange > int32(own.exchange) {
			when = after
		}
		i := int(at) - own.from
		if x := &best[when][s.by]; sum > *x && (i < 0 || i >= len(own.parts)) {
			*x = sum
		}
	}
	e.hits = hits // kept for their room
	if all > 0 {
		for when := range best {
			for by := range best[when] {
				best[when][by] /= all
			}
		}
	}
	return best
}
