package app

import (
	"context"
	"errors"
	"fmt"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/library"
	"recall/redact"
)

// secondLook is the configured model for one question where --answer or query.rerank
// wants it; nil if there is none, and why where it ought to be there.
func (a *App) secondLook(ctx context.Context, l *library.Library,
	paragraph bool) (look *answer.SecondLook, why string) {
	reranks := a.Config.Query.Rerank == config.RerankModel
	if !paragraph && !reranks || l.ReadOnly() != nil {
		return nil, ""
	}
	m, err := a.paidModel(ctx, l)
	if err == nil && m == nil {
		if reranks {
			why = "no model was asked: query.rerank is model, and llm.provider isn't set"
		}
		return nil, why
	}
	rules, err2 := redact.New()
	if err = errors.Join(err, err2); err != nil {
		return nil, "no model was asked: " + terminal.Line(err.Error())
	}
	clean := func(s string) string { return rules.Session().Text(s) }
	return &answer.SecondLook{Asker: compose.Asker{Model: m, Redact: clean}, Within: a.Config.QueryPatience()}, ""
}

// AgentsLook is the same for an agent's question. No agent waits for minutes: it gets
// query.model_timeout, also where a person at a terminal would give it more.
func (a *App) AgentsLook(ctx context.Context, l *library.Library) func(bool) (*answer.SecondLook, string) {
	return func(paragraph bool) (*answer.SecondLook, string) {
		look, why := a.secondLook(ctx, l, paragraph)
		if look != nil {
			look.Within = min(look.Within, a.Config.Query.Patience)
		}
		return look, why
	}
}

// Tells says on stderr how it went with the model.
func (a *App) Tells(format string, args ...any) {
	fmt.Fprintf(a.Err, "recall: "+format+"\n", args...)
}
