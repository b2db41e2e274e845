package measure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"recall/answer"
	"recall/answer/compose"
	"recall/cmd/recall/app"
	"recall/config"
	"recall/distill"
	"recall/distill/model"
	"recall/eval"
	"recall/hint"
	"recall/ingest"
	"recall/library"
	"recall/llm"
	"recall/llm/replay"
	"recall/payload"
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

// evalModel is the configured model as measurements ask it.
type evalModel struct {
	llm.Model
	purse *eval.Purse
}

// openEvalModel is an error where no model is configured. A library that is there
// pays, as for everything else. What is answered is recorded in a folder, if one
// is named.
func openEvalModel(ctx context.Context, a *app.App, record string) (*evalModel, error) {
	m, err := a.Asking(ctx)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, hint.With(errors.New("no model is configured to ask"),
			"set llm.provider; recall init helps to choose, and docs/relay.md tells how somebody outside may answer")
	}
	most := a.Config.Caps().Night
	p := &eval.Purse{Cost: most.Cost, Tokens: most.Tokens}
	switch l, err := a.Library(ctx); {
	case errors.Is(err, library.ErrNoLibrary):
	case err != nil:
		return nil, err
	case l.ReadOnly() == nil:
		p.Below = a.Purse(l)
	}
	asked := llm.Patient(llm.Metered(m.Plain, p, m.Prices), a.Config.Patience())
	if record != "" {
		if asked, err = replay.Record(asked, record); err != nil {
			return nil, err
		}
	}
	return &evalModel{asked, p}, nil
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

// judging is the judge of that name.
func (m *evalModel) judging(rules *redact.Rules) (eval.Judge, error) {
	dir, err := app.RunsDir()
	if err != nil {
		return nil, err
	}
	v, err := eval.OpenVerdicts(filepath.Join(dir, "verdicts"))
	if err != nil {
		return nil, err
	}
	return eval.ModelJudge{Model: m, Verdicts: v, Redact: func(s string) string { return rules.Session().Text(s) }}, nil
}

// improving distills as sync does: by rules, and by a model where a session
// says enough to be asked about.
type improving struct {
	rules distill.Distiller
	*model.Improver
}

var _ distill.Distiller = improving{}

// Distill implements distill.Distiller.
func (d improving) Distill(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	p, err := d.rules.Distill(ctx, s)
	if err != nil || !d.Ripe(s) {
		return p, err
	}
	return d.Improve(ctx, s, p)
}

// secondLook has a model look at what a search found, as recall query does. Its
// answers are kept beside the runs.
func (m *evalModel) secondLook(rules *redact.Rules) (*answer.SecondLook, error) {
	dir, err := m.answers()
	if err != nil {
		return nil, err
	}
	clean := func(s string) string { return rules.Session().Text(s) }
	return &answer.SecondLook{Asker: compose.Asker{Model: m, Redact: clean, Kept: dir}}, nil
}

// answers is where what a model answers is kept, beside the runs, each model's
// apart: what is measured must not come out of what another said.
func (m *evalModel) answers() (answerFolder, error) {
	dir, err := app.RunsDir()
	sum := sha256.Sum256([]byte(m.Name()))
	return answerFolder(filepath.Join(dir, "answers", hex.EncodeToString(sum[:6]))), err
}

// improvingBy distills with a model whose answers are kept.
func improvingBy(a *app.App, m *evalModel) (distill.Distiller, error) {
	dir, err := m.answers()
	if err != nil {
		return nil, err
	}
	return improving{a.Distiller(),
		model.New(model.Options{Model: m, Window: a.Config.Distill.Window, Max: a.Config.LLM.MaxOutput, Anew: true,
			Store: dir})}, nil
}

// answerFolder keeps models' answers, a file each. It is a model.Store.
type answerFolder string

var _ model.Store = answerFolder("")

// Answer implements model.Store.
func (f answerFolder) Answer(key string) (data []byte, ok bool, err error) {
	data, err = os.ReadFile(filepath.Join(string(f), fileName(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// KeepAnswer implements model.Store.
func (f answerFolder) KeepAnswer(key string, data []byte) error {
	return app.WriteWhole(filepath.Join(string(f), fileName(key)), data)
}
