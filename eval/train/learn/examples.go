package learn

import (
	"recall/distill/offline"
	"recall/eval"
	"recall/eval/train/data"
	"recall/payload"
)

// Example is a session with its candidates and their labels.
type Example struct {
	Project *data.Project
	Case    *eval.Case
	heard   *offline.Heard
	said    []sample
	files   []sample
}

// Prepare labels the sessions of projects.
func Prepare(projects []*data.Project) []*Example {
	var set []*Example
	for _, p := range projects {
		for _, c := range p.Cases {
			e := &Example{Project: p, Case: c, heard: offline.Listen(c.Session)}
			e.said = e.statements()
			for _, f := range e.heard.Files() {
				if !p.Real() {
					break // they have no gold files
				}
				like := c.Like(payload.Item{Kind: payload.File, Path: f.Path})
				e.files = append(e.files, e.labelled(f.Features, like, neutralFile))
			}
			set = append(set, e)
		}
	}
	return set
}

// originWeight is the weight of a label. Silver is one model's reading; invented sessions differ from real
// ones, since the person typed most of their evidence.
var originWeight = map[data.Origin]float64{data.People: 1, data.Silver: 0.9, data.Invented: 0.2}

// All chosen by leave-one-project-out results.
const (
	neutral     = 0.35 // weight of an optional item
	neutralFile = 0.15
	second      = 0.25 // weight of a sentence that says an item less well than another does
	well        = 0.75 // share of the best sentence's similarity from which another says it as well
	nearMiss    = 0.6  // share of the threshold from which a sentence is near an item
	near        = 0.5  // weight of such a sentence as a negative
)

// labelled labels a candidate by its similarity to the gold items.
func (e *Example) labelled(features []offline.Feature, like []float64, fair float64) sample {
	s := sample{features: features, weight: originWeight[e.Project.Origin]}
	best, at := -1, 0.0
	for j, x := range like {
		if x >= eval.Threshold && x > at {
			best, at = j, x
		}
	}
	if best >= 0 {
		s.yes = true
		if !e.Case.Gold.Items[best].Must {
			s.weight *= fair
		}
	}
	return s
}

// statements labels what was said. Of the sentences that say one gold item, the most similar counts most, since
// it is the one to find. A sentence that comes near an item without matching it is a weak negative.
func (e *Example) statements() []sample {
	out := make([]sample, len(e.heard.Candidates))
	likes, best := make([][]float64, len(out)), make([]float64, len(e.Case.Gold.Items))
	for i, c := range e.heard.Candidates {
		likes[i] = e.Case.Like(c.Item())
		for j, x := range likes[i] {
			best[j] = max(best[j], x)
		}
	}
	for i, c := range e.heard.Candidates {
		s := e.labelled(c.Features(), likes[i], neutral)
		as, close := false, false
		for j, x := range likes[i] {
			as = as || x >= eval.Threshold && x >= well*best[j]
			close = close || x >= nearMiss*eval.Threshold
		}
		switch {
		case s.yes && !as:
			s.weight *= second
		case !s.yes && close:
			s.weight *= near
		}
		out[i] = s
	}
	return out
}
