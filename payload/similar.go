package payload

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"recall/internal/text"
)

// Assign pairs rows with columns one to one so that the total score is highest (the Hungarian method with potentials,
// O(n²m)). It returns the column of each row, or -1, also where the score is 0. Scores must not be negative, and rows
// must have equal lengths.
func Assign(score [][]float64) []int {
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

// WordsOf returns a text's stemmed words for comparison. A name weighs three times as much as an ordinary word, a
// function word a fifth.
func WordsOf(s string) text.Bag {
	g := text.Bag{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/'’", r)
	}) {
		w = strings.Trim(w, "._-/'’")
		low := strings.ToLower(w)
		switch {
		case w == "":
		case functionWords()[low]:
			g.Put(low, 0.2)
		case text.IsName(w):
			g.Put(low, 3)
		default:
			g.Put(text.Stem(low), 1)
		}
	}
	return g
}

// Alike returns how similar two texts are, from 0 to 1.
func Alike(a, b string) float64 { return WordsOf(a).Like(WordsOf(b)) }

var functionWords = sync.OnceValue(func() map[string]bool {
	return text.Set(`a an the this that these those it its is are was were be been being do does did has have
		had will would can could should may might must of in on at to from by for with without into onto over
		under as and or but if then than so not no we you i they he she our your their them us there here when
		where which who what how why all any each every some more most other only just also very too out up down
		off about after before again once`)
})
