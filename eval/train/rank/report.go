package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"recall/answer"
	"recall/eval"
	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// tally counts how often what is right came among the first.
type tally struct {
	n                  int
	first, five        int // the first thing printed holds the answer; one of the first five does
	item1, item5, all  int // among items
	session1, session5 int
	stale, changed     int // the first result held once; of so many questions of what has changed
}

func (t tally) String() string {
	of := func(k int) float64 { return float64(k) / float64(max(t.n, 1)) }
	return fmt.Sprintf("%d\t%.3f\t%.3f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d of %d\t", t.n, of(t.first), of(t.five),
		of(t.item1), of(t.item5), of(t.all), of(t.session1), of(t.session5), t.stale, t.changed)
}

func (t *tally) add(o tally) {
	t.n += o.n
	t.first += o.first
	t.five += o.five
	t.item1 += o.item1
	t.item5 += o.item5
	t.all += o.all
	t.session1 += o.session1
	t.session5 += o.session5
	t.stale += o.stale
	t.changed += o.changed
}

const heads = "project\titems\tvariant\tn\tanswer@1\tanswer@5\thit@1\thit@5\thit@50\tsession@1\tsession@5\tstale@1\t"

func table() *tabwriter.Writer {
	return tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0)
}

// measure asks people's questions of a project.
func (w *world) measure(ctx context.Context, project, source string, q index.Query) (t tally, err error) {
	q.Limit = 50
	asked := w.askedOf(project, func(q question) bool { return len(q.expect) > 0 })
	found, err := w.searchAll(ctx, asked, source, q)
	if err != nil {
		return t, err
	}
	for i, a := range found {
		if err := t.count(ctx, w, asked[i], source, a); err != nil {
			return t, err
		}
	}
	return t, nil
}

// askedOf are people's questions of a project.
func (w *world) askedOf(project string, ok func(question) bool) (out []question) {
	for _, q := range w.asked {
		if q.project == project && q.ask == 0 && ok(q) {
			out = append(out, q)
		}
	}
	return out
}

func (t *tally) count(ctx context.Context, w *world, q question, source string, a index.Answer) error {
	items, sessions := w.right(q, source)
	t.n++
	for i, r := range answer.Of(answer.Question{Most: 5}, a).Shown {
		yes, err := w.holds(ctx, r, source, q.expect)
		if err != nil {
			return err
		}
		if yes {
			t.first += truth(i == 0)
			t.five++
			break
		}
	}
	if len(q.stale) > 0 && len(a.Ranked) > 0 {
		t.changed++
		yes, err := w.holds(ctx, answer.Of(answer.Question{Most: 1}, a).Results[0], source, q.stale)
		if err != nil {
			return err
		}
		t.stale += truth(yes)
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
	return nil
}

// holds reports whether a result is one of some gold items, or a passage that holds
// one, as recall eval has it.
func (w *world) holds(ctx context.Context, r *answer.Result, source string, names []string) (bool, error) {
	turn, said := r.TurnID, r.Passage
	if r.Item != nil {
		if r.Item.Kind != payload.Lead {
			items, _ := w.right(question{expect: names}, source)
			return items[string(r.Item.ID)], nil
		}
		turn, said = r.Item.Evidence[0].Turn, r.Item.Text
	}
	for _, c := range w.cases[r.Project] {
		if c.Gold.Session == r.Session {
			held, err := c.Holds(ctx, eval.Words{}, turn, said, names)
			return len(held) > 0, err
		}
	}
	return false, nil
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
	report := func(project string, weights rank.Weights, sure *rank.SureWeights) error {
		w.use(weights)
		for _, source := range sources {
			t, err := w.measure(ctx, project, source, index.Query{})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\t%s\tleft out\t%v\n", project, source, t)
			pool := map[bool]string{true: "invented", false: "people's"}[w.invented[project]] + "\t" + source + "\tleft out"
			if tallies[pool] == nil {
				tallies[pool], pools[pool] = &tally{}, &pooled{}
			}
			tallies[pool].add(t)
			r, o, err := w.refusals(ctx, project, source, sure)
			if err != nil {
				return err
			}
			pools[pool].add(r, o)
			fmt.Fprintf(sureOut, "%s\t%s\tleft out\t%v\n", project, source, r)
		}
		return nil
	}
	for _, p := range w.projects {
		weights, sure := w.fitted(func(of string) bool { return of != p })
		if err := report(p, weights, &sure); err != nil {
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
	weights, sure := w.fitted(func(string) bool { return true })
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
	weights := rank.Default
	if w.passages {
		weights = fitPassages(w.of(ok), weights)
	} else {
		weights = fit(w.of(ok))
	}
	return weights, fitSure(tell(w.of(ok), &weights))
}
