package main

import (
	"fmt"
	"strings"

	"recall/eval"
	"recall/payload"
)

// curve prints precision and recall of a kind at each threshold, each group
// judged by models fitted to the others: what a choice of features is judged by,
// whatever the threshold.
func curve(set []*example, kind payload.Kind, title string, group func(*example) string) {
	totals := make([]eval.Count, len(thresholds))
	models := map[string]fitted{}
	for _, e := range set {
		g := group(e)
		if models[g] == nil {
			var rest []*example
			for _, o := range set {
				if group(o) != g {
					rest = append(rest, o)
				}
			}
			models[g] = fitOnly(rest)
		}
		if m := models[g][kind]; m != nil {
			for k, c := range e.counts(kind, m) {
				totals[k] = plus(totals[k], c)
			}
		}
	}
	fmt.Printf("%s, %s:\n", kind, title)
	var best float64
	for k, th := range thresholds {
		c := totals[k]
		best = max(best, c.F1())
		fmt.Printf("  %.2f  P %.3f R %.3f F1 %.3f  (%d of %d) %s\n", th, c.Precision(), c.Recall(), c.F1(), c.Hits, c.Pred, strings.Repeat("*", int(50*c.F1())))
	}
	fmt.Printf("  best F1 %.3f\n", best)
}
