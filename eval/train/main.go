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
)

func main() {
	gold := flag.String("gold", "", "folder of gold sets, a sub-folder a project")
	transcripts := flag.String("transcripts", "", "folder that the gold sets' transcripts are relative to")
	write := flag.Bool("write", false, "write the models, fitted to everything")
	verbose := flag.Bool("v", false, "list what was found and missed")
	flag.Parse()
	if err := run(context.Background(), *gold, *transcripts, *write, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, gold, transcripts string, write, verbose bool) error {
	cases, err := eval.LoadCases(ctx, gold, transcripts)
	if err != nil {
		return err
	}
	set := prepare(cases)
	everything := fitAll(set)
	report("fitted to what it is scored on", scoreWith(set, func(*example) fitted { return everything }))
	report("a session left out", leaveOut(set, func(e *example) string { return e.c.Gold.Session }))
	report("the other project", leaveOut(set, func(e *example) string { return e.c.Gold.Project }))
	if verbose {
		detail(set, leaveOutModels(set, func(e *example) string { return e.c.Gold.Session }))
	}
	if write {
		return store(set, everything)
	}
	return nil
}
