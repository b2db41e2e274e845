package main

import (
	"encoding/json"
	"fmt"
	"os"

	"recall/distill/offline"
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

// precisions measures kind by rule, and kind as a whole under the rule "".
func precisions(set []*example) map[payload.Kind]map[string]offline.Measure {
	models := leaveOutModels(set, func(e *example) string { return e.c.Gold.Session })
	out := map[payload.Kind]map[string]offline.Measure{}
	for _, e := range set {
		its := items(e, models[e.c.Gold.Session])
		pair := map[int]eval.Pair{}
		for _, p := range e.c.Match(its, true) {
			pair[p.Pred] = p
		}
		for i, it := range its {
			if out[it.Kind] == nil {
				out[it.Kind] = map[string]offline.Measure{}
			}
			for _, rule := range []string{it.Rule, ""} {
				m := out[it.Kind][rule]
				switch p, hit := pair[i]; {
				case !hit:
					m.Wrong++
				case e.c.Gold.Items[p.Gold].Must:
					m.Right++
				default:
					m.Neutral++
				}
				out[it.Kind][rule] = m
			}
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
