package eval

import (
	"cmp"
	"context"
	"fmt"

	"recall/payload"
)

// mostWrong is how many pairs judged otherwise a run names.
const mostWrong = 30

// Agree says how far a judge agrees with people on labelled pairs.
func Agree(ctx context.Context, by Judge, pairs []LabelledPair) (Agreement, error) {
	a := Agreement{Judge: by.Name(), Threshold: by.Threshold(), Forms: map[string]KofN{}, Kinds: map[string]KofN{}, Projects: map[string]KofN{}}
	agree, all := map[string]int{}, map[string]int{}
	right, of := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		x, err := alikeTexts(ctx, by, p)
		if err != nil {
			return a, fmt.Errorf("pair %q: %w", p.A, err)
		}
		kind := string(p.Kind)
		all[kind]++
		of[p.Project]++
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
			right[p.Project]++
		} else if len(a.Wrong) < mostWrong {
			a.Wrong = append(a.Wrong, DisagreedOnPair{p.A, p.B, p.Same, x})
		}
	}
	for kind, n := range all {
		a.Kinds[kind] = wilson(agree[kind], n)
	}
	for project, n := range of {
		a.Projects[project] = wilson(right[project], n)
	}
	return a, a.turn(ctx, by, pairs)
}

// turn makes each form of the true pairs and counts those that a judge tells
// from what they were made of: of each statement against the other's wording, and
// (named "… same words") against itself.
func (a *Agreement) turn(ctx context.Context, by Judge, pairs []LabelledPair) error {
	k, n := map[string]int{}, map[string]int{}
	count := func(name string, p LabelledPair, a, b string) error {
		p.A, p.B = a, b
		x, err := alikeTexts(ctx, by, p)
		if err != nil {
			return err
		}
		n[name]++
		if x < by.Threshold() {
			k[name]++
		}
		return nil
	}
	for _, p := range pairs {
		for _, f := range Forms {
			if !p.Same || !f.fits(p) {
				continue
			}
			for _, t := range []struct{ name, a, b string }{
				{f.Name, p.A, p.B}, {f.Name, p.B, p.A}, {f.Name + ", same words", p.A, p.A}, {f.Name + ", same words", p.B, p.B},
			} {
				turned, ok := f.Make(t.a, t.b)
				if !ok {
					continue
				}
				if err := count(t.name, p, t.a, turned); err != nil {
					return fmt.Errorf("pair %q: %w", p.A, err)
				}
			}
		}
	}
	for name := range n {
		a.Forms[name] = wilson(k[name], n[name])
	}
	return nil
}

// fits says whether a form of such a pair says something else. Files are told
// apart by path; of what isn't said to be so the denial may mean the same.
func (f Form) fits(p LabelledPair) bool {
	return p.Kind != payload.File && (f.Name != "negated" || affirms(p.Kind))
}

// Calibrate is the threshold from which on a judge agrees best with people on
// pairs that they labelled: true and false ones weigh the same, however many
// there are of each.
func Calibrate(ctx context.Context, by Judge, pairs []LabelledPair) (threshold float64, err error) {
	var yes, no []float64
	for _, p := range pairs {
		x, err := alikeTexts(ctx, by, p)
		if err != nil {
			return 0, err
		}
		if p.Same {
			yes = append(yes, x)
		} else {
			no = append(no, x)
		}
	}
	best := -1.0
	for step := 5; step <= 95; step++ {
		th := float64(step) / 100
		if sum := share(yes, th) + 1 - share(no, th); sum > best {
			best, threshold = sum, th
		}
	}
	return threshold, nil
}

// share is how many of the values are at least th.
func share(values []float64, th float64) float64 {
	n := 0
	for _, x := range values {
		if x >= th {
			n++
		}
	}
	return float64(n) / float64(max(1, len(values)))
}

// alikeTexts judges a labelled pair as two items that rest on different turns.
func alikeTexts(ctx context.Context, by Judge, p LabelledPair) (float64, error) {
	x, err := by.Alike(ctx, []Claim{p.claimA()}, []Claim{p.claimB()})
	if err != nil {
		return 0, err
	}
	return x[0][0], nil
}

// claimA is the pair's first statement as it stands in a gold set.
func (p LabelledPair) claimA() Claim { return claimed(cmp.Or(p.KindA, p.Kind), p.A) }

// claimB is the second.
func (p LabelledPair) claimB() Claim { return claimed(cmp.Or(p.KindB, p.Kind), p.B) }

func claimed(kind payload.Kind, text string) Claim {
	c := Claim{Kind: kind, Text: text}
	if kind == payload.File {
		c.Path = firstPath(text)
	}
	return c
}
