// Command train fits the model of distill/offline to sessions of many projects, and reports how good it is on
// projects that it didn't learn from.
//
//	go run ./eval/train -shared DIR [-write]
//
// DIR holds eval/gold, silver and transcripts. With -write the model goes to distill/offline/weights.json,
// which holds numbers only.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"recall/eval/train/data"
	"recall/eval/train/learn"
)

const weightsFile = "distill/offline/weights.json" // relative to the root of the repository, the working directory

func main() {
	shared := flag.String("shared", "", "folder with eval/gold, silver and transcripts")
	invented := flag.String("invented", "eval/testdata/asked", "folder of invented projects")
	write := flag.Bool("write", false, "write what was learned from all projects")
	flag.Parse()
	if err := run(context.Background(), *shared, *invented, *write); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, shared, invented string, write bool) error {
	projects, err := data.Load(ctx, shared, invented, data.People, data.Silver, data.Invented)
	if err != nil {
		return err
	}
	left := learn.CrossValidate(learn.Prepare(projects))
	report(left)
	if !write {
		return nil
	}
	b, err := json.MarshalIndent(left.Full, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(weightsFile, append(b, '\n'), 0o644)
}
