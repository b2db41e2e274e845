package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/distill"
	"recall/distill/model"
	"recall/distill/offline"
	"recall/eval"
	"recall/eval/relay"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/internal/redact"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline/improve"
)

// asked is the model that is measured, or that judges. A measurement's purse pays it, and its answers are kept beside
// the runs.
type asked struct {
	llm.Model
	patience llm.Patience
	purse    *eval.Purse
	kept     answerFolder
}

// hasModel reports whether there is a model to ask.
func (f *flags) hasModel(a *app.App) bool {
	return f.Relay != "" || a.Config.LLM.Provider != config.NoProvider
}

// openModel returns an error if there is no model to ask.
func openModel(ctx context.Context, a *app.App, f flags) (*asked, error) {
	m, prices := &asked{}, llm.Prices(nil)
	below := improve.NewPurse(nil, improve.Caps{}, nil)
	if f.Relay != "" {
		outside, err := relay.New(f.Relay, f.RelayModel)
		if err != nil {
			return nil, err
		}
		m.Model, m.patience.AtOnce = outside, relayAtOnce
	} else {
		configured, err := a.Provider(ctx)
		if err != nil {
			return nil, err
		}
		if configured == nil {
			return nil, hint.With(errors.New("no model is configured to ask"),
				"set llm.provider; docs/internals/relay.md shows how to answer by other means")
		}
		m.Model, m.patience, prices = configured, a.Config.Patience(), a.Config.Prices()
		if below, err = purseOf(ctx, a); err != nil {
			return nil, err
		}
	}
	dir, err := app.RunsDir()
	if err != nil {
		return nil, err
	}
	m.purse = &eval.Purse{Below: below}
	m.Model = llm.Patient(llm.Metered(m.Model, m.purse, prices), m.patience)
	m.kept = answerFolder(filepath.Join(dir, "answers", text.Hash(m.Name(), 6)))
	return m, nil
}

// purseOf returns the library's purse, or if there is none one that ends with this run.
func purseOf(ctx context.Context, a *app.App) (*improve.Purse, error) {
	switch l, err := a.Library(ctx); {
	case errors.Is(err, library.ErrNoLibrary):
	case err != nil:
		return nil, err
	case l.ReadOnly() == nil:
		return a.Purse(), nil
	}
	return improve.NewPurse(nil, improve.Caps{Night: a.Caps().Night}, nil), nil
}

// relayAtOnce is how many requests wait at once for answers from outside.
const relayAtOnce = 64

// tellAsked reports on stderr what was asked, if anything.
func (m *asked) tellAsked(a *app.App) {
	if said := m.purse.Took(m.Name()); said != "" {
		a.Tell("%s", said)
	}
}

func (m *asked) judging() eval.Judge {
	return eval.ModelJudge{Model: m, Kept: m.kept, Redact: redact.Text}
}

// secondLook has the model look at search results, as recall query does.
func (m *asked) secondLook() *answer.SecondLook {
	return &answer.SecondLook{Asker: compose.Asker{Model: m, Kept: m.kept}}
}

// distiller returns what distills as a sync does.
func (m *asked) distiller(c *config.Config) distill.Distiller {
	return distiller{model.New(model.Options{Model: m, Store: m.kept, Window: c.Window(), Max: c.LLM.MaxOutput,
		Small: c.Local(), Anew: true})}
}

// distiller distills by rules, and by the model if a session says enough.
type distiller struct{ *model.Improver }

func (d distiller) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	p, err := offline.Distiller{}.Distill(ctx, s)
	if err != nil || !d.Ripe(s) {
		return p, err
	}
	return d.Improve(ctx, s, p)
}

// answerFolder is an llm.Store with one file per answer. Each model has its own: a measurement must not use another
// model's answers.
type answerFolder string

func (f answerFolder) Answer(key string) (data []byte, ok bool, err error) {
	data, err = os.ReadFile(filepath.Join(string(f), key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func (f answerFolder) KeepAnswer(key string, data []byte) error {
	return disk.Replace(filepath.Join(string(f), key), data, 0o600)
}
