package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/eval"
	"recall/internal/hint"
)

func judgeCmd(a *app.App) *cobra.Command {
	f := flags{}
	cmd := &cobra.Command{Use: "judge", Short: "Measure how well a judge agrees with people",
		Long: `Shows labelled pairs of statements (pairs-NAME.jsonl in the gold sets) to a judge,
and reports how often it considers the same what people consider the same.

The judge is the model (llm.provider, or --relay), or word comparison if there is
none. Without --gold it uses the bundled pairs, all invented. A model's verdict on a
pair is cached in the user's cache directory and not requested again.`,
		Args: cobra.NoArgs}
	cmd.RunE = func(*cobra.Command, []string) error {
		agreement, err := agreementOf(cmd, a, f)
		if err == nil {
			tables(a).Print("judged", agreement)
		}
		return err
	}
	fs := option.FlagsOf(cmd)
	f.declareGold(fs)
	fs.OneOf(&f.Judge, "judge", "", "the judge (default: the model if there is one)", judgeWords, judgeModel)
	return cmd
}

func agreementOf(cmd *cobra.Command, a *app.App, f flags) (eval.Agreement, error) {
	if _, err := a.LoadConfig(); err != nil {
		return eval.Agreement{}, err
	}
	pairs, err := labelledPairs(f.Gold)
	if err != nil {
		return eval.Agreement{}, err
	}
	var judge eval.Judge = eval.Words{}
	if f.Judge == judgeModel || f.Judge == "" && f.hasModel(a) {
		m, err := openModel(cmd.Context(), a, f)
		if err != nil {
			return eval.Agreement{}, err
		}
		defer m.tellAsked(a)
		judge = m.judging()
	}
	return eval.Agree(cmd.Context(), judge, pairs)
}

// labelledPairs returns the pairs in the folders, or the bundled ones.
func labelledPairs(gold []string) ([]eval.LabelledPair, error) {
	if len(gold) == 0 {
		return eval.InventedPairs()
	}
	set, err := goldSet(gold)
	if err != nil {
		return nil, err
	}
	if len(set.Pairs) == 0 {
		return nil, hint.With(fmt.Errorf("%s has no labelled pairs", set.Name),
			"they are lines of pairs-NAME.jsonl: {\"session\", \"kind\", \"a\", \"b\", \"same\"}")
	}
	return set.Pairs, nil
}
