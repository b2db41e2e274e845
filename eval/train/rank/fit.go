package main

import (
	"context"
	"math"

	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// sample is one question with the candidates that a search found for it.
type sample struct {
	seen   []rank.Features
	right  []bool
	weight float64
}

const (
	ridge  = 0.003 // L2 penalty; 0.001 to 0.02 do much the same on the other project
	rounds = 200
	pace   = 0.1
	person = 3.0 // what a person's question counts beside one that stands beside an item; 1 to 5 do the same
)

// given are weights that the gold items can't teach, as all of them stand and
// nobody changed any: set by hand, so that what is past comes after what
// stands, and what a person wrote before what a rule took.
var given = map[int]float64{rank.Past: -2, rank.Human: 0.5, rank.Near: 0}

// never are the features that may not count against a candidate, whatever a
// small sample says.
var never = []int{rank.Words, rank.Source, rank.Lexicon, rank.All, rank.Alias, rank.Like, rank.Kindred, rank.Rare, rank.Pairs, rank.About, rank.Support,
	rank.Asked, rank.Why, rank.Sure, rank.Person, rank.TurnWords, rank.TurnLexicon, rank.TurnAll, rank.TurnRare, rank.TurnPairs, rank.TurnSupport}

// samples asks the questions of projects that ok names. Those that stand
// beside items ask for every kind alike; each counts as much more or less as
// people ask for its item's kind more or less often than there are such items.
func (w *world) samples(ctx context.Context, ok func(project string) bool) ([]sample, error) {
	var out []sample
	common := w.asksFor(ok)
	for _, q := range w.asked {
		if !ok(q.project) || len(q.expect) == 0 {
			continue
		}
		from, weight := sources, person
		if q.ask > 0 {
			from = []string{ours, perfect, []string{withoutFirst, withoutSecond}[q.ask-1]}
			weight = common[w.kinds[q.expect[0]]]
		}
		for _, source := range from {
			a, err := w.indexes[source].Search(ctx, index.Query{Text: q.text, Limit: 50})
			if err != nil {
				return nil, err
			}
			if s, ok := w.sample(q, source, a); ok {
				s.weight = weight
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// asksFor is how much oftener than it stands among items people ask for each
// kind.
func (w *world) asksFor(ok func(project string) bool) map[payload.Kind]float64 {
	asked, there := map[payload.Kind]float64{}, map[payload.Kind]float64{}
	var questions, items float64
	for _, q := range w.asked {
		switch {
		case !ok(q.project) || len(q.expect) == 0:
		case q.ask > 0:
			there[w.kinds[q.expect[0]]]++
			items++
		default:
			for _, e := range q.expect {
				asked[w.kinds[e]] += 1 / float64(len(q.expect))
			}
			questions++
		}
	}
	out := map[payload.Kind]float64{}
	for k, n := range there {
		out[k] = (asked[k] + 1) / (questions + float64(len(payload.Kinds))) * items / n // one more of each: none is never asked for
	}
	return out
}

// sample labels an answer. Where an expected item was found, that is right;
// else the turn that it would have been taken from.
func (w *world) sample(q question, source string, a index.Answer) (sample, bool) {
	items, turns, _ := w.right(q, source)
	var s sample
	found := false
	for _, h := range a.Hits {
		found = found || items[string(h.Item.ID)]
	}
	any := false
	for _, r := range a.Ranked {
		var yes bool
		if r.Item != nil {
			yes = items[string(r.Item.Item.ID)]
			s.seen = append(s.seen, r.Item.Look)
		} else {
			yes = !found && turns[r.Turn.Session+"/"+r.Turn.ID]
			s.seen = append(s.seen, r.Turn.Look)
		}
		s.right = append(s.right, yes)
		any = any || yes
	}
	return s, any
}

// fit finds the weights under which what is right is likeliest to come first:
// the highest mean log of the share that right candidates have of all, each
// candidate's share going by e to its score. Adam, all samples a step.
func fit(samples []sample) rank.Weights {
	w := rank.FirstPass
	for i, x := range given {
		w[i] = x
	}
	var m, v rank.Weights
	var all float64
	for _, s := range samples {
		all += s.weight
	}
	for t := 1; t <= rounds; t++ {
		g := gradient(samples, &w, all)
		for i := range w {
			if _, fixed := given[i]; fixed {
				continue
			}
			d := g[i] - ridge*w[i]
			m[i] = 0.9*m[i] + 0.1*d
			v[i] = 0.99*v[i] + 0.01*d*d
			w[i] += pace * m[i] / (1 - math.Pow(0.9, float64(t))) / (math.Sqrt(v[i]/(1-math.Pow(0.99, float64(t)))) + 1e-8)
		}
		for _, i := range never {
			w[i] = max(w[i], 0)
		}
	}
	for i := range w {
		w[i] = math.Round(w[i]*1000) / 1000
	}
	return w
}

// gradient is of the mean log likelihood.
func gradient(samples []sample, w *rank.Weights, all float64) (g rank.Weights) {
	for _, s := range samples {
		share := make([]float64, len(s.seen))
		top := math.Inf(-1)
		for i, f := range s.seen {
			share[i] = w.Score(f)
			top = max(top, share[i])
		}
		var sum, right float64
		for i := range share {
			share[i] = math.Exp(share[i] - top)
			sum += share[i]
			if s.right[i] {
				right += share[i]
			}
		}
		for i, f := range s.seen {
			d := -share[i] / sum
			if s.right[i] {
				d += share[i] / right
			}
			d *= s.weight / all
			for j, x := range f {
				g[j] += d * x
			}
		}
	}
	return g
}
