package eval

import (
	"context"
	"fmt"
)

// mostWrong is how many pairs judged otherwise a run names.
const mostWrong = 30

// Agree says how far a judge agrees with people on labelled pairs.
func Agree(ctx context.Context, by Judge, pairs []LabelledPair) (Agreement, error) {
	a := Agreement{Judge: by.Name(), Threshold: by.Threshold(), Forms: map[string]KofN{}, Kinds: map[string]KofN{}}
	agree, all := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		x, err := alikeTexts(ctx, by, p)
		if err != nil {
			return a, fmt.Errorf("pair %q: %w", p.A, err)
		}
		kind := string(p.Kind)
		all[kind]++
		a.Pairs++
		same := x >= by.Threshold()
		if p.Same {
			a.Same++
			if same {
				a.SameFound++
			}
		}
		if same == p.Same {
			a.Agree++
			agree[kind]++
		} else if len(a.Wrong) < mostWrong {
			a.Wrong = append(a.Wrong, DisagreedOnPair{p.A, p.B, p.Same, x})
		}
	}
	for kind, n := range all {
		a.Kinds[kind] = wilson(agree[kind], n)
	}
	return a, nil
}

// alikeTexts judges a labelled pair, by its texts alone: of two files by path
// they would all be easy.
func alikeTexts(ctx context.Context, by Judge, p LabelledPair) (float64, error) {
	x, err := by.Alike(ctx, []Claim{{Text: p.A}}, []Claim{{Text: p.B}})
	if err != nil {
		return 0, err
	}
	return x[0][0], nil
}
