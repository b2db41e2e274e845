package eval

import (
	"cmp"
	"context"
	"fmt"

	"recall/payload"
)

// maxWrong caps how many disagreements a run lists.
const maxWrong = 30

// Agree measures how far a judge agrees with people on labelled pairs. It asks about all of them at once.
func Agree(ctx context.Context, by Judge, pairs []LabelledPair) (Agreement, error) {
	a := Agreement{Judge: by.Name(), Threshold: by.Threshold()}
	x, err := pairSimilarities(ctx, by, pairs)
	if err != nil {
		return a, err
	}
	for i, p := range pairs {
		same := x[i] >= by.Threshold()
		a.Pairs++
		if p.Same {
			a.Same++
			if same {
				a.SameFound++
			}
		}
		if same == p.Same {
			a.Agree++
		} else if len(a.Wrong) < maxWrong {
			a.Wrong = append(a.Wrong, DisagreedOnPair{p.A, p.B, p.Same, x[i]})
		}
	}
	return a, nil
}

// pairSimilarities judges labelled pairs, each as two items from different turns.
func pairSimilarities(ctx context.Context, by Judge, pairs []LabelledPair) ([]float64, error) {
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

// claimA is the pair's first statement as a judge sees it.
func (p LabelledPair) claimA() Claim { return claimOf(cmp.Or(p.KindA, p.Kind), p.A) }

// claimB is the second.
func (p LabelledPair) claimB() Claim { return claimOf(cmp.Or(p.KindB, p.Kind), p.B) }

func claimOf(kind payload.Kind, text string) Claim {
	c := Claim{Kind: kind, Text: text}
	if kind == payload.File {
		c.Path = firstPath(text)
	}
	return c
}
