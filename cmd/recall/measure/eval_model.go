package measure

import (
	"context"
	"errors"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/app"
	"recall/config"
	"recall/eval"
	"recall/hint"
	"recall/library"
	"recall/llm"
	"recall/pipeline/improve"
	"recall/redact"
)

// What --judge may be.
const (
	judgeWords = "words"
	judgeModel = "model"
)

// judgeOr is the judge that was asked for; else the configured model, or where there is
// none, without.
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
	kept  llm.Store // beside the runs: what it answered
}

// openEvalModel is an error where no model is configured. A library that is there
// pays, as for everything else.
func openEvalModel(ctx context.Context, a *app.App) (*evalModel, error) {
	m, err := a.Asking(ctx)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, hint.With(errors.New("no model is configured to ask"),
			"set llm.provider; recall init helps to choose, and docs/relay.md tells how somebody outside may answer")
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

// tellAsked says on stderr what was asked, if anything was.
func tellAsked(a *app.App, m *evalModel) {
	if m == nil {
		return
	}
	if said := m.purse.Took(m.Name()); said != "" {
		a.Tells("%s", said)
	}
}

func (m *evalModel) judging(rules *redact.Rules) eval.Judge {
	return eval.ModelJudge{Model: m, Kept: m.kept, Redact: func(s string) string { return rules.Session().Text(s) }}
}

// secondLook has a model look at what a search found, as recall query does.
func (m *evalModel) secondLook(rules *redact.Rules) *answer.SecondLook {
	clean := func(s string) string { return rules.Session().Text(s) }
	return &answer.SecondLook{Asker: compose.Asker{Model: m, Redact: clean, Kept: m.kept}}
}
