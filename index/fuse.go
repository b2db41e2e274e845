package index

import (
	"cmp"
	"slices"
)

// ranked is one line of the answer before it is loaded.
type ranked struct {
	candidate
	table int
}

// itemBonus puts an item before a turn that fits as well: it says in one
// sentence what the turn takes a page for.
const itemBonus = 1.25

// fuse makes one list of items and turns.
func fuse(found [2][]candidate, limit int) []ranked {
	var out []ranked
	for k, list := range found {
		for _, c := range list {
			out = append(out, ranked{c, k})
		}
	}
	for i := range out {
		if out[i].table == items {
			out[i].score *= itemBonus
		}
	}
	lift(out)
	slices.SortStableFunc(out, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.table-b.table)
	})
	return out[:min(limit, len(out))]
}

// lift gives an item at least the score of the turn that it was taken from:
// it says the same, and more clearly.
func lift(list []ranked) {
	type place struct{ session, n int64 }
	turn := map[place]float64{}
	for _, r := range list {
		if r.table == turns {
			turn[place{r.session, r.n}] = r.score
		}
	}
	for i, r := range list {
		if r.table == items && r.n > 0 {
			list[i].score = max(r.score, turn[place{r.session, r.n}])
		}
	}
}
