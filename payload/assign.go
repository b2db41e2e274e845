package payload

import "math"

// Assign pairs rows with columns one to one so that the summed cost is lowest
// (the Hungarian method with potentials, O(n²m)). It returns for each row its
// column, or -1. A pair whose cost is +Inf or NaN is never made; apart from
// that as many pairs as possible are made. All rows must be equally long.
func Assign(cost [][]float64) []int {
	rows := len(cost)
	if rows == 0 {
		return nil
	}
	cols := len(cost[0])
	if rows > cols {
		byCol := Assign(transpose(cost))
		byRow := fill(make([]int, rows), -1)
		for c, r := range byCol {
			if r >= 0 {
				byRow[r] = c
			}
		}
		return byRow
	}
	never := forbidden(cost)
	at := func(r, c int) float64 { // 1-based
		if v := cost[r-1][c-1]; !math.IsInf(v, 1) && !math.IsNaN(v) {
			return v
		}
		return never
	}
	byCol := hungarian(rows, cols, at)
	byRow := fill(make([]int, rows), -1)
	for c := 1; c <= cols; c++ {
		if r := byCol[c]; r > 0 && at(r, c) < never {
			byRow[r-1] = c - 1
		}
	}
	return byRow
}

// hungarian returns the row of each column, both counted from 1, 0 for none.
// Rows are added one at a time; each finds the cheapest chain of re-pairings
// that frees a column for it. u and v are the potentials of rows and columns.
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

// forbidden returns a cost so high that one pair fewer of it outweighs all
// others together.
func forbidden(cost [][]float64) float64 {
	sum := 1.0
	for _, row := range cost {
		for _, v := range row {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				sum += 2 * math.Abs(v)
			}
		}
	}
	return sum
}

func transpose(cost [][]float64) [][]float64 {
	out := make([][]float64, len(cost[0]))
	for c := range out {
		out[c] = make([]float64, len(cost))
		for r := range cost {
			out[c][r] = cost[r][c]
		}
	}
	return out
}

func fill(s []int, v int) []int {
	for i := range s {
		s[i] = v
	}
	return s
}
