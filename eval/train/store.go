package main

import (
	"encoding/json"
	"fmt"
	"os"

	"recall/eval"
	"recall/payload"
)

const folder = "distill/offline/" // relative to the repository, where the command is run

// store writes the models and how precise each rule was found to be.
func store(set []*example, models fitted) error {
	if err := writeJSON(folder+"weights.json", models); err != nil {
		return err
	}
	return writeJSON(folder+"precision.json", precisions(set))
}

func writeJSON(file string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

// A measure is how often a rule was right on sessions its models had not seen.
type measure struct {
	Precision float64 `json:"precision"`
	Fired     int     `json:"fired"` // neutral ones not counted
}

// precisions measures kind by rule, and kind as a whole under the rule "".
func precisions(set []*example) map[payload.Kind]map[string]measure {
	models := leaveOutModels(set, func(e *example) string { return e.c.Gold.Session })
	type tally struct{ hits, fired int }
	sum := map[payload.Kind]map[string]*tally{}
	for _, e := range set {
		its := items(e, models[e.c.Gold.Session])
		pair := map[int]eval.Pair{}
		for _, p := range e.c.Match(its, true) {
			pair[p.Pred] = p
		}
		for i, it := range its {
			p, hit := pair[i]
			if hit && !e.c.Gold.Items[p.Gold].Must {
				continue
			}
			for _, rule := range []string{it.Rule, ""} {
				if sum[it.Kind] == nil {
					sum[it.Kind] = map[string]*tally{}
				}
				t := sum[it.Kind][rule]
				if t == nil {
					t = &tally{}
					sum[it.Kind][rule] = t
				}
				t.fired++
				if hit {
					t.hits++
				}
			}
		}
	}
	out := map[payload.Kind]map[string]measure{}
	for kind, rules := range sum {
		out[kind] = map[string]measure{}
		for rule, t := range rules {
			out[kind][rule] = measure{round(float64(t.hits) / float64(t.fired)), t.fired}
		}
	}
	return out
}

// detail lists what was found, what was wrong and what was missed. It prints
// the sessions' text: for reading, not for keeping.
func detail(set []*example, models map[string]fitted) {
	for _, e := range set {
		its := items(e, models[e.c.Gold.Session])
		fmt.Printf("=== %s %s\n", e.c.Gold.Project, e.c.Gold.Session)
		byPred, byGold := map[int]eval.Pair{}, map[int]bool{}
		for _, p := range e.c.Match(its, true) {
			byPred[p.Pred], byGold[p.Gold] = p, true
		}
		for i, it := range its {
			mark := "WRONG "
			if p, ok := byPred[i]; ok {
				mark = fmt.Sprintf("%-3s %.2f", e.c.Gold.Items[p.Gold].ID, p.Similarity)
			}
			fmt.Printf("%s [%s/%s] %s %s | why %s\n", mark, it.Kind, it.Rule, it.Path, it.Text, it.Why)
		}
		for j, g := range e.c.Gold.Items {
			if g.Must && !byGold[j] {
				fmt.Printf("MISSED [%s %s] %s | %s\n", g.Kind, g.ID, g.Text, g.Quote)
			}
		}
	}
}
