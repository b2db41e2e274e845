package offline

import "math"

// echoes find where else in a talk a statement's words are said. They know by
// which sentences each word is used, so that a statement is not compared with
// every other.
type echoes struct {
	rare map[string]float64 // weight of each keyword of the talk: the fewer speeches it occurs in, the more
	uses map[string][]int32 // sentences that have it, by their place in said
	said []*speech          // the speech of each sentence
	sum  []float64          // what each sentence has of the words looked for; all 0 between two look-ups
	hits []int32            // sentences whose sum isn't 0
}

// An echo is what share of a statement's words, rare ones counting more, one
// other sentence has at best: of the person in the same exchange, and so on.
type echo struct {
	asked, saidAgain, takenUp, saidBefore, reported float64
}

// listenForEchoes gathers the words of a talk.
func listenForEchoes(t *talk) *echoes {
	e := &echoes{rare: map[string]float64{}, uses: map[string][]int32{}}
	for _, sp := range t.speeches {
		from := int32(len(e.said))
		for i := range sp.parts {
			for _, w := range sp.parts[i].keys() {
				uses := e.uses[w]
				if len(uses) == 0 || uses[len(uses)-1] < from {
					e.rare[w]++
				}
				e.uses[w] = append(uses, int32(len(e.said)))
			}
			e.said = append(e.said, sp)
		}
	}
	for w, k := range e.rare {
		e.rare[w] = math.Log(1 + float64(len(t.speeches))/k)
	}
	e.sum = make([]float64, len(e.said))
	return e
}

// of a statement of one speech: in the sentences of all others.
func (e *echoes) of(own *speech, words terms) echo {
	all := 0.0
	for _, w := range words {
		r := e.rare[w]
		all += r
		for _, at := range e.uses[w] {
			if e.sum[at] == 0 {
				e.hits = append(e.hits, at)
			}
			e.sum[at] += r
		}
	}
	var best echo
	for _, at := range e.hits {
		best.hear(own, e.said[at], e.sum[at])
		e.sum[at] = 0
	}
	e.hits = e.hits[:0]
	if all > 0 {
		for _, x := range []*float64{&best.asked, &best.saidAgain, &best.takenUp, &best.saidBefore, &best.reported} {
			*x /= all
		}
	}
	return best
}

// hear counts a sentence of another speech, by who says it when.
func (best *echo) hear(own, other *speech, sum float64) {
	switch {
	case other == own:
	case other.exchange == own.exchange && other.user:
		best.asked = max(best.asked, sum)
	case other.exchange == own.exchange && other.closing:
		best.reported = max(best.reported, sum)
	case other.exchange > own.exchange && other.user:
		best.takenUp = max(best.takenUp, sum)
	case other.exchange > own.exchange && other.closing:
		best.saidAgain = max(best.saidAgain, sum)
	case other.exchange < own.exchange && !other.user:
		best.saidBefore = max(best.saidBefore, sum)
	}
}
