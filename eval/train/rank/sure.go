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

// labelledSigns is a question known to have an answer or not.
type labelledSigns struct {
	signs      rank.Signs
	answerable bool
	person     bool // asked by a person
	source     string
	weight     float64
}

// maxRefused is the share of answerable questions that may be called doubtful.
const maxRefused = 0.05

// minQuestions is how many questions a line needs.
const minQuestions = 25

// signsOf reads the signs of what was found for each question.
func signsOf(samples []sample, weights *rank.Weights) []labelledSigns {
	var out []labelledSigns
	for _, s := range samples {
		lines := slices.Clone(s.lines)
		for i := range lines {
			lines[i].Score = weights.Score(lines[i].Look)
		}
		slices.SortStableFunc(lines, func(a, b rank.Line) int { return cmp.Compare(b.Score, a.Score) })
		out = append(out, labelledSigns{rank.Read(lines, s.missing), len(s.q.Expect) > 0, s.person, s.source, s.weight})
	}
	return out
}

// group splits the questions into groups of equal total weight: answerable or not, each with and without aliases.
type group struct{ answerable, aliased bool }

func (c labelledSigns) group() group { return group{c.answerable, c.signs[rank.SureAliased] > 0} }

// fitSure fits a logistic regression with equal weight on answerable and unanswerable questions, and the lines
// below which at most a twentieth of people's answerable questions fall, whatever the source of items. The sign
// of each weight is constrained.
func fitSure(list []labelledSigns) (w rank.SureWeights) {
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
			d := (float64(indicator(c.answerable)) - w.Chance(c.signs)) * share[i]
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
		if len(of) < minQuestions { // a source in which almost no, or almost every, item has aliases
			continue
		}
		slices.Sort(of)
		w[at.line] = min(w[at.line], math.Floor(of[int(maxRefused*float64(len(of)))]*1000)/1000)
	}
	return w
}

// refusal measures how well answerable questions are distinguished: for unanswerable and answerable ones the
// certainty of the answer, its coverage, and how many are called doubtful.
type refusal struct {
	chance, coverage [2][]float64
	doubtful         [2]int
}

const sureHeads = "project\titems\tvariant\tAUC\tby coverage\tanswerable refused\tunanswerable told\tat 5 %\t"

// String formats a refusal under sureHeads. The last column is how many unanswerable questions are called
// doubtful if exactly a twentieth of the answerable ones may be.
func (r refusal) String() string {
	none, some := len(r.chance[0]), len(r.chance[1])
	atRate := 0
	if some > 0 {
		line := slices.Sorted(slices.Values(r.chance[1]))[int(maxRefused*float64(some))]
		for _, c := range r.chance[0] {
			atRate += indicator(c < line)
		}
	}
	return fmt.Sprintf("%.2f\t%.2f\t%d of %d\t%d of %d\t%d of %d\t", auc(r.chance), auc(r.coverage), r.doubtful[1], some,
		r.doubtful[0], none, atRate, none)
}

func (r *refusal) add(o refusal) {
	for k := range 2 {
		r.chance[k] = append(r.chance[k], o.chance[k]...)
		r.coverage[k] = append(r.coverage[k], o.coverage[k]...)
		r.doubtful[k] += o.doubtful[k]
	}
}

func (p *project) refusals(ctx context.Context, source string, sure *rank.SureWeights) (r refusal, err error) {
	found := make([]index.Answer, len(p.Questions))
	err = each(ctx, len(found), func(i int) (err error) {
		found[i], err = p.indexes[source].Search(ctx, p.Questions[i])
		return err
	})
	for i, a := range found {
		k := indicator(len(p.Questions[i].Expect) > 0)
		r.chance[k] = append(r.chance[k], sure.Chance(a.Signs))
		r.coverage[k] = append(r.coverage[k], a.Coverage)
		r.doubtful[k] += indicator(a.Unknown || sure.Doubtful(a.Signs))
	}
	return r, err
}

// auc is the share of pairs in which the answerable question has the higher figure.
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
