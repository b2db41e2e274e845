package main

import (
	"context"
	"fmt"
	"os"
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
	stale              int // a superseded item first
}

func (t tally) String() string {
	of := func(k int) float64 { return float64(k) / float64(max(t.n, 1)) }
	return fmt.Sprintf("%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t", t.n, of(t.first), of(t.item1), of(t.item5), of(t.all), of(t.session1), of(t.session5))
}

const heads = "project\titems\tvariant\tn\tanswer@1\thit@1\thit@5\thit@50\tsession@1\tsession@5\t"

func table() *tabwriter.Writer {
	return tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0)
}

// measure asks people's questions of a project.
func (w *world) measure(ctx context.Context, project, source string, q index.Query) (t tally, err error) {
	for _, asked := range w.asked {
		if asked.project != project || asked.ask > 0 || len(asked.expect) == 0 {
			continue
		}
		q.Text, q.Limit = asked.text, 100
		a, err := w.indexes[source].Search(ctx, q)
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

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// train fits on each project, reports on the others, and on all.
func (w *world) train(ctx context.Context, write bool) error {
	out := table()
	fmt.Fprintln(out, heads)
	line := func(project, variant string, weights rank.Weights) error {
		for _, source := range sources {
			w.indexes[source].UseWeights(weights)
			t, err := w.measure(ctx, project, source, index.Query{})
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\t%s\t%s\t%v\n", project, source, variant, t)
		}
		return nil
	}
	for _, p := range w.projects {
		if err := line(p, "first pass", rank.FirstPass); err != nil {
			return err
		}
		samples, err := w.samples(ctx, func(of string) bool { return of != p })
		if err != nil {
			return err
		}
		if err := line(p, "fitted on the other", fit(samples)); err != nil {
			return err
		}
	}
	samples, err := w.samples(ctx, func(string) bool { return true })
	if err != nil {
		return err
	}
	all := fit(samples)
	for _, p := range w.projects {
		if err := line(p, "fitted on all", all); err != nil {
			return err
		}
	}
	out.Flush()
	fmt.Printf("\n%d samples\n%s", len(samples), all)
	if write {
		return os.WriteFile("index/rank/weights.txt", []byte(weightsHead+all.String()), 0o644)
	}
	return nil
}

const weightsHead = "# Written by go run ./eval/train/rank -write; see rank.Weights.\n"
