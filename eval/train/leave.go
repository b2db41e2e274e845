package main

import (
	"fmt"
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

// quota is how many passages a session yields, times the root of its exchanges;
// fileFrom the likelihood from which on a file is kept. Both by the figures of
// projects left out.
const (
	quota    = 3.0
	fileFrom = 0.35
)

// learn makes a model of examples.
func learn(set []*example) *offline.Model {
	var said, files []sample
	for _, e := range set {
		said, files = append(said, e.said...), append(files, e.files...)
	}
	m := &offline.Model{Said: fit(said), File: fit(files), FileFrom: fileFrom, Quota: quota}
	boost(said, &m.Said, growSaid)
	boost(files, &m.File, growFile)
	return m
}

// left is what models make of the projects that they didn't learn from.
type left struct {
	models map[*data.Project]*offline.Model
	view   *offline.Model // learned from all
}

func leaveOut(set []*example) *left {
	l := &left{models: map[*data.Project]*offline.Model{}, view: learn(set)}
	projects := map[*data.Project]bool{}
	for _, e := range set {
		projects[e.project] = true
	}
	var mu sync.Mutex
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for p := range projects {
		all.Go(func() error {
			m := learn(slices.DeleteFunc(slices.Clone(set), func(o *example) bool { return o.project == p }))
			mu.Lock()
			defer mu.Unlock()
			l.models[p] = m
			return nil
		})
	}
	all.Wait()
	for _, m := range l.models {
		m.Sure = l.calibrated(set, m)
	}
	return l
}

// A tally is what is counted over some sessions.
type tally struct {
	any, files, goals, told, view, chance, passages eval.Count
	sessions                                        int
}

func (t *tally) add(o tally) {
	t.any, t.files, t.goals = t.any.Plus(o.any), t.files.Plus(o.files), t.goals.Plus(o.goals)
	t.told, t.view = t.told.Plus(o.told), t.view.Plus(o.view)
	t.chance, t.passages = t.chance.Plus(o.chance), t.passages.Plus(o.passages)
	t.sessions += o.sessions
}

// firstPassages is how many of a session's passages are judged apart: those that are seen first.
const firstPassages = 5

func (l *left) tally(e *example) tally {
	m := l.models[e.project]
	items, _ := offline.Items(e.c.Session, m)
	inView, _ := offline.Items(e.c.Session, l.view)
	score := e.c.Score(items)
	t := tally{any: score.Lenient, files: score.Kinds[payload.File], goals: score.Kinds[payload.Goal],
		view: e.c.Score(inView).Lenient, sessions: 1}
	var quoted []payload.Item
	for i, p := range e.heard.Passages(m, nil) {
		quoted = append(quoted, p.Item)
		if right, fair := e.worth(p.Item); i < firstPassages && (right || !fair) {
			t.told.Pred++
			if right {
				t.told.Hits++
			}
		}
	}
	t.passages = e.c.Score(quoted).Lenient
	t.passages.Wanted -= score.Kinds[payload.File].Wanted
	t.chance = e.c.Chance().Lenient
	return t
}

// worth reports whether something is worth keeping by itself, whatever else says the
// same; fair, that it is fair to keep and fair to leave.
func (e *example) worth(it payload.Item) (right, fair bool) {
	for j, x := range e.c.Like(it) {
		right = right || x >= eval.Threshold && e.c.Gold.Items[j].Must
		fair = fair || x >= eval.Threshold
	}
	return right, fair
}

// print says how good it is on projects left out: each, and together.
func (l *left) print(set []*example) {
	by, sum := map[string]*tally{}, map[string]*tally{}
	var names, sums []string
	note := func(m map[string]*tally, list *[]string, name string, t tally) {
		if m[name] == nil {
			m[name] = &tally{}
			*list = append(*list, name)
		}
		m[name].add(t)
	}
	for _, e := range set {
		t := l.tally(e)
		note(by, &names, e.project.Name, t)
		note(sum, &sums, map[data.Origin]string{data.People: "all read by people", data.Silver: "all read by a model",
			data.Invented: "all invented"}[e.project.Origin], t)
		if e.project.Real() {
			note(sum, &sums, "all real", t)
		}
	}
	fmt.Printf("%-44s %3s  %-20s  %-20s  %-7s  %-20s  %-20s  %-7s  %-6s\n", "project, left out", "n",
		"any kind P/R/F1", "passages P/R/F1", "first "+fmt.Sprint(firstPassages), "files P/R/F1", "goals P/R/F1",
		"in view", "chance")
	row := func(name string, t *tally) {
		fmt.Printf("%-44s %3d  %-20s  %-20s  %.3f    %-20s  %-20s  %.3f    %.3f\n", name, t.sessions, three(t.any),
			three(t.passages), t.told.Precision(),
			three(t.files), three(t.goals), t.view.F1(), t.chance.F1())
	}
	for _, n := range names {
		row(n, by[n])
	}
	for _, n := range sums {
		row(n, sum[n])
	}
	fmt.Println("\nrecords on projects left out, real ones: right, wrong, fair to leave")
	for _, r := range l.records(set) {
		precision := "too few"
		if r.Known() {
			precision = fmt.Sprintf("%.3f", r.Precision())
		}
		fmt.Printf("%-14s %3d %3d %3d  precision %s\n", r.Rule, r.Right, r.Wrong, r.Neutral, precision)
	}
	fmt.Println("\nlikelihood up to, and how often such a passage is worth keeping")
	for _, b := range l.calibrated(set, nil) {
		fmt.Printf("%.3f %.3f\n", b.To, b.Sure)
	}
}

func three(c eval.Count) string {
	return fmt.Sprintf("%.3f/%.3f/%.3f", c.Precision(), c.Recall(), c.F1())
}

// records counts how often each class of records is right, whatever the kind, in
// real projects. No model bears on it.
func (l *left) records(set []*example) []offline.Record {
	by := map[string]*offline.Record{}
	for _, e := range set {
		if !e.project.Real() {
			continue
		}
		for _, it := range e.heard.Recorded {
			r := by[it.Rule]
			if r == nil {
				r = &offline.Record{Rule: it.Rule}
				by[it.Rule] = r
			}
			right, fair := e.worth(it)
			if _, choice, ok := strings.Cut(it.Text, " → "); ok && !right { // what was asked may be worded into it or not
				it.Text = choice
				right, fair = e.worth(it)
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

// calibrated says how often passages of a likelihood were worth keeping in real
// projects left out: never less often for more likely ones. Those of the project
// that a model is measured on don't count (nil: all do).
func (l *left) calibrated(set []*example, without *offline.Model) []offline.Bin {
	type one struct {
		p     float64
		right bool
	}
	var all []one
	for _, e := range set {
		if !e.project.Real() || l.models[e.project] == without {
			continue
		}
		list := e.heard.Passages(l.models[e.project], nil)
		for _, p := range list {
			if right, fair := e.worth(p.Item); right || !fair {
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
