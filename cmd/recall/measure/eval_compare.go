package measure

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/eval"
)

func newEvalCompareCmd(a *app.App) *cobra.Command {
	return option.Result(a, &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Say what one run changed against another",
		Long: `Compares two runs on the sessions or questions that both have, by paired
bootstrap: a figure is better or worse if the 95 % interval of its change doesn't
hold zero; else the runs can't tell.`,
		Example: `  recall eval payloads --out before.json
  recall eval payloads --out after.json
  recall eval compare before.json after.json`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: completeRun,
	}, func(_ context.Context, args []string) (*eval.Comparison, error) {
		runs, err := readRuns(args)
		if err != nil {
			return nil, err
		}
		c, err := eval.Compare(runs[0], runs[1])
		if err != nil {
			return nil, terminal.WithHint(err, "compare two runs of one gold set, made by the same command")
		}
		return c, nil
	}, printComparison)
}

func printComparison(a *app.App, c *eval.Comparison) {
	st := terminal.Styles(a.Color)
	one := map[string]string{"payloads": "session", "questions": "question"}[c.What]
	fmt.Fprintf(a.Out, "%s%s, then %s: %s in common%s\n", st.Bold, terminal.Line(c.Systems[0]),
		terminal.Line(c.Systems[1]), answer.Count(c.Shared, one), st.Reset)
	t := evalTables{a.Out, st}
	if moved := moved(c); len(moved) > 0 {
		t.differences(moved)
		fmt.Fprintln(a.Out)
	}
	fmt.Fprintln(a.Out, changes(c))
	for _, n := range c.Notes {
		t.note("note: %s", n)
	}
}

// moved are the figures of a comparison that aren't the same in both runs.
func moved(c *eval.Comparison) []eval.Difference {
	var all []eval.Difference
	for _, d := range c.Figures {
		if d.Change != (eval.Interval{}) {
			all = append(all, d)
		}
	}
	return all
}

// changes counts what a comparison shows.
func changes(c *eval.Comparison) string {
	n := map[eval.Verdict]int{}
	all := moved(c)
	for _, d := range all {
		n[d.Verdict]++
	}
	return fmt.Sprintf("%s the same, %d better, %d worse, %d can't tell",
		answer.Count(len(c.Figures)-len(all), "figure"),
		n[eval.Better], n[eval.Worse], n[eval.CantTell])
}
