package payload

import (
	"cmp"
	"slices"

	"recall/internal/text"
)

// pairBest pairs what remains one to one, the likeliest pairs first. pairs has the old index of each new one, or -1;
// used tells which old ones are taken. A score of 0 means that the two aren't the same.
func pairBest(pairs []int, used []bool, score func(i, k int) float64) {
	type pair struct {
		i, k  int
		score float64
	}
	var all []pair
	for i := range pairs {
		for k := range used {
			if pairs[i] >= 0 || used[k] {
				continue
			}
			if s := score(i, k); s > 0 {
				all = append(all, pair{i, k, s})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	for _, p := range all {
		if pairs[p.i] < 0 && !used[p.k] {
			pairs[p.i], used[p.k] = p.k, true
		}
	}
}

// Alike returns how similar two texts are, from 0 to 1.
func Alike(a, b string) float64 { return text.Words(a).Like(text.Words(b)) }
