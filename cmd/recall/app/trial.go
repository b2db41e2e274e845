package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/demo"
	"recall/distill"
	"recall/distill/model"
	"recall/distill/offline"
	"recall/eval"
	"recall/ingest"
	"recall/library"
	"recall/llm"
	"recall/payload"
	"recall/pipeline"
	"recall/redact"
	txt "recall/text"
)

// MeasuredBy asks a model for measurements. What it answers is kept beside the runs of eval.
func (a *App) MeasuredBy(m llm.Model) (*model.Improver, error) {
	dir, err := AnswersOf(m)
	o := a.askedBy(m, dir)
	o.Anew = true
	return model.New(o), err
}

// DistillingBy distills as sync does: by rules, and by a model where a session says enough to
// be asked about.
func (a *App) DistillingBy(m llm.Model) (distill.Distiller, error) {
	improver, err := a.MeasuredBy(m)
	return &model.Distiller{Rules: offline.Distiller{}, Improver: improver}, err
}

// AnswersOf is where what a model answers to measurements is kept, each model's apart: what
// is measured must not come out of what another said.
func AnswersOf(m llm.Model) (answerFolder, error) {
	dir, err := RunsDir()
	return answerFolder(filepath.Join(dir, "answers", txt.Hash(m.Name(), 6))), err
}

// answerFolder keeps models' answers, a file each. It is a llm.Store.
type answerFolder string

var _ llm.Store = answerFolder("")

// Answer implements llm.Store.
func (f answerFolder) Answer(key string) (data []byte, ok bool, err error) {
	data, err = os.ReadFile(filepath.Join(string(f), key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

// KeepAnswer implements llm.Store.
func (f answerFolder) KeepAnswer(key string, data []byte) error {
	return WriteWhole(filepath.Join(string(f), key), data)
}

// TryOnSample says how payloads by rules do against the bundled gold set, and what asking a
// model about the sample sessions takes; where the person wants that, how its payloads do.
func (a *App) TryOnSample(ctx context.Context, l *library.Library, ch config.Choice) error {
	b := a.Beside()
	b.Config = a.Config.With(ch)
	asked, err := b.Asking(ctx)
	if err != nil {
		return err
	}
	purse := &eval.Purse{Below: b.Purse(l)}
	m := llm.Patient(llm.Metered(asked.Plain, purse, asked.Prices), b.Config.Patience())
	improver, err := b.MeasuredBy(m)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "recall-sample-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, _, err := demo.Write(dir); err != nil {
		return err
	}
	rules := redact.New()
	bar := terminal.NewProgress(a.Err)
	measure := func(d distill.Distiller, atOnce int) (*eval.PayloadScore, error) {
		r, err := eval.Payloads(ctx, eval.Options{From: dir, Distiller: d, AtOnce: atOnce,
			Redact: func(s *ingest.Session) { pipeline.Redact(rules, s) },
			Progress: func(done, total int, what string) {
				bar.Show(pipeline.Progress{Stage: txt.Clip(terminal.Line(what), 24), Done: done, Total: total})
			}})
		bar.Done()
		if err == nil && len(r.Problems) > 0 {
			err = errors.New(r.Problems[0].String())
		}
		if err != nil {
			return nil, err
		}
		return r.Systems[0].Payloads, nil
	}
	row := func(name string, s *eval.PayloadScore) {
		fmt.Fprintf(a.Out, "  %-30s %.2f   decisions %.2f\n", name, s.Micro.F1.Value, s.Kinds[payload.Decision].F1.Value)
	}
	var takes distill.Estimate
	plain, err := measure(&model.Distiller{Rules: offline.Distiller{}, Improver: improver, Takes: &takes}, 1)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "What people would keep of %s of invented work, found, and nothing else (F1, 1 is all of it):\n",
		answer.Count(len(plain.Sessions), "session"))
	row("rules", plain)
	price := ""
	if cost, known := takes.Cost(asked.Prices, m.Name(), false); known {
		price = ", " + txt.Dollars(cost)
	}
	if takes.Requests > 0 {
		fmt.Fprintf(a.Out, "Asking %s takes about %s, %s tokens%s.\n", m.Name(),
			answer.Count(takes.Requests, "request"), txt.Thousands(takes.In+takes.Out), price)
		if key := a.key(ctx, "y: ask it; any other key: don't "); key != 'y' && key != 'Y' {
			return nil
		}
	}
	start := time.Now()
	made, err := measure(&model.Distiller{Rules: offline.Distiller{}, Improver: improver}, b.Config.Patience().AtOnce)
	if err != nil {
		return err
	}
	row(m.Name(), made)
	fmt.Fprintf(a.Out, "It took %s.\n", terminal.Elapsed(time.Since(start)))
	if took := purse.Took(m.Name()); took != "" {
		fmt.Fprintln(a.Out, took)
	}
	return nil
}
