package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"recall/index"
	"recall/index/rank"
)

// told is a question of which is known whether it has an answer.
type told struct {
	signs      rank.Signs
	answerable bool
	person     bool // asked by a person
	source     string
	weight     float64
}

// refusedMost is the share of answerable questions that may be called
// doubtful.
const refusedMost = 0.05

// fewest is how many questions a line is drawn by.
const fewest = 25

// tell reads the signs of what was found for each question.
func tell(samples []sample, weights *rank.Weights) []told {
	var out []told
	for _, s := range samples {
		lines := slices.Clone(s.lines)
		for i := range lines {
			lines[i].Score = weights.Score(lines[i].Look)
		}
		slices.SortStableFunc(lines, func(a, b rank.Line) int { return cmp.Compare(b.Score, a.Score) })
		out = append(out, told{rank.Read(lines, s.missing), len(s.q.expect) > 0, s.person, s.source, s.weight})
	}
	return out
}

// group is which questions count as much as each other group together: those
// with an answer as much as those without. With aliases and without is fitted
// apart.
type group struct{ answerable, aliased bool }

func (c told) group() group { return group{c.answerable, c.signs[rank.SureAliased] > 0} }

// fitSure is logistic regression, as many answerable as not, and the lines
// under which a twentieth of people's answerable questions lie at most,
// whatever the source of items. Every sign counts the way that it must or not at
// all.
func fitSure(list []told) (w rank.SureWeights) {
	const ridge, rounds, pace = 0.01, 2000, 0.5
	n := map[group]float64{}
	for _, c := range list {
		n[c.group()] += c.weight
	}
	share := make([]float64, len(list))
	for i, c := range list {
		share[i] = c.weight / n[c.group()] / 2
	}
	for range rounds {
		var g rank.SureWeights
		for i, c := range list {
			d := (float64(truth(c.answerable)) - w.Chance(c.signs)) * share[i]
			for i, x := range c.signs {
				g[i] += d * x
			}
		}
		for i := range w[:rank.SureLine] {
			if i != rank.SureBase && i != rank.SureAliased {
				g[i] -= ridge * w[i]
			}
			w[i] += pace * g[i]
			switch {
			case i == rank.SureMissing || i == rank.SureGone:
				w[i] = min(w[i], 0)
			case i != rank.SureBase && i != rank.SureAliased:
				w[i] = max(w[i], 0)
			}
		}
	}
	for i := range w {
		w[i] = math.Round(w[i]*1000) / 1000
	}
	type place struct {
		source string
		line   int
	}
	chances := map[place][]float64{}
	for _, c := range list {
		if c.answerable && c.person {
			at := place{c.source, rank.LineOf(c.signs)}
			chances[at] = append(chances[at], w.Chance(c.signs))
		}
	}
	w[rank.SureLine], w[rank.SureAliasedLine] = 1, 1
	for at, of := range chances {
		if len(of) < fewest { // a source in which hardly an item has aliases, or hardly one has none
			continue
		}
		slices.Sort(of)
		w[at.line] = min(w[at.line], math.Floor(of[int(refusedMost*float64(len(of)))]*1000)/1000)
	}
	return w
}

// refusal is how well answerable questions are told from others.
type refusal struct {
	answerable, refused int
	none, told          int // unanswerable, and of these called doubtful
	atRate              int // and called so if exactly a twentieth of the answerable ones may be
	auc, coverage       float64
}

const sureHeads = "project\titems\tAUC\tby coverage\tanswerable refused\tunanswerable told\tat 5 %\t"

func (r refusal) String() string {
	return fmt.Sprintf("%.2f\t%.2f\t%d of %d\t%d of %d\t%d of %d\t", r.auc, r.coverage, r.refused, r.answerable, r.told,
		r.none, r.atRate, r.none)
}

// outcomes are figures of unanswerable questions, and of answerable ones.
type outcomes struct{ chance, coverage [2][]float64 }

func (o *outcomes) add(p outcomes) {
	for k := range 2 {
		o.chance[k] = append(o.chance[k], p.chance[k]...)
		o.coverage[k] = append(o.coverage[k], p.coverage[k]...)
	}
}

func (w *world) refusals(ctx context.Context, project, source string, sure *rank.SureWeights) (r refusal, o outcomes,
	err error) {
	asked := w.askedOf(project, func(question) bool { return true })
	found, err := w.searchAll(ctx, asked, source, index.Query{})
	if err != nil {
		return r, o, err
	}
	for i, q := range asked {
		a := found[i]
		c := sure.Chance(a.Signs)
		k := truth(len(q.expect) > 0)
		o.chance[k], o.coverage[k] = append(o.chance[k], c), append(o.coverage[k], a.Coverage)
		switch doubtful := a.Unknown || sure.Doubtful(a.Signs); {
		case k == 1:
			r.answerable++
			r.refused += truth(doubtful)
		default:
			r.none++
			r.told += truth(doubtful)
		}
	}
	r.read(o)
	return r, o, nil
}

func (r *refusal) read(o outcomes) {
	r.auc, r.coverage = auc(o.chance), auc(o.coverage)
	if len(o.chance[1]) == 0 {
		return
	}
	slices.Sort(o.chance[1])
	line := o.chance[1][int(refusedMost*float64(len(o.chance[1])))]
	for _, c := range o.chance[0] {
		r.atRate += truth(c < line)
	}
}

// pooled are the refusals of several projects.
type pooled struct {
	refusal
	outcomes
}

func (p *pooled) add(r refusal, o outcomes) {
	p.answerable += r.answerable
	p.refused += r.refused
	p.none += r.none
	p.told += r.told
	p.outcomes.add(o)
}

// auc is the share of pairs in which the answerable question has the higher
// figure.
func auc(x [2][]float64) float64 {
	var sum float64
	for _, no := range x[0] {
		for _, yes := range x[1] {
			if yes > no {
				sum++
			} else if yes == no {
				sum += 0.5
			}
		}
	}
	return sum / float64(len(x[0])*len(x[1]))
}
