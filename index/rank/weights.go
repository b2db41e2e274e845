package rank

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Weights holds the weight of each feature.
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

// Default holds the shipped weights.
var Default = func() Weights {
	w, err := Parse(shipped)
	if err != nil {
		panic(err) // can't happen: a test reads the embedded file
	}
	return w
}()

// FirstPass leaves the order to BM25, with an item above a turn that scores less than 1.75 times as much. It is
// the baseline for the second look.
var FirstPass = Weights{Words: 1.75, Source: 1.75, Lexicon: 1.75, PassageWords: 1, PassageLexicon: 1}

// Parse reads weights: a name and a number per line, with comments after "#".
func Parse(s string) (w Weights, err error) {
	err = parse(s, names[:], w[:])
	return w, err
}

func parse(s string, names []string, w []float64) error {
	for n, line := range strings.Split(s, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		i := slices.Index(names, f[0])
		if i < 0 || len(f) != 2 {
			return fmt.Errorf("weights, line %d: %q isn't a feature's name and weight", n+1, line)
		}
		x, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return fmt.Errorf("weights, line %d: %w", n+1, err)
		}
		w[i] = x
	}
	return nil
}

// String formats weights as Parse reads them.
func (w Weights) String() string { return write(names[:], w[:], "%-12s %7.3f\n") }
