package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/eval"
	"recall/hint"
)

func newEvalReportCmd(a *app.App) *cobra.Command {
	var o struct{ Items bool }
	return option.Do("eval-report", &o, func(_ context.Context, args []string) error {
		return runEvalReport(a, args, o.Items)
	})
}

// atOnce is how many kept runs a report is about at most: each is a megabyte.
const atOnce = 50

func runEvalReport(a *app.App, files []string, items bool) error {
	if len(files) == 0 {
		dir, err := app.RunsDir()
		if err != nil {
			return err
		}
		kept, err := eval.KeptRuns(dir)
		if err != nil {
			return err
		}
		if len(kept) == 0 {
			return hint.With(errors.New("no run was kept yet"), "recall eval payloads makes one")
		}
		files = kept[max(0, len(kept)-atOnce):]
	}
	runs, err := eval.ReadRuns(files)
	if err != nil {
		return err
	}
	t := tables(a)
	for i, r := range runs {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		if r.What == "questions" {
			t.Questions(r)
		} else {
			t.Payloads(r)
		}
		if items {
			t.Items(r)
		}
	}
	return nil
}

func newEvalCompareCmd(a *app.App) *cobra.Command {
	return option.Result(a, "eval-compare", nil, func(_ context.Context, args []string) (*eval.Comparison, error) {
		runs, err := eval.ReadRuns(args)
		if err != nil {
			return nil, err
		}
		c, err := eval.Compare(runs[0], runs[1])
		if err != nil {
			return nil, hint.With(err, "compare two runs of one gold set, made by the same command")
		}
		return c, nil
	}, func(a *app.App, c *eval.Comparison) { tables(a).Comparison(c) })
}
