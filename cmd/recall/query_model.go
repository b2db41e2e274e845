package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recall/cmd/recall/compose"
	"recall/index"
	"recall/library"
	"recall/redact"
)

// What query.rerank may be.
const (
	rerankOff   = "off"
	rerankModel = "model"
)

// secondMind is the configured model for one question: nil if there is none, or
// it isn't wanted. When it fails, the question is answered as without it.
type secondMind struct {
	*compose.Asker
	within time.Duration // for all that it is asked about one question
	until  time.Time     // zero until it is asked something
	failed bool
	told   func(format string, args ...any)
}

// secondMind asks for the configured model where --answer or query.rerank wants
// it.
func (a *app) secondMind(cmd *cobra.Command, l *library.Library, answer bool, told func(format string, args ...any)) *secondMind {
	reranks := a.cfg.Query.Rerank == rerankModel
	if !answer && !reranks || l.ReadOnly() != nil {
		return nil
	}
	m, err := a.paidModel(cmd, l)
	switch {
	case err != nil:
		told("no model was asked: %s", oneLine(err.Error()))
		return nil
	case m == nil && reranks:
		told("no model was asked: query.rerank is model, and llm.provider isn't set")
		return nil
	case m == nil:
		return nil
	}
	rules, err := redact.New()
	if err != nil {
		told("no model was asked: %s", oneLine(err.Error()))
		return nil
	}
	return &secondMind{Asker: &compose.Asker{Model: m, Redact: func(s string) string { return rules.Session().Text(s) }}, within: a.cfg.queryPatience(), told: told}
}

// asking limits a context to what is left of the model's time.
func (m *secondMind) asking(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.until.IsZero() {
		m.until = time.Now().Add(m.within)
	}
	return context.WithDeadline(ctx, m.until)
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

// look has the model order what was found.
func (m *secondMind) look(ctx context.Context, question string, answer *index.Answer) {
	if m == nil || len(answer.Ranked) == 0 {
		return
	}
	ctx, cancel := m.asking(ctx)
	defer cancel()
	look, err := m.Look(ctx, question, answer.Ranked)
	if err != nil {
		m.fail(err)
		return
	}
	look.Apply(answer)
}

// paragraph has the model word the answer; nil if it can't be had.
func (m *secondMind) paragraph(ctx context.Context, question string, results []index.Result) []cited {
	if m == nil || m.failed {
		return nil
	}
	ctx, cancel := m.asking(ctx)
	defer cancel()
	p, err := m.Paragraph(ctx, question, results)
	if err != nil {
		m.fail(err)
		return nil
	}
	switch {
	case len(p.Sentences) == 0 && p.LeftOut > 0:
		m.told("nothing that the model said stands in what was found; this answer is put together by rules")
	case p.LeftOut > 0:
		m.told("%s of the model's left out: what it says doesn't stand in what it cites", count(p.LeftOut, "sentence"))
	}
	var out []cited
	for _, s := range p.Sentences {
		out = append(out, cited{s.Text, s.Items})
	}
	return out
}

// fail says why the model gave no answer, once for a question.
func (m *secondMind) fail(err error) {
	m.failed = true
	if errors.Is(err, context.Canceled) {
		return // whoever asked has gone
	}
	why := oneLine(err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		why = "it took longer than query.model_timeout"
	}
	m.told("the model gave no answer (%s); this one is made without it", clip(why, 200))
}
