package main

import (
	"fmt"
	"sort"

	"recall/eval"
	"recall/payload"
)

// ruleTable prints how precise the rules are that need no model, and with
// verbose what each found. It prints the sessions' text: not for keeping.
func ruleTable(set []*example, verbose bool) {
	type key struct {
		kind payload.Kind
		rule string
	}
	type tally struct{ hits, wrong, neutral int }
	sum := map[key]*tally{}
	lines := map[key][]string{}
	for _, e := range set {
		its := append(e.heard.Outright(), e.heard.Recorded...)
		pair := map[int]eval.Pair{}
		for _, p := range e.c.Match(its, true) {
			pair[p.Pred] = p
		}
		for i, it := range its {
			k := key{it.Kind, it.Rule}
			if sum[k] == nil {
				sum[k] = &tally{}
			}
			mark := "WRONG  "
			if p, ok := pair[i]; !ok {
				sum[k].wrong++
			} else if g := e.c.Gold.Items[p.Gold]; g.Must {
				sum[k].hits++
				mark = g.ID + "     "
			} else {
				sum[k].neutral++
				mark = "(" + g.ID + ")   "
			}
			lines[k] = append(lines[k], fmt.Sprintf("   %s%s %s | %s", mark, e.c.Gold.Session[:4], it.Text, it.Why))
		}
	}
	var keys []key
	for k := range sum {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].kind != keys[j].kind {
			return keys[i].kind < keys[j].kind
		}
		return keys[i].rule < keys[j].rule
	})
	for _, k := range keys {
		t := sum[k]
		fmt.Printf("%-11s %-22s right %3d  wrong %3d  neutral %3d\n", k.kind, k.rule, t.hits, t.wrong, t.neutral)
		if verbose {
			for _, l := range lines[k] {
				fmt.Println(l)
			}
		}
	}
}
