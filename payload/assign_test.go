package payload

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAssign(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		name string
		cost [][]float64
		want []int
	}{
		{"empty", nil, nil},
		{"no columns", [][]float64{{}, {}}, []int{-1, -1}},
		{"greedy would lose", [][]float64{{1, 2}, {1, 9}}, []int{1, 0}},
		{"more rows", [][]float64{{5}, {1}, {3}}, []int{-1, 0, -1}},
		{"more columns", [][]float64{{5, 1, 3}}, []int{1}},
		{"forbidden", [][]float64{{inf, 1}, {inf, 0}}, []int{-1, 1}},
		{"as many pairs as possible", [][]float64{{0, 100}, {0, inf}}, []int{1, 0}},
		{"not a number", [][]float64{{math.NaN(), inf}}, []int{-1}},
		{"negative", [][]float64{{-1, -5}, {-2, -5}}, []int{1, 0}},
	} {
		if diff := cmp.Diff(tt.want, Assign(tt.cost)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The sum is as low as that of the best of all permutations.
func TestAssignIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "cols")
		cost := make([][]float64, rows)
		for r := range cost {
			for range cols {
				cost[r] = append(cost[r], float64(rapid.IntRange(-20, 20).Draw(t, "cost")))
			}
		}
		got := Assign(cost)
		sum, used, pairs := 0.0, map[int]bool{}, 0
		for r, c := range got {
			if c < 0 {
				continue
			}
			if used[c] {
				t.Fatalf("column %d is used twice: %v", c, got)
			}
			used[c] = true
			sum += cost[r][c]
			pairs++
		}
		if pairs != min(rows, cols) {
			t.Fatalf("got %d pairs, want %d", pairs, min(rows, cols))
		}
		if want := bestSum(cost, 0, map[int]bool{}, max(0, rows-cols)); sum != want {
			t.Fatalf("got sum %v, want %v of %v", sum, want, cost)
		}
	})
}

// bestSum tries everything; spare rows may stay alone.
func bestSum(cost [][]float64, row int, used map[int]bool, spare int) float64 {
	if row == len(cost) {
		return 0
	}
	best := math.Inf(1)
	if spare > 0 {
		best = bestSum(cost, row+1, used, spare-1)
	}
	for c, v := range cost[row] {
		if !used[c] {
			used[c] = true
			best = min(best, v+bestSum(cost, row+1, used, spare))
			delete(used, c)
		}
	}
	return best
}
