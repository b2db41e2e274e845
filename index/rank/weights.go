package rank

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// Weights say what each feature counts.
type Weights [Count]float64

// Score is how well a candidate answers; comparable within one question only.
func (w *Weights) Score(f Features) float64 {
	var sum float64
	for i, x := range f {
		sum += w[i] * x
	}
	return sum
}

//go:embed weights.txt
var shipped string

// Default are the shipped weights.
var Default = func() Weights {
	w, err := Parse(shipped)
	if err != nil {
		panic(err) // it is in the program; a test reads it
	}
	return w
}()

// FirstPass are weights that leave the order to BM25: an item above a turn
// that scores less than 1.75 times as much. It is what the second look is
// measured against.
var FirstPass = Weights{Words: 1.75, Source: 1.75, Lexicon: 1.75, TurnWords: 1, TurnLexicon: 1}

// Parse reads weights: a name and a number a line, "#" before a comment.
func Parse(s string) (Weights, error) {
	var w Weights
	place := map[string]int{}
	for i, n := range names {
		place[n] = i
	}
	for n, line := range strings.Split(s, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		i, ok := place[f[0]]
		if !ok || len(f) != 2 {
			return w, fmt.Errorf("weights, line %d: %q is no name of a feature and its weight", n+1, line)
		}
		x, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return w, fmt.Errorf("weights, line %d: %w", n+1, err)
		}
		w[i] = x
	}
	return w, nil
}

// String writes weights as Parse reads them.
func (w Weights) String() string {
	var b strings.Builder
	for i, x := range w {
		if x != 0 {
			fmt.Fprintf(&b, "%-12s %7.3f\n", names[i], x)
		}
	}
	return b.String()
}
