package main

import (
	"fmt"
	"sort"

	"recall/distill/offline"
	"recall/eval"
	"recall/payload"
)

// learned are the kinds that are told from sentences by a model. The others
// have too few examples for one: rules do better (see -rules).
var learned = []payload.Kind{payload.Decision}

// An example is a case with its candidates and their labels.
type example struct {
	c     *eval.Case
	heard *offline.Heard
	lines map[payload.Kind][]sample // sentences, and files under the kind file
}

type fitted = offline.Models

func prepare(cases []*eval.Case) []*example {
	var set []*example
	for _, c := range cases {
		e := &example{c: c, heard: offline.Listen(c.Session), lines: map[payload.Kind][]sample{}}
		for _, kind := range learned {
			e.lines[kind] = statements(e, kind)
		}
		for _, f := range e.heard.Files() {
			e.lines[payload.File] = append(e.lines[payload.File], labelled(c, f.Features, payload.Item{Kind: payload.File, Path: f.Path}))
		}
		set = append(set, e)
	}
	return set
}

// statements labels what was said. Of those that say what one gold item says the
// one most like it counts most, and the rest little: it is the one to be found.
// What comes near an item without being it is no example of the opposite either.
// All three together were the best of eight ways on what was left out.
func statements(e *example, kind payload.Kind) []sample {
	out := make([]sample, len(e.heard.Candidates))
	fits, best := make([]fitting, len(out)), map[int]float64{}
	for i, cand := range e.heard.Candidates {
		it := cand.Item(kind)
		out[i] = labelled(e.c, cand.Features, it)
		fits[i].gold, fits[i].alike = e.c.Fit(it)
		if cand.Excluded(kind) {
			out[i].weight = 0
			continue
		}
		if f := fits[i]; f.gold >= 0 {
			best[f.gold] = max(best[f.gold], f.alike)
		} else if e.c.Nearest(it) > nearMiss {
			out[i].weight *= 0.5
		}
	}
	for i, f := range fits {
		switch {
		case f.gold < 0:
		case f.alike == best[f.gold]:
			out[i].weight *= 2
		case f.alike < best[f.gold]-clearlyLess:
			out[i].weight *= 0.5
		}
	}
	return out
}

// fitting says which gold item a statement is most like, and how much.
type fitting struct {
	gold  int // -1 if like none
	alike float64
}

const (
	nearMiss    = 0.22 // similarity to a gold item from which on a statement is near it
	clearlyLess = 0.15 // than the statement most like the item
)

// labelled says whether a candidate is in the gold set. What is fair to keep
// and fair to leave counts little.
func labelled(c *eval.Case, features []offline.Feature, it payload.Item) sample {
	s := sample{features: features, weight: 1}
	if j, _ := c.Fit(it); j >= 0 {
		s.yes = true
		if !c.Gold.Items[j].Must {
			s.weight = neutralWeight[it.Kind == payload.File]
		}
	}
	return s
}

// neutralWeight is what a candidate counts whose gold item is fair to leave; for
// files more. Both the best of 0.05 to 0.8 on what was left out.
var neutralWeight = map[bool]float64{true: 0.4, false: 0.15}

// fitAll fits the models of all kinds to a set.
func fitAll(set []*example) fitted {
	all := fitOnly(set)
	for kind, m := range all {
		m.Threshold, m.Cuts = cut[kind], cuts[kind]
	}
	return all
}

// cut is the likelihood from which on a candidate becomes an item, by the curves
// of "-curve" over both ways of leaving out: as low as precision bears. Choosing
// it anew for each training set was tried; with so few sessions it was luck.
var cut = map[payload.Kind]float64{payload.Decision: 0.6, payload.File: 0.46}

// cuts are the higher bars of rules that are right in less than three cases of
// five at that likelihood, by "-curve" over both ways of leaving out: where a
// rule reaches that. One that never does is off.
var cuts = map[payload.Kind]map[string]float64{payload.Decision: {
	"report-midway": off,
}}

const off = 2

// fitOnly fits the models, without thresholds. The second weighing learns from
// likelihoods given by models that have not seen the session.
func fitOnly(set []*example) fitted {
	const folds = 4
	m := fitted{}
	for _, kind := range kinds() {
		first := fitFirst(set, kind, func(int) bool { return true })
		if first == nil {
			continue
		}
		m[kind] = first
		if kind == payload.File {
			continue
		}
		var again []sample
		for k := range folds {
			part := fitFirst(set, kind, func(i int) bool { return i%folds != k })
			if part == nil {
				continue
			}
			for i, e := range set {
				if i%folds == k {
					again = append(again, beside(e, kind, part)...)
				}
			}
		}
		first.Second = fit(again)
	}
	return m
}

func beside(e *example, kind payload.Kind, m *offline.Model) []sample {
	p := make([]float64, len(e.heard.Candidates))
	for i, c := range e.heard.Candidates {
		p[i] = m.Score(c.Features)
	}
	out := append([]sample(nil), e.lines[kind]...)
	for i, f := range offline.Beside(e.heard.Candidates, p) {
		out[i].features = f
	}
	return out
}

// fitFirst fits a kind's model to the examples that are in; nil where they
// hold too few items of the kind.
func fitFirst(set []*example, kind payload.Kind, in func(i int) bool) *offline.Model {
	var samples []sample
	yes := 0
	for i, e := range set {
		if !in(i) {
			continue
		}
		for _, s := range e.lines[kind] {
			samples = append(samples, s)
			if s.yes {
				yes++
			}
		}
	}
	if yes < 5 {
		return nil
	}
	return fit(samples)
}

func kinds() []payload.Kind { return append([]payload.Kind{payload.File}, learned...) }

// counts scores an example's items of one kind at each threshold.
func (e *example) counts(kind payload.Kind, m *offline.Model) []eval.Count {
	out := make([]eval.Count, len(thresholds))
	if kind == payload.File {
		for k, th := range thresholds {
			one := *m
			one.Threshold = th
			out[k] = e.c.Score(e.heard.Items(fitted{kind: &one})).Kinds[kind]
		}
		return out
	}
	low := *m
	low.Threshold = thresholds[0]
	ranked, scores := e.heard.Ranked(kind, &low)
	var base []payload.Item
	for _, it := range e.heard.Recorded {
		if it.Kind == kind {
			base = append(base, it)
		}
	}
	for k, th := range thresholds {
		n := 0
		for n < len(scores) && scores[n] >= th {
			n++
		}
		out[k] = e.c.Score(append(base[:len(base):len(base)], ranked[:n]...)).Kinds[kind]
	}
	return out
}

var thresholds = []float64{0.12, 0.15, 0.18, 0.21, 0.24, 0.27, 0.3, 0.34, 0.38, 0.4, 0.42, 0.44, 0.46, 0.48, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8}

func plus(a, b eval.Count) eval.Count {
	return eval.Count{Hits: a.Hits + b.Hits, Pred: a.Pred + b.Pred, Wanted: a.Wanted + b.Wanted}
}

func distilled(e *example, m fitted) eval.Score {
	return e.c.Score(items(e, m))
}

func items(e *example, m fitted) []payload.Item { return e.heard.Items(m) }

// leaveOutModels fits, for each group, models to all others.
func leaveOutModels(set []*example, group func(*example) string) map[string]fitted {
	models := map[string]fitted{}
	for _, e := range set {
		g := group(e)
		if _, ok := models[g]; ok {
			continue
		}
		var rest []*example
		for _, o := range set {
			if group(o) != g {
				rest = append(rest, o)
			}
		}
		models[g] = fitAll(rest)
	}
	return models
}

// scoreWith sums the scores by project and in total.
func scoreWith(set []*example, models func(*example) fitted) map[string]*eval.Score {
	out := map[string]*eval.Score{"total": {}}
	for _, e := range set {
		sc := distilled(e, models(e))
		if out[e.c.Gold.Project] == nil {
			out[e.c.Gold.Project] = &eval.Score{}
		}
		out[e.c.Gold.Project].Add(sc)
		out["total"].Add(sc)
	}
	return out
}

func report(title string, scores map[string]*eval.Score) {
	var names []string
	for n := range scores {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Printf("## %s: %s (%d sessions)\n%s\n", title, n, scores[n].Sessions, scores[n].Table())
	}
}
