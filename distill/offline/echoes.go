package offline

import "math"

// echoes find where else in a talk a statement's words are said. They know by
// which sentences each word is used, so that a statement is not compared with
// every other.
type echoes struct {
	words rarity
	said  []saidAt
	sums  []float64 // room for what they have of the words looked for
	cells []uint8   // where in an echo each counts, as seen from own: when, and by whom
	own   *speech
}

// rarity tells of each keyword of a talk how rare it is; nothing of others.
type rarity map[word]*use

// A use is where a keyword is said.
type use struct {
	weight float64 // the fewer speeches it occurs in, the more
	at     []int32 // sentences that have it, by their place in said
}

// of is the weight of a word.
func (r rarity) of(w word) float64 {
	if u := r[w]; u != nil {
		return u.weight
	}
	return 0
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
	e := &echoes{words: rarity{}}
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
				u := e.words[w]
				if u == nil {
					u = &use{}
					e.words[w] = u
				}
				if n := len(u.at); n == 0 || int(u.at[n-1]) < sp.from {
					u.weight++
				}
				u.at = append(u.at, int32(len(e.said)))
			}
			e.said = append(e.said, saidAt{exchange: int32(sp.exchange), by: by})
		}
	}
	e.sums, e.cells = make([]float64, len(e.said)), make([]uint8, len(e.said))
	for _, u := range e.words {
		u.weight = math.Log(1 + float64(len(t.speeches))/u.weight)
	}
	return e
}

// of a statement of one speech: in the sentences of all others. Sums only grow,
// so the most that they are at any time is the most that they come to.
func (e *echoes) of(own *speech, words terms) echo {
	e.seeFrom(own)
	clear(e.sums)
	sums, cells := e.sums, e.cells
	all, most := 0.0, [16]float64{}
	for _, w := range words {
		u := e.words[w]
		if u == nil {
			continue
		}
		all += u.weight
		for _, at := range u.at {
			sum := sums[at] + u.weight
			sums[at] = sum
			if cell := cells[at] & 15; sum > most[cell] {
				most[cell] = sum
			}
		}
	}
	var best echo
	if all > 0 {
		for when := range best {
			for by := range best[when] {
				best[when][by] = most[when*len(best)+by] / all
			}
		}
	}
	return best
}

// ownCell is where what a speech says itself counts: nowhere.
const ownCell = 15

// seeFrom sets the cells as seen from a speech.
func (e *echoes) seeFrom(own *speech) {
	if e.own == own {
		return
	}
	if e.own == nil || e.own.exchange != own.exchange {
		for i, s := range e.said {
			e.cells[i] = cellOf(s, own)
		}
	} else {
		for i := range e.own.parts {
			e.cells[e.own.from+i] = cellOf(e.said[e.own.from+i], own)
		}
	}
	for i := range own.parts {
		e.cells[own.from+i] = ownCell
	}
	e.own = own
}

func cellOf(s saidAt, own *speech) uint8 {
	when := beside
	if s.exchange < int32(own.exchange) {
		when = before
	} else if s.exchange > int32(own.exchange) {
		when = after
	}
	return uint8(when*len(echo{}) + int(s.by))
}
