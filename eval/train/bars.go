package main

import (
	"fmt"
	"sort"

	"recall/eval"
	"recall/payload"
)

// bars prints for each rule how often it was right and wrong from each
// likelihood on, on what its model was not fitted to: what a rule's own bar
// (see cuts) is chosen by.
func bars(set []*example, kind payload.Kind, title string, group func(*example) string) {
	type tally struct{ right, wrong int }
	sum := map[string][]tally{}
	fits := map[string]fitted{}
	for _, e := range set {
		g := group(e)
		if fits[g] == nil {
			var rest []*example
			for _, o := range set {
				if group(o) != g {
					rest = append(rest, o)
				}
			}
			fits[g] = fitOnly(rest)
		}
		m := *fits[g][kind]
		for k, th := range thresholds {
			m.Threshold, m.Cuts = th, nil
			its := e.heard.Items(fitted{kind: &m})
			pair := map[int]eval.Pair{}
			for _, p := range e.c.Match(its, true) {
				pair[p.Pred] = p
			}
			for i, it := range its {
				if it.Kind != kind {
					continue
				}
				if sum[it.Rule] == nil {
					sum[it.Rule] = make([]tally, len(thresholds))
				}
				t := &sum[it.Rule][k]
				if p, ok := pair[i]; !ok {
					t.wrong++
				} else if e.c.Gold.Items[p.Gold].Must {
					t.right++
				}
			}
		}
	}
	var rules []string
	for r := range sum {
		rules = append(rules, r)
	}
	sort.Strings(rules)
	fmt.Printf("%s, %s: right/wrong of each rule from a likelihood on\n%20s", kind, title, "")
	for _, th := range thresholds {
		fmt.Printf("%7.2f", th)
	}
	fmt.Println()
	for _, r := range rules {
		fmt.Printf("%-20s", r)
		for _, t := range sum[r] {
			fmt.Printf("%7s", fmt.Sprintf("%d/%d", t.right, t.wrong))
		}
		fmt.Println()
	}
}
