package eval

import (
	"context"

	"recall/payload"
)

// A Claim is a statement as a judge sees it.
type Claim struct {
	Kind  payload.Kind // "" where nobody says
	Text  string
	Why   string
	Path  string   // of a file
	Turns []string // what it rests on, one id a turn
}

// A Judge says which statements about one session are the same fact.
//
// Alike returns for each claim of a and each of b how alike they are, from 0 to
// 1; from Threshold on they are held to be the same fact. It may leave pairs at
// 0 that can't be the same, such as two files of different paths. Claims of
// different kinds may be the same fact.
//
// Name is kept in runs and changes with whatever changes its judgements.
// Safe for concurrent use.
type Judge interface {
	Name() string
	Threshold() float64
	Alike(ctx context.Context, a, b []Claim) ([][]float64, error)
}

// Words judges by words, numbers, negation, direction and evidence, without a
// model.
type Words struct{}

var _ Judge = Words{}

// Name implements Judge.
func (Words) Name() string { return "words/2" }

// Threshold implements Judge.
func (Words) Threshold() float64 { return Threshold }

// Alike implements Judge. It fails only if ctx is done.
func (Words) Alike(ctx context.Context, a, b []Claim) ([][]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return alike(sidesOf(a), sidesOf(b)), nil
}

func sidesOf(claims []Claim) []side {
	out := make([]side, len(claims))
	for i, c := range claims {
		out[i] = newSide(c)
	}
	return out
}

func alike(a, b []side) [][]float64 {
	out := make([][]float64, len(a))
	for i := range a {
		out[i] = make([]float64, len(b))
		for j := range b {
			out[i][j] = similarity(a[i], b[j])
		}
	}
	return out
}
