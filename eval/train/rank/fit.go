package main

import (
	"context"
	"math"
	"slices"

	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// sample is one question with the candidates that a search found for it.
type sample struct {
	q       question
	source  string
	person  bool // it is a person's
	lines   []rank.Line
	right   []bool // of lines
	found   bool   // any is right
	missing float64
	weight  float64
}

const (
	ridge  = 0.003 // L2 penalty; 0.001 to 0.02 do much the same on the other project
	rounds = 200
	pace   = 0.1
	person = 3.0 // what a person's question counts beside one that stands beside an item; 1 to 5 do the same
	really = 3.0 // and one about a project that there is beside one about an invented one, of which there are more
)

// given are weights that the gold items can't teach, as all of them stand,
// nobody changed any and few are of low confidence: set by hand, so that what is
// past comes after what stands, what an early session left to do after what was
// decided, what a person wrote before what a rule took,
// and all else alike what is surer, and a person's word, come first.
var given = map[int]float64{rank.Past: -2, rank.Overtaken: -0.5, rank.Human: 0.5, rank.Sure: 0.5, rank.Person: 0.1,
	rank.Near: 0}

// never are the features that may not count against a candidate, whatever a
// small sample says.
var never = []int{rank.Words, rank.Source, rank.Lexicon, rank.All, rank.Alias, rank.Like, rank.Kindred, rank.Rare,
	rank.Many, rank.Pairs, rank.About, rank.Topic, rank.Support,
	rank.Whole, rank.InText, rank.LikeText, rank.LikeAlias, rank.InAliases, rank.Concepts, rank.OtherWords, rank.Company,
	rank.Number,
	rank.Asked, rank.Tried, rank.Why, rank.TurnWords, rank.TurnLexicon, rank.TurnAll, rank.TurnRare, rank.TurnPairs,
	rank.TurnSupport}

// ask asks all questions once. What the second look sees doesn't depend on
// its weights.
func (w *world) ask(ctx context.Context) error {
	for _, q := range w.asked {
		from := sources
		if q.ask > 0 {
			from = []string{ours, perfect, []string{withoutFirst, withoutSecond}[q.ask-1]}
		}
		for _, source := range from {
			a, err := w.search(ctx, q, source, index.Query{Limit: 50})
			if err != nil {
				return err
			}
			w.samples = append(w.samples, w.sample(q, source, a))
		}
	}
	return nil
}

// search asks a question of what its project held when it was asked.
func (w *world) search(ctx context.Context, q question, source string, as index.Query) (index.Answer, error) {
	x, err := w.index(ctx, q.project, source, q.until)
	if err != nil {
		return index.Answer{}, err
	}
	as.Text, as.Until = q.text, q.until
	return x.Search(ctx, as)
}

// of gives the samples of projects that ok names. Questions that stand beside
// items ask for every kind alike; each counts as much more or less as people
// ask for its item's kind more or less often than there are such items.
func (w *world) of(ok func(project string) bool) []sample {
	common := w.asksFor(ok)
	var out []sample
	for _, s := range w.samples {
		if !ok(s.q.project) {
			continue
		}
		s.weight = person
		if !s.person {
			s.weight = common[w.kinds[s.q.expect[0]]]
		}
		if !w.invented[s.q.project] {
			s.weight *= really
		}
		out = append(out, s)
	}
	return out
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
		// one more of each: none is never asked for
		out[k] = (asked[k] + 1) / (questions + float64(len(payload.Kinds))) * items / n
	}
	return out
}

// sample labels an answer. Where an expected item was found, that is right;
// else the turn that it would have been taken from.
func (w *world) sample(q question, source string, a index.Answer) sample {
	items, turns, _ := w.right(q, source)
	s := sample{q: q, source: source, person: q.ask == 0, missing: a.Signs[rank.SureMissing] + a.Signs[rank.SureGone]}
	item := slices.ContainsFunc(a.Hits, func(h index.Hit) bool { return items[string(h.Item.ID)] })
	for _, r := range a.Ranked {
		var yes bool
		l := rank.Line{Session: r.Session()}
		if r.Item != nil {
			yes, l.Look, l.Aliased = items[string(r.Item.Item.ID)], r.Item.Look, len(r.Item.Item.Aliases) > 0
		} else {
			yes, l.Look = !item && turns[r.Turn.Session+"/"+r.Turn.ID], r.Turn.Look
		}
		s.lines, s.right = append(s.lines, l), append(s.right, yes)
		s.found = s.found || yes
	}
	return s
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
	var seen []seen
	for _, s := range samples {
		if s.found {
			seen = append(seen, seenOf(s))
			all += s.weight
		}
	}
	for t := 1; t <= rounds; t++ {
		g := gradient(seen, &w, all)
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

// seen is a sample with the features alone that aren't 0: most are.
type seen struct {
	lines  [][]feature
	right  []bool
	weight float64
}

type feature struct {
	of int
	x  float64
}

func seenOf(s sample) seen {
	out := seen{right: s.right, weight: s.weight}
	for _, l := range s.lines {
		var some []feature
		for i, x := range l.Look {
			if x != 0 {
				some = append(some, feature{i, x})
			}
		}
		out.lines = append(out.lines, some)
	}
	return out
}

// gradient is of the mean log likelihood.
func gradient(samples []seen, w *rank.Weights, all float64) (g rank.Weights) {
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
