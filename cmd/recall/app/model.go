package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/demo"
	"recall/distill/model"
	"recall/hint"
	"recall/library"
	"recall/llm"
	"recall/pipeline/improve"
	"recall/redact"
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
	_, batches := a.asked.Plain.(llm.Batcher)
	if c.Distill.Batch && batches && !anew && !c.TakesBatches() {
		return nil, hint.With(errors.New("distill.batch is true, and "+c.Host()+" isn't known to take batches"),
			"set distill.batch to false: it is asked at once then, at the full price")
	}
	o := a.askedBy(m, l)
	o.Batch, o.Anew = c.Distill.Batch && batches && !anew, anew
	return model.New(o), nil
}

// askedBy is how sessions are put before the configured model.
func (a *App) askedBy(m llm.Model, kept llm.Store) model.Options {
	c := a.Config
	return model.Options{Model: m, Store: kept, Window: c.Window(), Max: c.LLM.MaxOutput, Small: c.Local()}
}

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
	unasked := !paragraph && !reranks || l.ReadOnly() != nil || auto && demo.Has(l.Dir())
	if unasked {
		return nil, ""
	}
	m, err := a.paidModel(ctx, l)
	if err == nil && m == nil {
		if reranks && !auto {
			why = "no model was asked: query.rerank is model, and llm.provider isn't set"
		}
		return nil, why
	}
	if auto && (err != nil || meanwhile == nil && !a.Purse(l).Quick(m.Name(), quick)) {
		return nil, "" // what is wrong, such as a key that is missing, is for sync to tell
	}
	if err != nil {
		return nil, "no model was asked: " + terminal.Line(err.Error())
	}
	rules := redact.New()
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

// OfferOllama tells of an embedding model that Ollama has on this machine, and
// how to use it. Nothing but the question which models there are is sent, and
// that to this machine only.
func (a *App) OfferOllama(ctx context.Context) {
	if a.Config.Query.Vectors != "off" {
		return
	}
	address := config.OllamaHere(os.Getenv("OLLAMA_HOST"))
	model := config.OllamaModel(ctx, address, true)
	if model == "" {
		return
	}
	a.Form("ollama", struct{ Address, Model string }{address, model})
}
