package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recall/payload"
)

// mostWrong is how many pairs judged otherwise a run names.
const mostWrong = 30

// Agree says how far a judge agrees with people on labelled pairs, and which
// forms of the true ones it tells from what they were made of: of each statement
// against the other's wording, and (named "… same words") against itself. All is
// asked at once.
func Agree(ctx context.Context, by Judge, pairs []LabelledPair) (Agreement, error) {
	a := Agreement{Judge: by.Name(), Threshold: by.Threshold()}
	names, turned := formsOf(pairs)
	x, err := alikeTexts(ctx, by, slices.Concat(pairs, turned))
	if err != nil {
		return a, err
	}
	kinds, projects, forms := tally{}, tally{}, tally{}
	for i, p := range pairs {
		same := x[i] >= by.Threshold()
		a.Pairs++
		if p.Same {
			a.Same++
			if same {
				a.SameFound++
			}
		}
		right := same == p.Same
		kinds.count(string(p.Kind), right)
		projects.count(p.Project, right)
		if right {
			a.Agree++
		} else if len(a.Wrong) < mostWrong {
			a.Wrong = append(a.Wrong, DisagreedOnPair{p.A, p.B, p.Same, x[i]})
		}
	}
	for i := range turned {
		forms.count(names[i], x[len(pairs)+i] < by.Threshold())
	}
	a.Kinds, a.Projects, a.Forms = kinds.shares(), projects.shares(), forms.shares()
	return a, nil
}

// tally counts by name how many are right of how many.
type tally map[string][2]int

func (t tally) count(name string, right bool) {
	n := t[name]
	n[1]++
	if right {
		n[0]++
	}
	t[name] = n
}

func (t tally) shares() map[string]KofN {
	m := map[string]KofN{}
	for name, n := range t {
		m[name] = wilson(n[0], n[1])
	}
	return m
}

// formsOf makes every form of the true pairs, with their names.
func formsOf(pairs []LabelledPair) (names []string, out []LabelledPair) {
	for _, p := range pairs {
		for _, f := range Forms {
			if !p.Same || !f.fits(p) {
				continue
			}
			for _, t := range []struct{ name, a, b string }{
				{f.Name, p.A, p.B}, {f.Name, p.B, p.A}, {f.Name + ", same words", p.A, p.A}, {f.Name + ", same words", p.B, p.B},
			} {
				if turned, ok := f.Make(t.a, t.b); ok {
					q := p
					q.A, q.B, q.Same = t.a, turned, false
					names, out = append(names, t.name), append(out, q)
				}
			}
		}
	}
	return names, out
}

// fits reports whether a form of such a pair says something else. Files are told
// apart by path; of what isn't said to be so the denial may mean the same.
func (f Form) fits(p LabelledPair) bool {
	return p.Kind != payload.File && (f.Name != "negated" || affirms(p.Kind))
}

// alikeTexts judges labelled pairs, each as two items that rest on different
// turns.
func alikeTexts(ctx context.Context, by Judge, pairs []LabelledPair) ([]float64, error) {
	var claims []Claim
	var places [][2]int
	for _, p := range pairs {
		places = append(places, [2]int{len(claims), len(claims) + 1})
		claims = append(claims, p.claimA(), p.claimB())
	}
	x, err := by.Alike(ctx, claims, places)
	if err == nil && len(x) != len(pairs) {
		err = fmt.Errorf("judge %s: asked about %d pairs, answered %d", by.Name(), len(pairs), len(x))
	}
	return x, err
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
