package team

import (
	"fmt"
	"slices"
	"testing"

	"recall/index"
)

// What a search finds first is what ranking every item would have put first: it looks at few of those that hold a
// question's words. Items made up are hard to tell apart, so some differ in the last places.
func TestSearchFindsTheBest(t *testing.T) {
	const n = 4000
	c := newCrew(t)
	ana := c.owner()
	w := newWorld(t)
	w.fill(t, c, n, 10)
	var all []index.ForeignItem
	holding := map[string]int{}
	for i, again := 0, newWorld(t); i < n/each; i++ {
		s := again.session(fmt.Sprint("s", i), 1+i%10)
		for _, it := range s.Items {
			all = append(all, index.ForeignItem{Item: asIndexed(it), Place: index.Place{Session: s.ID}})
			for _, stem := range index.StemsOf(asIndexed(it)) {
				holding[stem]++
			}
		}
	}
	for _, limit := range []int{5, 20} {
		var of, found int
		for i := 0; i < len(w.questions); i += 10 {
			q := index.Query{Text: w.questions[i], Limit: limit}
			e := index.ForeignResults{Asked: index.Ask(q), Items: all, Searched: len(all)}
			for _, stem := range e.Asked.Stems {
				e.Holding = append(e.Holding, holding[stem])
			}
			got, err := ana.Search(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range e.Asked.Rank(e).Ranked {
				of++
				if slices.ContainsFunc(got.Ranked, func(r *index.Result) bool { return r.Item.ID == want.Item.ID }) {
					found++
				}
			}
		}
		t.Logf("of the first %d, %d of %d", limit, found, of)
		if of < 100 || float64(found) < 0.8*float64(of) {
			t.Errorf("of the first %d it finds %d of %d", limit, found, of)
		}
	}
}
