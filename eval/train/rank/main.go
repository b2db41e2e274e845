// Command rank fits the weights of the second look (recall/index/rank) and of how certain an answer is, and
// measures what each part of a search contributes.
//
//	go run ./eval/train/rank -shared DIR [-asked DIR] [-passages] [-write | -ablation]
//
// DIR holds transcripts/dev and eval/gold: what people asked about real projects. The invented projects of
// -asked are added; without -shared they are all there is. Each project's report uses weights fitted to all
// others; with -write, weights fitted to all go to index/rank, which holds numbers only.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
)

func main() {
	shared := flag.String("shared", os.Getenv("RECALL_SHARED"), "folder with transcripts/dev and eval/gold")
	invented := flag.String("asked", "eval/testdata/asked", "folder of invented projects")
	passages := flag.Bool("passages", false,
		"fit only the weights of passages, to people's questions; those of claims stay as shipped")
	write := flag.Bool("write", false, "write the weights fitted to all projects, and stop")
	ablation := flag.Bool("ablation", false, "print what each part contributes, and stop")
	flag.Parse()
	if err := run(context.Background(), *shared, *invented, *passages, *write, *ablation); err != nil {
		fmt.Fprintln(os.Stderr, "rank:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, shared, invented string, passages, write, ablation bool) error {
	w, err := load(ctx, shared, invented)
	if err != nil {
		return err
	}
	defer w.close()
	w.passages = passages
	switch {
	case ablation:
		return w.ablate(ctx)
	case write:
		return w.write(ctx)
	}
	return w.train(ctx)
}
