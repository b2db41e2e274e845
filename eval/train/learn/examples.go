package learn

import (
	"recall/distill/offline"
	"recall/eval"
	"recall/eval/train/data"
	"recall/payload"
)

// An Example is a session with its candidates and their labels.
type Example struct {
	Project *data.Project
	Case    *eval.Case
	heard   *offline.Heard
	said    []sample
	files   []sample
}

// Prepare reads the sessions of projects.
func Prepare(projects []*data.Project) []*Example {
	var set []*Example
	for _, p := range projects {
		for _, c := range p.Cases {
			e := &Example{Project: p, Case: c, heard: offline.Listen(c.Session)}
			e.said = e.statements()
			for _, f := range e.heard.Files() {
				if !p.Real() {
					break // nobody wrote down files there
				}
				like := c.Like(payload.Item{Kind: payload.File, Path: f.Path})
				e.files = append(e.files, e.labelled(f.Features, like, neutralFile))
			}
			set = append(set, e)
		}
	}
	return set
}

// What a label counts. Silver is one model's reading; what was invented is unlike
// real sessions: most of its evidence was typed by the person.
var originWeight = map[data.Origin]float64{data.People: 1, data.Silver: 0.9, data.Invented: 0.2}

// All chosen on projects left out.
const (
	neutral     = 0.35 // of what is fair to keep and fair to leave
	neutralFile = 0.15
	second      = 0.25 // of what says an item less well than another sentence does
	well        = 0.75 // of the best sentence's likeness, from which on one says it as well
	nearMiss    = 0.6  // of the threshold, from which on a sentence is near an item
	near        = 0.5  // what such a one counts as none
)

// labelled reports whether something is worth keeping.
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

// statements labels what was said. Of those that say what one gold item says the
// one most like it counts most: it is the one to be found. What comes near an item
// without being it is no example of the opposite either.
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
