// Command train fits the models of distill/offline to gold sets and says how
// good they are on sessions and projects that they were not fitted to.
//
//	go run ./eval/train -gold DIR -transcripts DIR [-write]
//
// With -write the models go to distill/offline/weights.json and the rules'
// measured precisions to precision.json: figures only.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"recall/eval"
	"recall/payload"
)

func main() {
	gold := flag.String("gold", "", "folder of gold sets, a sub-folder a project")
	transcripts := flag.String("transcripts", "", "folder that the gold sets' transcripts are relative to")
	write := flag.Bool("write", false, "write the models, fitted to everything")
	one := flag.String("kind", "", "fit this kind only")
	curves := flag.Bool("curve", false, "print precision and recall at each threshold, and stop")
	rules := flag.Bool("rules", false, "print the precision of the rules that need no model, and stop")
	table := flag.String("features", "", "print how features bear on this kind, and stop")
	only := flag.String("only", "", "report only this: session, project")
	verbose := flag.Bool("v", false, "list what was found and missed")
	flag.Parse()
	if *one != "" {
		learned = []payload.Kind{payload.Kind(*one)}
	}
	if err := run(context.Background(), *gold, *transcripts, *write, *verbose, *only, *table, *rules, *curves); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, gold, transcripts string, write, verbose bool, only, table string, rules, curves bool) error {
	cases, err := eval.LoadCases(ctx, gold, transcripts)
	if err != nil {
		return err
	}
	set := prepare(cases)
	if rules {
		ruleTable(set, verbose)
		return nil
	}
	if table != "" {
		featureTable(set, payload.Kind(table))
		return nil
	}
	session := func(e *example) string { return e.c.Gold.Session }
	project := func(e *example) string { return e.c.Gold.Project }
	if curves {
		for _, kind := range learned {
			curve(set, kind, "a session left out", session)
			bars(set, kind, "a session left out", session)
			curve(set, kind, "the other project", project)
			bars(set, kind, "the other project", project)
		}
		return nil
	}
	if only != "project" {
		models := leaveOutModels(set, session)
		report("a session left out", scoreWith(set, func(e *example) fitted { return models[session(e)] }))
		if verbose {
			detail(set, models)
		}
	}
	if only != "session" {
		models := leaveOutModels(set, project)
		if verbose && only == "project" {
			byProject := map[string]fitted{}
			for _, e := range set {
				byProject[session(e)] = models[project(e)]
			}
			detail(set, byProject)
		}
		report("the other project", scoreWith(set, func(e *example) fitted { return models[project(e)] }))
	}
	if write {
		return store(set, fitAll(set))
	}
	return nil
}
