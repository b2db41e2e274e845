package eval

import (
	"math"
	"slices"
)

// assign pairs rows with columns one to one so that the total score is highest (the Hungarian method with potentials,
// O(n²m)). It returns the column of each row, or -1, also where the score is 0. Scores must not be negative, and rows
// must have equal lengths.
func assign(score [][]float64) []int {
	rows, cols := len(score), 0
	if rows > 0 {
		cols = max(rows, len(score[0])) // missing columns score 0
	}
	cost := func(r, c int) float64 { // 1-based
		if row := score[r-1]; c <= len(row) {
			return -row[c-1]
		}
		return 0
	}
	pairs := slices.Repeat([]int{-1}, rows)
	for c, r := range hungarian(rows, cols, cost) {
		if r > 0 && cost(r, c) < 0 {
			pairs[r-1] = c - 1
		}
	}
	return pairs
}

// hungarian returns the row of each column, both 1-based, 0 for none. Rows are added one at a time, each by the
// cheapest chain of re-pairings that frees a column. u and v are the potentials of rows and columns.
func hungarian(rows, cols int, cost func(r, c int) float64) []int {
	u, v := make([]float64, rows+1), make([]float64, cols+1)
	rowOf, from := make([]int, cols+1), make([]int, cols+1)
	for r := 1; r <= rows; r++ {
		rowOf[0] = r
		least, done := make([]float64, cols+1), make([]bool, cols+1)
		for c := range least {
			least[c] = math.Inf(1)
		}
		col := 0
		for rowOf[col] != 0 {
			done[col] = true
			row, delta, next := rowOf[col], math.Inf(1), 0
			for c := 1; c <= cols; c++ {
				if done[c] {
					continue
				}
				if d := cost(row, c) - u[row] - v[c]; d < least[c] {
					least[c], from[c] = d, col
				}
				if least[c] < delta {
					delta, next = least[c], c
				}
			}
			for c := 0; c <= cols; c++ {
				if done[c] {
					u[rowOf[c]] += delta
					v[c] -= delta
				} else {
					least[c] -= delta
				}
			}
			col = next
		}
		for col != 0 {
			rowOf[col] = rowOf[from[col]]
			col = from[col]
		}
	}
	rowOf[0] = 0
	return rowOf
}
