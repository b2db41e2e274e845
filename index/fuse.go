package index

import (
	"cmp"
	"slices"

	"recall/payload"
)

// ranked is one line of the answer before it is loaded.
type ranked struct {
	candidate
	table int
}

// How items and turns make one list. Chosen on one
// project's questions and reported on the other's; all are flat around these.
const (
	itemBonus    = 1.75 // an item says in a sentence what a turn takes a page for; 1.5–2.5 do the same
	supportShare = 0.2  // of what its session's results score together
	supportDecay = 0.7  // from each of these, best first, to the next
	setBack      = 0.6  // of a session's third turn and on; no session's rank depends on it
)

// fuse makes one list of items and turns, best first.
func fuse(found [2][]candidate, weight func(payload.Kind) float64, limit int) []ranked {
	var out []ranked
	for k, list := range found {
		for _, c := range list {
			if k == items {
				c.score *= itemBonus * weight(c.kind)
			}
			out = append(out, ranked{c, k})
		}
	}
	byScore(out)
	support(out)
	byScore(out)
	spread(out)
	byScore(out)
	below(out)
	byScore(out)
	return out[:min(limit, len(out))]
}

func byScore(list []ranked) {
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.table-b.table)
	})
}

// support adds to each result a share of what its session scores: one that
// speaks of the matter in several places is the likelier one.
func support(list []ranked) {
	type sum struct{ total, weight float64 }
	sums := map[int64]*sum{}
	for _, r := range list {
		s := sums[r.session]
		if s == nil {
			s = &sum{0, 1}
			sums[r.session] = s
		}
		s.total += r.score * s.weight
		s.weight *= supportDecay
	}
	for i := range list {
		list[i].score += supportShare * sums[list[i].session].total
	}
}

// spread sets back a session's turns after the second: neighbours find one
// another by their context and would fill the page.
func spread(list []ranked) {
	seen := map[int64]int{}
	for i, r := range list {
		if r.table != turns {
			continue
		}
		if seen[r.session]++; seen[r.session] > 2 {
			list[i].score *= setBack
		}
	}
}

// below puts a turn right below the best item that was taken from it, which
// says the same more clearly.
func below(list []ranked) {
	type place struct{ session, n int64 }
	item := map[place]float64{}
	for _, r := range list {
		p := place{r.session, r.n}
		if _, ok := item[p]; !ok && r.table == items && r.n > 0 {
			item[p] = r.score
		}
	}
	for i, r := range list {
		if s, ok := item[place{r.session, r.n}]; ok && r.table == turns {
			list[i].score = min(r.score, s)
		}
	}
}
