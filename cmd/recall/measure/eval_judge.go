package measure

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/eval"
	"recall/hint"
	"recall/redact"
)

// addRecord adds --record to a command.
func addRecord(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVar(folder, "record", "", "folder to record what the model answers in, for llm.provider: replay")
	cmd.MarkFlagDirname("record")
}

func newEvalJudgeCmd(a *app.App) *cobra.Command {
	var gold []string
	var judge, record string
	cmd := option.Result(a, &cobra.Command{
		Use:   "judge",
		Short: "Measure how far a judge agrees with people",
	}, func(ctx context.Context, _ []string) (agreement eval.Agreement, err error) {
		c, err := a.LoadConfig()
		if err != nil {
			return agreement, err
		}
		return runEvalJudge(ctx, a, judgeOr(c, judge, judgeWords), record, gold)
	}, func(a *app.App, agreement eval.Agreement) {
		tables(a).Judged(&agreement)
	})
	option.WordVar(cmd, &judge, "judge", "",
		"who judges: words, or the configured model (default: the model if there is one)", judgeWords, judgeModel)
	addRecord(cmd, &record)
	cmd.Flags().StringArrayVar(&gold, "gold", nil, "folder of gold sets with labelled pairs; may be given again")
	cmd.MarkFlagDirname("gold")
	return cmd
}

func runEvalJudge(ctx context.Context, a *app.App, name, record string,
	gold []string) (agreement eval.Agreement, err error) {
	pairs, err := labelledPairs(gold)
	if err != nil {
		return agreement, err
	}
	var judge eval.Judge = eval.Words{}
	var asked *evalModel
	if name == judgeModel {
		rules, err := redact.New()
		if err != nil {
			return agreement, err
		}
		if asked, err = openEvalModel(ctx, a, record); err != nil {
			return agreement, err
		}
		if judge, err = asked.judging(rules); err != nil {
			return agreement, err
		}
	}
	agreement, err = eval.Agree(ctx, judge, pairs)
	tellAsked(a, asked)
	return agreement, err
}

// labelledPairs are those of the folders, or the bundled ones.
func labelledPairs(gold []string) ([]eval.LabelledPair, error) {
	if len(gold) == 0 {
		return eval.InventedPairs()
	}
	set, err := goldSet(gold)
	if err != nil {
		return nil, err
	}
	if len(set.Pairs) == 0 {
		return nil, hint.With(fmt.Errorf("%s holds no labelled pairs", set.Name),
			"they are lines of pairs-NAME.jsonl: {\"session\", \"kind\", \"a\", \"b\", \"same\"}")
	}
	return set.Pairs, nil
}
