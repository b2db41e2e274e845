package offline

import (
	"math"
	"slices"
)

// echoes find where else in a talk a statement's words are said. An index from words to
// sentences saves comparing a statement with every other.
type echoes struct {
	words rarity
	by    []voice   // who says each sentence, by its position in the talk
	sums  []float64 // scratch space: each sentence's total for the words looked for; 0 in between
	from  []int     // first sentence of each exchange; at the end, the number of sentences
}

// rarity gives the rarity of each keyword of a talk, 0 for other words.
type rarity map[word]*use

// A use is where a keyword is said.
type use struct {
	weight float64 // the fewer speeches it occurs in, the higher
	at     []int32 // positions of the sentences that have it
}

func (r rarity) of(w word) float64 {
	if u := r[w]; u != nil {
		return u.weight
	}
	return 0
}

type voice uint8

const (
	midway voice = iota // the assistant's, before its last message
	closes              // the assistant's last message before the person speaks
	person
	onRecord // a plan, commit message or summary
)

// An echo is the largest share of a statement's words, weighted by rarity, that any one
// sentence of another speech has: by when it is said, and by whom.
type echo [3][4]float64

// When another sentence is said, relative to the statement's exchange.
const (
	before = iota
	beside
	after
)

func newEchoes(t *talk) *echoes {
	e := &echoes{words: rarity{}}
	for _, sp := range t.speeches {
		sp.from = len(e.by)
		for len(e.from) <= sp.exchange {
			e.from = append(e.from, sp.from)
		}
		by := midway
		if sp.user {
			by = person
		} else if sp.source != message {
			by = onRecord
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
				u.at = append(u.at, int32(len(e.by)))
			}
			e.by = append(e.by, by)
		}
	}
	e.from = append(e.from, len(e.by))
	e.sums = make([]float64, len(e.by))
	for _, u := range e.words {
		u.weight = math.Log(1 + float64(len(t.speeches))/u.weight)
	}
	return e
}

// maxReach is how many sentences before and after a speech are considered. No talk of a few
// days is that long; in one of a hundred thousand turns, looking at all of them from each
// would take hours.
const maxReach = 10_000

// of returns the echo of a statement of one speech in the sentences of the speeches around
// it.
func (e *echoes) of(own *speech, words terms) echo {
	all := 0.0
	first, end := max(0, own.from-maxReach), min(len(e.sums), own.from+len(own.parts)+maxReach)
	for _, w := range words {
		u := e.words[w]
		if u == nil {
			continue
		}
		all += u.weight
		i := 0
		if first > 0 {
			i, _ = slices.BinarySearch(u.at, int32(first))
		}
		for _, at := range u.at[i:] {
			if int(at) >= end {
				break
			}
			e.sums[at] += u.weight
		}
	}
	var most echo
	if all == 0 {
		return most
	}
	from, to := max(e.from[own.exchange], first), min(e.from[own.exchange+1], end)
	e.take(first, from, &most[before])
	e.take(from, own.from, &most[beside])
	clear(e.sums[own.from : own.from+len(own.parts)]) // what a speech says itself doesn't count
	e.take(own.from+len(own.parts), to, &most[beside])
	e.take(to, end, &most[after])
	for when := range most {
		for by := range most[when] {
			most[when][by] /= all
		}
	}
	return most
}

// take records the highest total in a range of sentences for each speaker, and resets the
// totals.
func (e *echoes) take(from, to int, most *[4]float64) {
	sums, by := e.sums[from:to], e.by[from:to]
	for i, sum := range sums {
		if sum > most[by[i]] {
			most[by[i]] = sum
		}
		sums[i] = 0
	}
}
