package measure

import (
	"context"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/eval"
	"recall/hint"
)

func newEvalCompareCmd(a *app.App) *cobra.Command {
	return option.Result(a, &cobra.Command{
		Use:               "compare BEFORE AFTER",
		Short:             "Say what one run changed against another",
		ValidArgsFunction: completeRun,
	}, func(_ context.Context, args []string) (*eval.Comparison, error) {
		runs, err := readRuns(args)
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
