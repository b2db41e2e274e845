package measure

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/hint"
	"recall/library"
	"recall/pipeline/vectors"
)

func newCalibrateCmd(a *app.App) *cobra.Command {
	return option.Run(a, &cobra.Command{
		Use:   "calibrate",
		Short: "Find out how much vectors should count for your own items",
	}, func(ctx context.Context, l *library.Library, _ []string) error { return runCalibrate(ctx, a, l) })
}

func runCalibrate(ctx context.Context, a *app.App, l *library.Library) error {
	if err := a.ReadIndex(l); err != nil {
		return hint.With(err, "recall reindex makes the index")
	}
	v, err := vectorsOf(a, l)
	if err != nil {
		return err
	}
	has, err := a.Index.HasVectors(ctx, v.Model.Model())
	if err != nil {
		return err
	}
	if !has {
		return hint.With(fmt.Errorf("no vectors of %s yet", v.Model.Model()), "recall embed makes them")
	}
	c, err := v.Calibrate(ctx)
	if errors.Is(err, vectors.ErrFew) {
		return fmt.Errorf("%s to ask for, too few to say anything", answer.Count(c.Questions, "item"))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%d questions, vectors of %s\n", c.Questions, v.Model.Model())
	out := tabwriter.NewWriter(a.Out, 2, 8, 2, ' ', 0)
	fmt.Fprintln(out, "weight\tfirst\tamong five\tMRR")
	for _, w := range c.Weights {
		fmt.Fprintf(out, "%d\t%.2f\t%.2f\t%.3f\n", w.Weight, w.First, w.Five, w.MRR)
	}
	out.Flush()
	if c.Best == 0 {
		fmt.Fprintln(a.Out, "No weight is clearly better than words alone: leave query.vectors off.")
		return nil
	}
	fmt.Fprintf(a.Out, "Best: query.vector_weight: %d\n", c.Best)
	return nil
}
