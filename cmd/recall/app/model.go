package app

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/distill"
	"recall/distill/model"
	"recall/index"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/pipeline"
	"recall/pipeline/guard"
	"recall/pipeline/improve"
)

// Provider returns the configured model, which sends a request once; nil if there is none.
func (a *App) Provider(ctx context.Context) (m llm.Model, err error) {
	if c, err := a.LoadConfig(); err != nil || a.model != nil {
		return a.model, err
	} else if m, err = c.Provider(ctx, os.Getenv); err != nil {
		return nil, err
	}
	a.model = m
	return m, nil
}

// paidModel returns the configured model with retries, each request paid by the library's purse; nil if there is none.
func (a *App) paidModel(ctx context.Context) (llm.Model, error) {
	m, err := a.Provider(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	return llm.Patient(llm.Metered(m, a.Purse(), a.Config.Prices()), a.Config.Patience()), nil
}

// Purse returns the one purse of this run, so that each request sees what the others spent.
func (a *App) Purse() *improve.Purse {
	if a.purse == nil {
		a.purse = improve.NewPurse(a.Lib, a.Caps(), nil)
	}
	return a.purse
}

// Caps returns the configured caps on asking.
func (a *App) Caps() improve.Caps {
	c, b := a.Config, a.Config.Distill.Budget
	return improve.Caps{
		Session: improve.Cap{Tokens: c.TokenCap("session_tokens", b.SessionTokens), Cost: b.SessionCost},
		Night:   improve.Cap{Tokens: c.TokenCap("night_tokens", b.NightTokens), Cost: b.NightCost},
		Month:   improve.Cap{Tokens: c.TokenCap("month_tokens", b.MonthTokens), Cost: b.MonthCost},
	}
}

// quick is the most a model may have taken recently to be asked when nobody is shown a preliminary answer.
const quick = 4 * time.Second

// secondLook returns the configured model for one question if query.rerank wants it, else nil, with the reason if one
// was expected. With query.rerank: auto and nobody watching, only a recently quick model is used.
func (a *App) secondLook(ctx context.Context, meanwhile func(answer.Answer)) (look *answer.SecondLook, why string) {
	auto := a.Config.Query.Rerank == config.RerankAuto
	looks := a.Config.Query.Rerank == config.RerankModel || auto && a.Config.Distill.Distiller == config.ByModel
	if !looks || a.Lib.ReadOnly() != nil || auto && guard.IsDemo(a.Lib.Dir()) {
		return nil, ""
	}
	m, err := a.paidModel(ctx)
	if err == nil && m == nil {
		if !auto {
			why = "no model was asked: query.rerank is model, but llm.provider isn't set"
		}
		return nil, why
	}
	if auto && (err != nil || meanwhile == nil && !a.Purse().Quick(m.Name(), quick)) {
		return nil, "" // sync reports what is wrong, such as a missing key
	}
	if err != nil {
		return nil, "no model was asked: " + terminal.Line(err.Error())
	}
	look = &answer.SecondLook{Asker: compose.Asker{Model: m, Kept: a.Lib},
		Within: a.Config.QueryPatience(), Meanwhile: meanwhile}
	if auto && meanwhile == nil {
		look.Within = min(look.Within, 2*quick)
	}
	return look, ""
}

// AgentsLook is secondLook for an agent's question. No agent waits for minutes: the limit is query.model_timeout, even
// where a person at a terminal would allow more.
func (a *App) AgentsLook(ctx context.Context) (*answer.SecondLook, string) {
	look, why := a.secondLook(ctx, nil)
	if look != nil {
		look.Within = min(look.Within, a.Config.Query.Patience)
	}
	return look, why
}

// Asker returns what asks the configured model about sessions; nil if only rules distill. An error, such as a missing
// key, must not fail a sync: rules have distilled the sessions by then.
func (a *App) Asker(ctx context.Context, anew bool) (*improve.Asker, error) {
	c, err := a.LoadConfig()
	if err != nil || c.Distill.Distiller != config.ByModel {
		return nil, err
	}
	m, err := a.paidModel(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	asks := model.New(model.Options{Model: m, Store: a.Lib, Window: c.Window(), Max: c.LLM.MaxOutput, Small: c.Local(),
		Anew: anew})
	return &improve.Asker{Pipeline: a.Pipeline(), Improver: asks, Reconciler: asks}, nil
}

// Improve asks the configured model about the sessions that are due; nil if there is none. If it can't be asked, the
// report says so and no session is lost.
func (a *App) Improve(ctx context.Context, o improve.Options, anew bool) (*improve.Report, []ingest.Problem, error) {
	p, err := a.Asker(ctx, anew)
	if err != nil {
		w, _ := improve.WaitingIn(&pipeline.Pipeline{Archiver: pipeline.Archiver{Library: a.Lib}}, o.Quiet)
		return &improve.Report{Asked: w.Sessions, Waiting: w.Sessions, Why: err.Error(), Hint: hint.Of(err), Cause: err},
			nil, nil
	}
	if p == nil {
		return nil, nil, nil
	}
	bar := terminal.NewProgress(a.Err)
	p.Progress = bar.Show
	o.AtOnce = a.Config.LLM.Concurrency
	r, err := p.Run(ctx, o)
	bar.Done()
	if errors.Is(err, index.ErrRebuild) { // what was paid for is in the library
		a.SayDamaged(err)
		err = a.refill(ctx)
	}
	r.By = p.Improver.Name()
	if r.Waiting > 0 {
		r.Hint = a.Config.WayOut(r.Cause)
	}
	return &r, r.Problems, err
}

// Due says which sessions to ask the model about: those that have been quiet for long enough.
func (a *App) Due() improve.Options { return improve.Options{Quiet: a.Config.Distill.Quiet} }

// ForeseenDoc is the JSON document of what would be asked.
type ForeseenDoc struct {
	Model string `json:"model,omitempty"` // "" if none is configured
	improve.Foreseen
	distill.Estimate                  // in all
	Cost             float64          `json:"cost"` // USD
	Unpriced         bool             `json:"unpriced,omitempty"`
	Problems         []ingest.Problem `json:"problems"`
}

// Foresee computes what the model would be asked about sessions in the library, and what that would cost. It writes
// nothing.
func (a *App) Foresee(ctx context.Context, o improve.Options, anew bool) (*ForeseenDoc, error) {
	doc := &ForeseenDoc{}
	p, err := a.Asker(ctx, anew)
	if err != nil || p == nil {
		return doc, err
	}
	if a.ReadIndex() == nil {
		p.Index = a.Index
	}
	bar := terminal.NewProgress(a.Err)
	p.Progress = bar.Show
	f, err := p.Foresee(ctx, o)
	bar.Done()
	if err != nil {
		return nil, err
	}
	doc.Foreseen, doc.Estimate, doc.Problems = f, f.Sum(), f.Problems
	doc.Model = strings.TrimPrefix(p.Improver.Name(), "model/")
	price := func(e distill.Estimate) {
		cost, known := e.Cost(a.Config.Prices(), doc.Model)
		doc.Cost += cost
		doc.Unpriced = doc.Unpriced || !known && e.Requests > 0
	}
	for _, s := range f.Sessions {
		price(s.Estimate)
	}
	price(f.Bearing)
	return doc, nil
}
