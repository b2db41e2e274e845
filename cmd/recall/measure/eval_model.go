package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/eval"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/internal/redact"
	"recall/library"
	"recall/pipeline/improve"
)

// Values of --judge.
const (
	judgeWords = "words"
	judgeModel = "model"
)

// judgeOr returns the judge asked for, else the configured model, or if there is none the given default.
func judgeOr(c *config.Config, asked, without string) string {
	switch {
	case asked != "":
		return asked
	case c.LLM.Provider == config.NoProvider:
		return without
	}
	return judgeModel
}

type evalModel struct {
	llm.Model
	purse *eval.Purse
	kept  llm.Store // its answers, beside the runs
}

// openEvalModel returns an error if no model is configured. If there is a library its purse pays.
func openEvalModel(ctx context.Context, a *app.App) (*evalModel, error) {
	m, err := a.Asking(ctx)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, hint.With(errors.New("no model is configured to ask"),
			"set llm.provider; recall init helps you choose one, and docs/relay.md shows how to answer by other means")
	}
	p := &eval.Purse{Below: improve.NewPurse(nil, improve.Caps{Night: a.Config.Caps().Night}, nil)}
	switch l, err := a.Library(ctx); {
	case errors.Is(err, library.ErrNoLibrary):
	case err != nil:
		return nil, err
	case l.ReadOnly() == nil:
		p.Below = a.Purse(l)
	}
	asked := llm.Patient(llm.Metered(m.Plain, p, m.Prices), a.Config.Patience())
	kept, err := app.AnswersOf(asked)
	return &evalModel{asked, p, kept}, err
}

// tellAsked reports on stderr what was asked, if anything.
func tellAsked(a *app.App, m *evalModel) {
	if m == nil {
		return
	}
	if said := m.purse.Took(m.Name()); said != "" {
		a.Tell("%s", said)
	}
}

func (m *evalModel) judging(rules *redact.Rules) eval.Judge {
	return eval.ModelJudge{Model: m, Kept: m.kept, Redact: func(s string) string { return rules.Session().Text(s) }}
}

// secondLook has a model look at search results, as recall query does.
func (m *evalModel) secondLook(rules *redact.Rules) *answer.SecondLook {
	clean := func(s string) string { return rules.Session().Text(s) }
	return &answer.SecondLook{Asker: compose.Asker{Model: m, Redact: clean, Kept: m.kept}}
}

func newEvalJudgeCmd(a *app.App) *cobra.Command {
	var o struct {
		Gold  []string
		Judge string
	}
	return option.Result(a, "eval-judge", &o, func(ctx context.Context, _ []string) (agreement eval.Agreement, err error) {
		c, err := a.LoadConfig()
		if err != nil {
			return agreement, err
		}
		pairs, err := labelledPairs(o.Gold)
		if err != nil {
			return agreement, err
		}
		var asked *evalModel
		var judge eval.Judge = eval.Words{}
		if judgeOr(c, o.Judge, judgeWords) == judgeModel {
			if asked, err = openEvalModel(ctx, a); err != nil {
				return agreement, err
			}
			judge = asked.judging(redact.New())
		}
		agreement, err = eval.Agree(ctx, judge, pairs)
		tellAsked(a, asked)
		return agreement, err
	}, func(a *app.App, agreement eval.Agreement) { tables(a).Print("judged", agreement) })
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
