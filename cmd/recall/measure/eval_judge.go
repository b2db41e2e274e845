package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"recall/cmd/recall/app"
	"recall/cmd/recall/option"
	"recall/distill/model"
	"recall/eval"
	"recall/hint"
	"recall/payload"
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
		rules := redact.New()
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

const judgeRules = "rules"

func newEvalRelationsCmd(a *app.App) *cobra.Command {
	var judge, record string
	var sample int
	cmd := option.Result(a, &cobra.Command{
		Use:   "relations",
		Short: "Measure how far rules or a model agree with people on what a later decision does to an earlier one",
	}, func(ctx context.Context, _ []string) (agreement eval.RelationAgreement, err error) {
		c, err := a.LoadConfig()
		if err != nil {
			return agreement, err
		}
		if sample < 0 {
			return agreement, hint.With(fmt.Errorf("--sample %d: there are no fewer than none", sample),
				"0 is all pairs")
		}
		return runEvalRelations(ctx, a, judgeOr(c, judge, judgeRules), record, sample)
	}, printRelations)
	option.WordVar(cmd, &judge, "judge", "",
		"who says it: rules, or the configured model (default: the model if there is one)", judgeRules, judgeModel)
	addRecord(cmd, &record)
	cmd.Flags().IntVar(&sample, "sample", 0, "how many pairs to ask about (0: all)")
	return cmd
}

func runEvalRelations(ctx context.Context, a *app.App, judge, record string, sample int) (
	agreement eval.RelationAgreement, err error) {
	pairs, err := eval.InventedRelations()
	if err != nil {
		return agreement, err
	}
	if sample > 0 {
		pairs = eval.SampleRelations(pairs, sample)
	}
	by, name := eval.RelatedBy(eval.ByRules), judgeRules
	var asked *evalModel
	if judge == judgeModel {
		if asked, err = openEvalModel(ctx, a, record); err != nil {
			return agreement, err
		}
		if by, err = relating(a, asked); err != nil {
			return agreement, err
		}
		name = asked.Name()
	}
	agreement, err = eval.AgreeOnRelations(ctx, name, by, pairs)
	tellAsked(a, asked)
	return agreement, err
}

func printRelations(a *app.App, agreement eval.RelationAgreement) {
	t := tables(a)
	t.Relations(&agreement)
	if agreement.By != judgeRules {
		t.Trust(agreement.Relations[payload.Supersedes].Precision)
	}
}

// relating asks a model about pairs as a sync does.
func relating(a *app.App, m *evalModel) (eval.RelatedBy, error) {
	improver, err := a.MeasuredBy(m)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, labelled []eval.LabelledRelation) ([]payload.Relation, error) {
		pairs := make([]model.Pair, len(labelled))
		for i := range labelled {
			pairs[i].Later, pairs[i].Earlier = labelled[i].Items()
		}
		out := make([]payload.Relation, len(pairs))
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(max(1, a.Config.Patience().AtOnce))
		for from := 0; from < len(pairs); from += pairsTogether {
			g.Go(func() error {
				verdicts, err := improver.Reconcile(ctx, pairs[from:min(from+pairsTogether, len(pairs))])
				for i, v := range verdicts {
					if err == nil && !v.Known {
						err = errors.New("the model left pairs out; ask once more")
					}
					out[from+i] = v.Relation
				}
				return err
			})
		}
		return out, g.Wait()
	}, nil
}

// pairsTogether is how many pairs go into one request, several of which wait at
// the same time: no more than a model is asked about at once.
const pairsTogether = 15
