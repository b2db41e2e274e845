package app

import (
	"context"
	"errors"
	"os"

	"recall/config"
	"recall/distill/model"
	"recall/hint"
	"recall/library"
	"recall/llm"
	"recall/pipeline/improve"
)

// asking is a model that may be asked, and what pays for it.
type asking struct {
	Plain  llm.Model // sends a request once
	Prices llm.Prices
	purse  *improve.Purse // nil until something is paid
}

// Asking is the configured model; nil if there is none. Nothing is sent yet.
func (a *App) Asking(ctx context.Context) (*asking, error) {
	if a.asked != nil {
		return a.asked, nil
	}
	c, err := a.LoadConfig()
	if err != nil {
		return nil, err
	}
	m, err := c.Provider(ctx, os.Getenv)
	if err != nil || m == nil {
		return nil, err
	}
	a.asked = &asking{Plain: m, Prices: c.Prices()}
	return a.asked, nil
}

// paidModel is the configured model, asked patiently, each request paid from
// the library's purse; nil if there is none.
func (a *App) paidModel(ctx context.Context, l *library.Library) (llm.Model, error) {
	m, err := a.Asking(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	return llm.Patient(llm.Metered(m.Plain, a.Purse(l), m.Prices), a.Config.Patience()), nil
}

// Purse pays for all that this run asks: one, so that each request sees what
// the others took.
func (a *App) Purse(l *library.Library) *improve.Purse {
	if a.asked.purse == nil {
		a.asked.purse = a.NewPurse(l)
	}
	return a.asked.purse
}

func (a *App) NewPurse(l *library.Library) *improve.Purse {
	return improve.NewPurse(l, a.Config.Caps(), nil)
}

// improver asks the configured model about sessions; nil where rules alone
// distill. Its error, such as a key that is missing, is none for whoever takes
// sessions in: rules have distilled them by then.
func (a *App) improver(ctx context.Context, l *library.Library, anew bool) (*model.Improver, error) {
	c, err := a.LoadConfig()
	if err != nil || c.Distill.Distiller != config.ByModel {
		return nil, err
	}
	m, err := a.paidModel(ctx, l)
	if m == nil || err != nil {
		return nil, err
	}
	_, batches := m.(llm.Batcher)
	if c.Distill.Batch && batches && !anew && !c.TakesBatches() {
		return nil, hint.With(errors.New("distill.batch is true, and "+c.Host()+" isn't known to take batches"),
			"set distill.batch to false: it is asked at once then, at the full price")
	}
	return model.New(model.Options{Model: m, Store: l, Window: c.Distill.Window, Max: c.LLM.MaxOutput,
		Batch: c.Distill.Batch && batches && !anew, Anew: anew}), nil
}
