package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/library"
	"recall/redact"
)

// quick is how long a model may have taken lately to be asked where nobody sees the
// answer that is there without it.
const quick = 4 * time.Second

// secondLook is the configured model for one question where --answer or query.rerank
// wants it; nil if there is none, and why where it ought to be there. Where a person
// doesn't watch, query.rerank: auto asks only one that was quick lately.
func (a *App) secondLook(ctx context.Context, l *library.Library, paragraph bool,
	meanwhile func(answer.Answer)) (look *answer.SecondLook, why string) {
	auto := a.Config.Query.Rerank == config.RerankAuto && !paragraph
	reranks := a.Config.LooksAgain()
	if !paragraph && !reranks || l.ReadOnly() != nil || auto && IsDemo(l) {
		return nil, ""
	}
	m, err := a.paidModel(ctx, l)
	if err == nil && m == nil {
		if reranks && !auto {
			why = "no model was asked: query.rerank is model, and llm.provider isn't set"
		}
		return nil, why
	}
	if err == nil && auto && meanwhile == nil && !a.Purse(l).Quick(m.Name(), quick) {
		return nil, ""
	}
	rules, err2 := redact.New()
	if err = errors.Join(err, err2); err != nil {
		return nil, "no model was asked: " + terminal.Line(err.Error())
	}
	clean := func(s string) string { return rules.Session().Text(s) }
	look = &answer.SecondLook{Asker: compose.Asker{Model: m, Redact: clean, Kept: l}, Within: a.Config.QueryPatience(),
		Doubts: auto, Meanwhile: meanwhile}
	if auto && meanwhile == nil {
		look.Within = min(look.Within, 2*quick)
	}
	return look, ""
}

// AgentsLook is the same for an agent's question. No agent waits for minutes: it gets
// query.model_timeout, also where a person at a terminal would give it more.
func (a *App) AgentsLook(ctx context.Context, l *library.Library) func(bool) (*answer.SecondLook, string) {
	return func(paragraph bool) (*answer.SecondLook, string) {
		look, why := a.secondLook(ctx, l, paragraph, nil)
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
