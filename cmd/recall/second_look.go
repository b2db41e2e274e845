package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/answer"
	"recall/answer/compose"
	"recall/library"
	"recall/redact"
)

// What query.rerank may be.
const (
	rerankOff   = "off"
	rerankModel = "model"
)

// secondLook is the configured model for one question where --answer or query.rerank
// wants it; nil if there is none, and why where it ought to be there.
func (a *app) secondLook(ctx context.Context, l *library.Library, paragraph bool) (look *answer.SecondLook, why string) {
	reranks := a.cfg.Query.Rerank == rerankModel
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
		return nil, "no model was asked: " + oneLine(err.Error())
	}
	clean := func(s string) string { return rules.Session().Text(s) }
	return &answer.SecondLook{Asker: compose.Asker{Model: m, Redact: clean}, Within: a.cfg.queryPatience()}, ""
}

// agentsLook is the same for an agent's question. No agent waits for minutes: it gets
// query.model_timeout, also where a person at a terminal would give it more.
func (a *app) agentsLook(ctx context.Context, l *library.Library) func(bool) (*answer.SecondLook, string) {
	return func(paragraph bool) (*answer.SecondLook, string) {
		look, why := a.secondLook(ctx, l, paragraph)
		if look != nil {
			look.Within = min(look.Within, a.cfg.Query.Patience)
		}
		return look, why
	}
}

// queryPatience is how long a model may take for one question. Unless somebody
// has said so, one on this machine, and whoever answers by hand, get more.
func (c *Config) queryPatience() time.Duration {
	if !c.Auto("query.model_timeout") {
		return c.Query.Patience
	}
	switch {
	case c.LLM.Provider == providerRelay:
		return 10 * time.Minute
	case c.local():
		return 2 * time.Minute
	}
	return c.Query.Patience
}

// tells says on stderr how it went with the model.
func (a *app) tells(format string, args ...any) {
	fmt.Fprintf(a.err, "recall: "+format+"\n", args...)
}
