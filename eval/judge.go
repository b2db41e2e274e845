package eval

import (
	"context"
	"fmt"
	"slices"

	"recall/payload"
)

// A Claim is a statement as a judge sees it.
type Claim struct {
	Kind   payload.Kind `json:"kind"` // "" if unstated: then a claim that matches nothing is wrong in each kind
	Text   string       `json:"text"`
	Why    string       `json:"why,omitempty"`
	Path   string       `json:"path,omitempty"` // of a file
	Rule   string       `json:"rule,omitempty"` // that made it, if any; judges ignore it
	Turns  []string     `json:"turns"`          // the turns it is based on, one id each
	Quotes []string     `json:"-"`              // the passages of an item that only quotes
}

// A Judge says which statements about one session are the same fact.
//
// Alike returns for each pair of claims, given by their places in claims, how alike they are, from 0 to 1, in
// the same order; from Threshold on they count as the same fact. It receives all relevant pairs at once, so
// that it can ask about many together, and may leave at 0 without a check those that can't be the same, such as
// files of different paths. Claims of different kinds can be the same fact; the order within a pair means
// nothing.
//
// Name is kept in runs and changes with whatever changes the judge's verdicts. A Judge is safe for concurrent
// use.
type Judge interface {
	Name() string
	Threshold() float64
	Alike(ctx context.Context, claims []Claim, pairs [][2]int) ([]float64, error)
}

// Words judges by words, numbers, negation, order and evidence, without a model. A claim's reason never counts
// in its favour, but counts against it if it is another item's (see penalizeReasons).
type Words struct{}

var _ Judge = Words{}

// Name implements Judge.
func (Words) Name() string { return "words/5" }

// Threshold implements Judge.
func (Words) Threshold() float64 { return Threshold }

// Alike implements Judge. It fails only if ctx is done.
func (Words) Alike(ctx context.Context, claims []Claim, pairs [][2]int) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sides := sidesOf(claims)
	out := make([]float64, len(pairs))
	for k, p := range pairs {
		out[k] = similarity(sides[p[0]], sides[p[1]])
	}
	return out, nil
}

func sidesOf(claims []Claim) []side {
	out := make([]side, len(claims))
	for i, c := range claims {
		out[i] = newSide(c)
	}
	return out
}

func similarities(ctx context.Context, by Judge, a, b []Claim) ([][]float64, error) {
	var pairs [][2]int
	for i := range a {
		for j := range b {
			pairs = append(pairs, [2]int{i, len(a) + j})
		}
	}
	list, err := by.Alike(ctx, slices.Concat(a, b), pairs)
	if err != nil {
		return nil, err
	}
	if len(list) != len(pairs) {
		return nil, fmt.Errorf("judge %s: asked about %d pairs, answered %d", by.Name(), len(pairs), len(list))
	}
	out := make([][]float64, len(a))
	for i := range a {
		out[i] = list[i*len(b) : (i+1)*len(b)]
	}
	return out, nil
}
