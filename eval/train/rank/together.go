package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"

	"recall/index"
)

// everywhere stands for all projects in a corner.
const everywhere = "*"

// together prints what is found of each project where all are in one library,
// asked from nowhere, from the project and from another one, beside the same
// where it is alone there: with the shipped weights, which were fitted to all.
func (w *world) together(ctx context.Context) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "projects\titems\tn\talone\ttogether\tasked from it\tasked from another\tanswer@1 / hit@5")
	for _, invented := range []bool{false, true} {
		for _, source := range sources {
			var asked []question
			for _, q := range w.asked {
				if q.ask == 0 && len(q.expect) > 0 && w.invented[q.project] == invented {
					asked = append(asked, q)
				}
			}
			if len(asked) == 0 {
				continue
			}
			fmt.Fprintf(out, "%s\t%s\t%d", map[bool]string{false: "people's", true: "invented"}[invented], source, len(asked))
			for _, from := range []func(i int, q question) (in, here string){
				func(_ int, q question) (string, string) { return q.project, "" },
				func(int, question) (string, string) { return everywhere, "" },
				func(_ int, q question) (string, string) { return everywhere, q.project },
				func(i int, q question) (string, string) { return everywhere, w.another(i, q.project) },
			} {
				var t tally
				for i, q := range asked {
					in, here := from(i, q)
					x, err := w.index(ctx, in, source, q.until)
					if err != nil {
						return err
					}
					a, err := x.Search(ctx, index.Query{Text: q.text, Until: q.until, Here: here})
					if err != nil {
						return err
					}
					if err := t.count(ctx, w, q, source, a); err != nil {
						return err
					}
				}
				fmt.Fprintf(out, "\t%.2f / %.2f", float64(t.first)/float64(t.n), float64(t.item5)/float64(t.n))
			}
			fmt.Fprintln(out)
		}
	}
	return out.Flush()
}

// another is a project other than the one, by turns all of them.
func (w *world) another(i int, project string) string {
	others := slices.DeleteFunc(slices.Clone(w.projects), func(p string) bool { return p == project })
	if len(others) == 0 {
		return ""
	}
	return others[i%len(others)]
}
