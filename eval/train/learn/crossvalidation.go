// Package learn fits the model of distill/offline to sessions of many projects, and for each project a model
// from all others, which measures how good it is on projects it hasn't seen.
package learn

import (
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"recall/distill/offline"
	"recall/eval"
	"recall/eval/train/data"
	"recall/payload"
)

// quota is how many passages a session yields, times the square root of its exchanges; fileFrom is the
// likelihood from which a file is kept. Both were chosen by leave-one-project-out results.
const (
	quota    = 2.0
	fileFrom = 0.35
)

// learn fits a model to examples.
func learn(set []*Example) *offline.Model {
	var said, files []sample
	for _, e := range set {
		said, files = append(said, e.said...), append(files, e.files...)
	}
	m := &offline.Model{Said: fit(said), File: fit(files), FileFrom: fileFrom, Quota: quota}
	boost(said, &m.Said, passageGrowth)
	boost(files, &m.File, fileGrowth)
	return m
}

// CrossValidation is what is learned with whole projects left out.
type CrossValidation struct {
	Set    []*Example
	Models map[*data.Project]*offline.Model // learned from all other projects
	Full   *offline.Model                   // learned from all
}

// CrossValidate learns from all projects, and from all but each one.
func CrossValidate(set []*Example) *CrossValidation {
	l := &CrossValidation{set, map[*data.Project]*offline.Model{}, learn(set)}
	projects := map[*data.Project]bool{}
	for _, e := range set {
		projects[e.Project] = true
	}
	var mu sync.Mutex
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for p := range projects {
		all.Go(func() error {
			m := learn(slices.DeleteFunc(slices.Clone(set), func(o *Example) bool { return o.Project == p }))
			mu.Lock()
			defer mu.Unlock()
			l.Models[p] = m
			return nil
		})
	}
	all.Wait()
	for _, m := range l.Models {
		m.Sure, m.Records = l.Calibrated(m), l.Records(m)
	}
	l.Full.Sure, l.Full.Records = l.Calibrated(nil), l.Records(nil)
	return l
}

// Worth reports whether an item is worth keeping regardless of duplicates (right), or at least optional (fair).
func (e *Example) Worth(it payload.Item) (right, fair bool) {
	for j, x := range e.Case.Like(it) {
		right = right || x >= eval.Threshold && e.Case.Gold.Items[j].Must
		fair = fair || x >= eval.Threshold
	}
	return right, fair
}

// Records counts how often each class of records is right, regardless of kind, in real projects. No model
// affects it.
func (l *CrossValidation) Records(without *offline.Model) []offline.Record {
	by := map[string]*offline.Record{}
	for _, e := range l.Set {
		if !e.Project.Real() || l.Models[e.Project] == without {
			continue
		}
		for _, it := range e.heard.Recorded {
			r := by[it.Rule]
			if r == nil {
				r = &offline.Record{Rule: it.Rule}
				by[it.Rule] = r
			}
			right, fair := e.Worth(it)
			if _, choice, ok := strings.Cut(it.Text, " → "); ok && !right { // gold items may leave out the question
				it.Text = choice
				right, fair = e.Worth(it)
			}
			switch {
			case right:
				r.Right++
			case fair:
				r.Neutral++
			default:
				r.Wrong++
			}
		}
	}
	var out []offline.Record
	for _, r := range by {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b offline.Record) int { return strings.Compare(a.Rule, b.Rule) })
	return out
}

// Calibrated says how often passages of a likelihood were worth keeping in real projects left out, made
// monotone. It excludes the project that the given model is measured on (nil: none).
func (l *CrossValidation) Calibrated(without *offline.Model) []offline.Bin {
	type one struct {
		p     float64
		right bool
	}
	var all []one
	for _, e := range l.Set {
		if !e.Project.Real() || l.Models[e.Project] == without {
			continue
		}
		list := e.heard.Passages(l.Models[e.Project], nil)
		for _, p := range list {
			if right, fair := e.Worth(p.Item); right || !fair {
				all = append(all, one{p.Likely, right})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].p < all[j].p })
	type pool struct{ n, right, to float64 }
	var pools []pool
	for _, o := range all {
		p := pool{n: 1, to: o.p}
		if o.right {
			p.right = 1
		}
		pools = append(pools, p)
		for k := len(pools) - 1; k > 0 && (pools[k-1].right/pools[k-1].n >= pools[k].right/pools[k].n ||
			pools[k-1].n < 20); k = len(pools) - 1 {
			pools[k-1] = pool{pools[k-1].n + pools[k].n, pools[k-1].right + pools[k].right, pools[k].to}
			pools = pools[:k]
		}
	}
	var out []offline.Bin
	for _, p := range pools {
		out = append(out, offline.Bin{To: round(p.to), Sure: round((p.right + 1) / (p.n + 2))})
	}
	return out
}
