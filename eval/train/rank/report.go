package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"recall/index"
	"recall/index/rank"
)

// tally counts how often what is right came among the first.
type tally struct {
	n                  int
	first              int // the first result is an expected item
	item1, item5, all  int // among items
	session1, session5 int
	stale, changed     int // the first result held once; of so many questions of what has changed
}

func (t tally) String() string {
	of := func(k int) float64 { return float64(k) / float64(max(t.n, 1)) }
	return fmt.Sprintf("%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d of %d\t", t.n, of(t.first), of(t.item1), of(t.item5),
		of(t.all), of(t.session1), of(t.session5), t.stale, t.changed)
}

func (t *tally) add(o tally) {
	t.n += o.n
	t.first += o.first
	t.item1 += o.item1
	t.item5 += o.item5
	t.all += o.all
	t.session1 += o.session1
	t.session5 += o.session5
	t.stale += o.stale
	t.changed += o.changed
}

const heads = "project\titems\tvariant\tn\tanswer@1\thit@1\thit@5\thit@50\tsession@1\tsession@5\tstale@1\t"

func table() *tabwriter.Writer {
	return tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0)
}

// measure asks people's questions of a project.
func (w *world) measure(ctx context.Context, project, source string, q index.Query) (t tally, err error) {
	for _, asked := range w.asked {
		if asked.project != project || asked.ask > 0 || len(asked.expect) == 0 {
			continue
		}
		q.Limit = 100
		a, err := w.search(ctx, asked, source, q)
		if err != nil {
			return t, err
		}
		t.count(w, asked, source, a)
	}
	return t, nil
}

func (t *tally) count(w *world, q question, source string, a index.Answer) {
	items, _, sessions := w.right(q, source)
	t.n++
	if len(a.Ranked) > 0 && a.Ranked[0].Item != nil && items[string(a.Ranked[0].Item.Item.ID)] {
		t.first++
	}
	if len(q.stale) > 0 {
		t.changed++
		t.stale += truth(len(a.Ranked) > 0 && w.holds(a.Ranked[0], source, q.stale))
	}
	for i, h := range a.Hits {
		if items[string(h.Item.ID)] {
			t.item1 += truth(i < 1)
			t.item5 += truth(i < 5)
			t.all += truth(i < 50)
			break
		}
	}
	seen := map[string]bool{}
	for _, r := range a.Ranked {
		if seen[r.Session()] {
			continue
		}
		seen[r.Session()] = true
		if sessions[r.Session()] {
			t.session1 += truth(len(seen) <= 1)
			t.session5 += truth(len(seen) <= 5)
			break
		}
	}
}

// holds reports whether a result is one of some gold items, or holds what one was
// taken from.
func (w *world) holds(r index.Result, source string, names []string) bool {
	for _, name := range names {
		items, turns, _ := w.right(question{expect: []string{name}}, source)
		if r.Item != nil && items[string(r.Item.Item.ID)] || r.Turn != nil && turns[r.Turn.Session+"/"+r.Turn.ID] {
			return true
		}
	}
	return false
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// train fits to all projects but one and reports on that one, for each; and fits
// to all.
func (w *world) train(ctx context.Context) error {
	if err := w.ask(ctx); err != nil {
		return err
	}
	out, sureOut := table(), table()
	fmt.Fprintln(out, heads)
	fmt.Fprintln(sureOut, sureHeads)
	pools, tallies := map[string]*pooled{}, map[string]*tally{}
	report := func(variant, project string, weights rank.Weights, sure *rank.SureWeights) error {
		w.use(weights)
		for _, source := range sources {
			t, err := w.measure(ctx, project, source, index.Query{})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%v\n", project, source, variant, t)
			pool := map[bool]string{true: "invented", false: "people's"}[w.invented[project]] + "\t" + source + "\t" + variant
			if tallies[pool] == nil {
				tallies[pool], pools[pool] = &tally{}, &pooled{}
			}
			tallies[pool].add(t)
			if sure == nil {
				continue
			}
			r, o, err := w.refusals(ctx, project, source, sure)
			if err != nil {
				return err
			}
			pools[pool].add(r, o)
			fmt.Fprintf(sureOut, "%s\t%s\t%s\t%v\n", project, source, variant, r)
		}
		return nil
	}
	for _, p := range w.projects {
		if err := report("first pass", p, rank.FirstPass, nil); err != nil {
			return err
		}
		for _, from := range fitsFor(p, w.invented) {
			weights, sure := w.fitted(from.ok)
			if err := report(from.name, p, weights, &sure); err != nil {
				return err
			}
		}
	}
	weights, sure := w.fitted(func(string) bool { return true })
	for _, p := range w.projects {
		if err := report("fitted on all", p, weights, &sure); err != nil {
			return err
		}
	}
	for _, pool := range slices.Sorted(maps.Keys(pools)) {
		fmt.Fprintf(out, "all %s\t%v\n", pool, *tallies[pool])
		if p := pools[pool]; p.answerable > 0 {
			p.read(p.outcomes)
			fmt.Fprintf(sureOut, "all %s\t%v\n", pool, p.refusal)
		}
	}
	out.Flush()
	fmt.Println()
	sureOut.Flush()
	fmt.Printf("\n%s\n%s", weights, sure)
	return nil
}

// write fits to all projects and writes the weights that are shipped.
func (w *world) write(ctx context.Context) error {
	if err := w.ask(ctx); err != nil {
		return err
	}
	weights, sure := w.fitted(func(string) bool { return true })
	if err := os.WriteFile("index/rank/weights.txt", []byte(weightsHead+weights.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile("index/rank/sure.txt", []byte(weightsHead+sure.String()), 0o644)
}

// fitFrom is which projects weights are fitted to.
type fitFrom struct {
	name string
	ok   func(project string) bool
}

// fitsFor are the fits that are reported on a project, none of them to itself.
func fitsFor(p string, invented map[string]bool) []fitFrom {
	return []fitFrom{
		{"fitted on people's others", func(of string) bool { return of != p && !invented[of] }},
		{"fitted on all others", func(of string) bool { return of != p }},
	}
}

const weightsHead = "# Written by go run ./eval/train/rank -write.\n"

func (w *world) use(weights rank.Weights) {
	w.weights = &weights
	for _, x := range w.indexes {
		x.UseWeights(weights)
	}
}

// fitted are the weights for the projects that ok names, those of the second
// look first, as what makes an answer sure rests on its scores.
func (w *world) fitted(ok func(project string) bool) (rank.Weights, rank.SureWeights) {
	weights := fit(w.of(ok))
	return weights, fitSure(tell(w.of(ok), &weights))
}
