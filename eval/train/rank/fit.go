package main

import (
	"context"
	"math"
	"slices"

	"recall/answer"
	"recall/index/rank"
	"recall/payload"
)

// sample is one question with the candidates that a search found for it.
type sample struct {
	q       question
	source  string
	person  bool // a person asked it
	lines   []rank.Line
	right   []bool // of lines
	missing float64
	weight  float64
}

const (
	ridge        = 0.003 // L2 penalty for claims; 0.001 to 0.02 do much the same on the other project
	passageRidge = 0.01  // L2 penalty for passages, which fewer questions teach; 0.003 overfits
	rounds       = 200
	learningRate = 0.1
	personWeight = 3.0 // weight of a person's question relative to one made up for an item; 1 to 5 do the same
	realWeight   = 3.0 // weight of a question about a real project relative to the more numerous invented ones
)

// fixedWeights holds weights that the gold items can't teach, since all of them stand, none was changed and few have
// low confidence. They are set by hand: superseded items come after those that stand, what an early session
// left to do after what was decided, a rule's items after a person's own; all else being equal, surer items and
// a person's words come first. If only claims are found, a passage comes after them: at -2, people's own items
// lose three first answers of a hundred to passages, at -4 none. Neither the place of a passage's words nor its
// certainty predicts which passage answers better than chance.
var fixedWeights = map[int]float64{rank.Past: -2, rank.Overtaken: -0.5, rank.Human: 0.5, rank.Sure: 0.5,
	rank.Person: 0.1, rank.Near: 0, rank.PassageRare: 0, rank.Claimed: -4}

// nonNegative lists the features that may not count against a candidate, whatever a small sample suggests.
var nonNegative = []int{rank.Words, rank.Source, rank.Lexicon, rank.All, rank.Alias, rank.Like, rank.Kindred, rank.Rare,
	rank.Many, rank.Topic, rank.Support,
	rank.Whole, rank.InText, rank.LikeText, rank.LikeAlias, rank.InAliases, rank.Concepts, rank.OtherWords, rank.Company,
	rank.Number,
	rank.Asked, rank.Tried, rank.Why, rank.PassageWords, rank.PassageLexicon, rank.PassageAll,
	rank.PassageSupport, rank.PassageBeside, rank.PassageKindred, rank.PassageTaken}

// of returns the samples of the projects that ok accepts. Made-up questions cover every kind equally; each is
// weighted by how much more often people ask for its item's kind than such items occur.
func (w *world) of(ok func(*project) bool) []sample {
	common := w.kindWeights(ok)
	var out []sample
	for _, s := range w.samples {
		if !ok(s.q.project) {
			continue
		}
		s.weight = personWeight
		if !s.person {
			s.weight = common[s.q.project.kinds[s.q.Expect[0]]]
		}
		if s.q.project.Real() {
			s.weight *= realWeight
		}
		out = append(out, s)
	}
	return out
}

// kindWeights is, by kind, how much more often people ask for it than it occurs among items.
func (w *world) kindWeights(ok func(*project) bool) map[payload.Kind]float64 {
	asked, there := map[payload.Kind]float64{}, map[payload.Kind]float64{}
	var questions, items float64
	for _, q := range w.asked {
		switch {
		case !ok(q.project) || len(q.Expect) == 0:
		case q.ask > 0:
			there[q.project.kinds[q.Expect[0]]]++
			items++
		default:
			for _, e := range q.Expect {
				asked[q.project.kinds[e]] += 1 / float64(len(q.Expect))
			}
			questions++
		}
	}
	out := map[payload.Kind]float64{}
	for k, n := range there {
		// add-one smoothing: no kind is never asked for
		out[k] = (asked[k] + 1) / (questions + float64(len(payload.Kinds))) * items / n
	}
	return out
}

// look searches for a sample's question and labels the results.
func (s *sample) look(ctx context.Context) error {
	x := s.q.project.indexes[s.source]
	a, err := x.Search(ctx, s.q.Question)
	if err != nil {
		return err
	}
	s.missing = a.Signs[rank.SureMissing] + a.Signs[rank.SureGone]
	for _, r := range a.Ranked {
		held, err := x.Holds(ctx, s.q.Question, &answer.Result{Result: *r})
		if err != nil {
			return err
		}
		s.lines = append(s.lines, rank.Line{Session: r.Session, Look: r.Look,
			Aliased: r.Item != nil && len(r.Item.Aliases) > 0})
		expected := func(name string) bool { return slices.Contains(s.q.Expect, name) }
		s.right = append(s.right, slices.ContainsFunc(held, expected))
	}
	return nil
}

// fit finds the weights that make the right candidates most likely to come first.
func fit(samples []sample) rank.Weights { return fitPassages(samples, fitClaims(samples)) }

func fitClaims(samples []sample) rank.Weights {
	w := rank.FirstPass
	for i, x := range fixedWeights {
		w[i] = x
	}
	var all []sparseSample
	for _, s := range samples {
		all = append(all, sparse(s, func(l rank.Line) bool { return l.Look[rank.APassage] == 0 }))
	}
	maximize(&w, all, ridge, 0, rank.APassage)
	return w
}

// fitPassages fits the weights of passages beside claims made by rules: hardly a passage answers better than
// what a model wrote and the search found.
func fitPassages(samples []sample, w rank.Weights) rank.Weights {
	for i := rank.APassage; i < rank.Count; i++ {
		w[i] = fixedWeights[i]
	}
	var all []sparseSample
	for _, s := range samples {
		if s.source == ours && s.person {
			all = append(all, sparse(s, func(rank.Line) bool { return true }))
		}
	}
	maximize(&w, all, passageRidge, rank.APassage, rank.Count)
	return w
}

// maximize fits the weights of some features by Adam, with full batches, maximizing the mean log share of the right
// candidates under a softmax of the scores.
func maximize(w *rank.Weights, samples []sparseSample, ridge float64, from, to int) {
	var m, v rank.Weights
	var all float64
	samples = slices.DeleteFunc(samples, func(s sparseSample) bool { return !slices.Contains(s.right, true) })
	for _, s := range samples {
		all += s.weight
	}
	for t := 1; t <= rounds && len(samples) > 0; t++ {
		g := gradient(samples, w, all)
		for i := from; i < to; i++ {
			if _, fixed := fixedWeights[i]; fixed {
				continue
			}
			d := g[i] - ridge*w[i]
			m[i] = 0.9*m[i] + 0.1*d
			v[i] = 0.99*v[i] + 0.01*d*d
			w[i] += learningRate * m[i] / (1 - math.Pow(0.9, float64(t))) /
				(math.Sqrt(v[i]/(1-math.Pow(0.99, float64(t)))) + 1e-8)
			if slices.Contains(nonNegative, i) {
				w[i] = max(w[i], 0)
			}
		}
	}
	for i := from; i < to; i++ {
		w[i] = math.Round(w[i]*1000) / 1000
	}
}

// sparseSample is a sample with its non-zero features only.
type sparseSample struct {
	lines  [][]feature
	right  []bool
	weight float64
}

type feature struct {
	of int
	x  float64
}

func sparse(s sample, ok func(rank.Line) bool) sparseSample {
	out := sparseSample{weight: s.weight}
	for k, l := range s.lines {
		if !ok(l) {
			continue
		}
		var some []feature
		for i, x := range l.Look {
			if x != 0 {
				some = append(some, feature{i, x})
			}
		}
		out.lines, out.right = append(out.lines, some), append(out.right, s.right[k])
	}
	return out
}

// gradient is the gradient of the mean log likelihood.
func gradient(samples []sparseSample, w *rank.Weights, all float64) (g rank.Weights) {
	var share []float64
	for _, s := range samples {
		share = share[:0]
		top := math.Inf(-1)
		for _, l := range s.lines {
			var score float64
			for _, f := range l {
				score += w[f.of] * f.x
			}
			share = append(share, score)
			top = max(top, score)
		}
		var sum, right float64
		for i := range share {
			share[i] = math.Exp(share[i] - top)
			sum += share[i]
			if s.right[i] {
				right += share[i]
			}
		}
		for i, l := range s.lines {
			d := -share[i] / sum
			if s.right[i] {
				d += share[i] / right
			}
			d *= s.weight / all
			for _, f := range l {
				g[f.of] += d * f.x
			}
		}
	}
	return g
}
