package eval

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAssign(t *testing.T) {
	for _, tt := range []struct {
		name  string
		score [][]float64
		want  []int
	}{
		{"empty", nil, []int{}},
		{"no columns", [][]float64{{}, {}}, []int{-1, -1}},
		{"the best pair first would lose", [][]float64{{9, 8}, {9, 1}}, []int{1, 0}},
		{"more rows", [][]float64{{1}, {5}, {3}}, []int{-1, 0, -1}},
		{"more columns", [][]float64{{1, 5, 3}}, []int{1}},
		{"no pair", [][]float64{{0, 1}, {0, 2}}, []int{-1, 1}},
		{"two rather than one", [][]float64{{6, 4}, {5, 0}}, []int{1, 0}},
	} {
		if diff := cmp.Diff(tt.want, assign(tt.score)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The sum is as high as that of the best of all ways to pair.
func TestAssignIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "cols")
		score := make([][]float64, rows)
		for r := range score {
			for range cols {
				score[r] = append(score[r], float64(rapid.IntRange(0, 20).Draw(t, "score")))
			}
		}
		sum, used := 0.0, map[int]bool{}
		for r, c := range assign(score) {
			if c < 0 {
				continue
			}
			if used[c] || score[r][c] == 0 {
				t.Fatalf("row %d with column %d, in use (%v) or no pair: %v", r, c, used[c], score)
			}
			used[c] = true
			sum += score[r][c]
		}
		if want := bestSum(score, 0, map[int]bool{}); sum != want {
			t.Fatalf("got sum %v, want %v of %v", sum, want, score)
		}
	})
}

// bestSum tries everything.
func bestSum(score [][]float64, row int, used map[int]bool) float64 {
	if row == len(score) {
		return 0
	}
	best := bestSum(score, row+1, used)
	for c, v := range score[row] {
		if !used[c] {
			used[c] = true
			best = max(best, v+bestSum(score, row+1, used))
			delete(used, c)
		}
	}
	return best
}
