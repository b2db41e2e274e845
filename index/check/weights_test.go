package check

import (
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"recall/index"
)

var writeWeights = flag.Bool("write-weights", false, "fit weights.json anew")

// files are those of testdata, by who wrote them: the first by people who knew the code,
// strangers' by three who had not seen it.
var (
	files = []string{"actions.txt", "fresh.txt", "unseen.txt", "later.txt", "edits.txt", "round.txt", "demo.txt",
		"last.txt",
		"others.txt", "elsewhere.txt", "strangers.txt"}
	strangers = files[8:]
)

const folds = 9

// A pair is an action beside an item that has words in common with it.
type pair struct {
	action    *labelled
	due       bool
	id        string
	sure      bool // beyond weighing: a file that isn't to be touched
	sightings []map[string]float64
}

// said is what is said of an action first.
type said struct {
	action *labelled
	id     string // of the item, "" for none
	odds   float64
}

// What is shipped is held by how it does on projects that its weights haven't seen.
// Whoever didn't know the code says most things in other words than the item's: those
// aren't found.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and only computes")
	}
	actions, pairs := readPairs(t)
	fold := foldsOf(actions)
	var all []said
	done := make(chan []said)
	for k := range folds {
		go func() {
			seen := slices.DeleteFunc(slices.Clone(pairs), func(p pair) bool { return fold(p.action) == k })
			out := slices.DeleteFunc(slices.Clone(actions), func(a labelled) bool { return fold(&a) != k })
			done <- judge(fit(seen), pairs, out)
		}()
	}
	for range folds {
		all = append(all, <-done...)
	}
	slices.SortFunc(all, func(a, b said) int {
		return cmp.Or(strings.Compare(a.action.file, b.action.file), a.action.line-b.action.line)
	})
	scores := map[string]*score{"all": {}, "strangers": {}}
	for _, s := range all {
		kind := s.action.how
		if kind != "prompt" && kind != "bash" {
			kind = "edit"
		}
		names := []string{"all", s.action.file, kind}
		if slices.Contains(strangers, s.action.file) {
			names = append(names, "strangers", "strangers "+kind)
		}
		for i, name := range names {
			if scores[name] == nil {
				scores[name] = &score{}
			}
			scores[name].count(t, *s.action, s.above(warnFrom), i == 0)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		t.Logf("left out, %s: %v", name, scores[name])
	}
	halves(t, all)
	if s := scores["strangers"]; s.precision() < 0.95 || s.recall() < 0.4 {
		t.Errorf("left out, strangers: %v", s)
	}
	if s := scores["all"]; s.precision() < 0.93 || s.recall() < 0.45 { // half of them near misses on purpose
		t.Errorf("left out, all: %v", s)
	}
	if *writeWeights {
		text, err := json.MarshalIndent(fit(pairs), "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("weights.json", append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// halves shows what the strangers' lines say of a line drawn on the other half of their projects.
func halves(t *testing.T, all []said) {
	half := map[string]int{}
	var of [2][]said
	for _, s := range all {
		if slices.Contains(strangers, s.action.file) {
			if _, ok := half[s.action.project]; !ok {
				half[s.action.project] = len(half) % 2
			}
			h := half[s.action.project]
			of[h] = append(of[h], s)
		}
	}
	for h := range of {
		line := lineFor(t, of[1-h], 0.95)
		var s score
		for _, one := range of[h] {
			s.count(t, *one.action, one.above(line), false)
		}
		t.Logf("strangers' half %d, line %.3f drawn on the other: %v", h+1, line, &s)
	}
}

// lineFor is the lowest odds above which warnings are right so often.
func lineFor(t *testing.T, all []said, precision float64) float64 {
	all = slices.SortedFunc(slices.Values(all), func(a, b said) int { return cmp.Compare(b.odds, a.odds) })
	var s score
	line := 1.0
	for _, one := range all {
		s.count(t, *one.action, one.id, false)
		if s.precision() >= precision {
			line = one.odds
		}
	}
	return line
}

// What ships, on the lines that it was fitted to.
func TestInView(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes long, and only computes")
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			items, actions := readActions(t, file)
			if file == "last.txt" {
				more, _ := readActions(t, "demo.txt")
				items = append(items, more...)
			}
			x := fill(t, items)
			var s score
			for _, a := range actions {
				s.run(t, x, a)
			}
			t.Logf("%d lines: %v", len(actions), &s)
			if s.precision() < 0.8 {
				t.Errorf("precision %.3f, want 0.80", s.precision())
			}
		})
	}
}

// above is the item that is said to be gone against, "" for none.
func (s *said) above(line float64) string {
	if s.odds < line {
		return ""
	}
	return s.id
}

// judge finds what weights say of each action first.
func judge(w weights, pairs []pair, actions []labelled) []said {
	out := make([]said, len(actions))
	for i := range actions {
		out[i].action = &actions[i]
		for k := range pairs {
			p := &pairs[k]
			if p.action.file != actions[i].file || p.action.line != actions[i].line {
				continue
			}
			odds := indicator(p.sure)
			for _, f := range p.sightings {
				odds = max(odds, w.odds(f))
			}
			if odds > out[i].odds {
				out[i].odds, out[i].id = odds, p.id
			}
		}
	}
	return out
}

// foldsOf deals out the projects: what is said of one rests on the others' folds.
func foldsOf(actions []labelled) func(*labelled) int {
	fold := map[string]int{}
	for _, a := range actions {
		if _, ok := fold[a.file+a.project]; !ok {
			fold[a.file+a.project] = len(fold) % folds
		}
	}
	return func(a *labelled) int { return fold[a.file+a.project] }
}

func readPairs(t *testing.T) (actions []labelled, pairs []pair) {
	t.Helper()
	var items []placed
	for _, f := range files {
		more, others := readActions(t, f)
		items, actions = append(items, more...), append(actions, others...)
	}
	x := fill(t, items)
	for i := range actions {
		a := &actions[i]
		d := read(a.action)
		q := index.Query{Text: d.question(), Project: a.project, Kinds: Kinds, Limit: maxItems, Exact: true}
		found, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range found.Ranked {
			it := r.Item
			if !isGrounds(it) {
				continue
			}
			p := pair{action: a, id: string(it.ID), due: slices.Contains(strings.Split(a.want, ","), string(it.ID)),
				sure: compareItem(&found, k, d, weights{"base": -99}).odds == 1}
			for _, s := range readItem(it).overlaps(d) {
				p.sightings = append(p.sightings, s.features(&found, k))
			}
			pairs = append(pairs, p)
		}
	}
	return actions, pairs
}

// fit is a logistic regression. Of a pair that is due only the sighting that looks most like it
// counts; which one that is comes out of the fit before. Cues that stand beside one action
// only are left out.
func fit(pairs []pair) weights {
	in := map[string]map[*labelled]bool{}
	for i := range pairs {
		for _, f := range pairs[i].sightings {
			for name := range f {
				if in[name] == nil {
					in[name] = map[*labelled]bool{}
				}
				in[name][pairs[i].action] = true
			}
		}
	}
	maps.DeleteFunc(in, func(_ string, of map[*labelled]bool) bool { return len(of) < 2 })
	names := slices.Sorted(maps.Keys(in))
	w := weights{"share": 4, "value": 4}
	for range 3 {
		w = descend(examples(w, pairs), names)
	}
	return w
}

type example struct {
	f    map[string]float64
	y    float64
	cost float64
}

func examples(w weights, pairs []pair) (all []example) {
	for i := range pairs {
		p := &pairs[i]
		if p.sure {
			continue
		}
		best, most := 0, -1.0
		for k, f := range p.sightings {
			if odds := w.odds(f); odds > most {
				best, most = k, odds
			}
		}
		for k, f := range p.sightings {
			cost := 1 / math.Sqrt(float64(len(p.sightings)))
			switch {
			case p.due && k != best:
				continue
			case p.due:
				cost = 1
			case p.action.want != "": // the other item may be meant as well
				cost *= 0.3
			}
			all = append(all, example{f, indicator(p.due), cost})
		}
	}
	return all
}

// descend fits weights by gradient descent, each with steps of its own (AdaGrad). Shares are
// standardized, and pulled to 0 more than cues are.
func descend(all []example, names []string) weights {
	at := map[string]int{}
	for i, name := range names {
		at[name] = i
	}
	type value struct {
		i int
		x float64
	}
	n := len(names)
	mean, dev, pull, often := make([]float64, n), make([]float64, n), make([]float64, n), make([]int, n)
	rows := make([][]value, len(all))
	for r, e := range all {
		for _, name := range slices.Sorted(maps.Keys(e.f)) {
			if i, ok := at[name]; ok {
				rows[r] = append(rows[r], value{i, e.f[name]})
				mean[i] += e.f[name] / float64(len(all))
				dev[i] += e.f[name] * e.f[name] / float64(len(all))
				often[i]++
			}
		}
	}
	for i := range names {
		if often[i] < len(all) { // a cue
			mean[i], dev[i], pull[i] = 0, 1, 2
		} else {
			dev[i], pull[i] = math.Sqrt(max(dev[i]-mean[i]*mean[i], 1e-4)), 20
		}
	}
	for _, row := range rows {
		for k, v := range row {
			row[k].x = (v.x - mean[v.i]) / dev[v.i]
		}
	}
	const rounds, step = 150, 0.3
	b, sumB, c, sum := 0.0, 1e-6, make([]float64, n), make([]float64, n)
	for range rounds {
		db, dc := 0.0, make([]float64, n)
		for r, e := range all {
			odds := b
			for _, v := range rows[r] {
				odds += c[v.i] * v.x
			}
			miss := (e.y - 1/(1+math.Exp(-odds))) * e.cost
			db += miss
			for _, v := range rows[r] {
				dc[v.i] += miss * v.x
			}
		}
		sumB += db * db
		b += step * db / math.Sqrt(sumB)
		for i, g := range dc {
			if g -= pull[i] * c[i]; g != 0 {
				sum[i] += g * g
				c[i] += step * g / math.Sqrt(sum[i]+1e-6)
			}
		}
	}
	w := weights{}
	for i, name := range names {
		b -= c[i] * mean[i] / dev[i]
		if x := math.Round(100*c[i]/dev[i]) / 100; x != 0 {
			w[name] = x
		}
	}
	w["base"] = math.Round(100*b) / 100
	return w
}
