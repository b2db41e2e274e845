package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"recall/answer"
	"recall/answer/history"
	"recall/cmd/recall/config"
	"recall/cmd/recall/demo"
	"recall/cmd/recall/terminal"
	"recall/distill"
	"recall/distill/model"
	"recall/distill/offline"
	"recall/eval"
	"recall/ingest"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/internal/redact"
	txt "recall/internal/text"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/guard"
)

// OfferModel shows a person at a terminal the models found here, with where data would go and what it would cost, and
// configures the one whose key is pressed to make payloads. "Never" is written down and final; without an answer rules
// keep making payloads.
func (a *App) OfferModel(ctx context.Context, l *library.Library) error {
	if !a.Config.Auto("llm.provider") || !terminal.IsTerminal(a.Out) || guard.IsDemo(l.Dir()) {
		return nil
	}
	found := config.Choices(ctx, os.Getenv, exec.LookPath)
	found = found[:min(len(found), 9)] // as many as there are keys
	if len(found) == 0 {
		return nil
	}
	takes := a.wouldTake(ctx, l, found[0])
	fmt.Fprint(a.Out, offer)
	var away []string
	for i, ch := range found {
		with := a.Config.With(ch)
		where := "stays on this machine"
		if to := with.GoesTo(); to != "" {
			where, away = "goes to "+to, append(away, to)
		}
		price := with.Price(ch.Name())
		if cost, known := takes.Cost(with.Prices(), ch.Name(), false); known && cost > 0 {
			price = "the sessions here: about " + txt.Dollars(cost)
		} else if ch.Provider == config.ProviderClaude {
			price = cmp.Or(a.shareOfSessions(ctx, l, takes), price)
		}
		fmt.Fprintf(a.Out, "  %d  %s (%s): %s; %s\n", i+1, ch.Name(), ch.Why, where, price)
	}
	if takes.Requests > 0 {
		fmt.Fprintf(a.Out, "The sessions here would take about %s, %s tokens.\n", answer.Count(takes.Requests, "request"),
			txt.Thousands(takes.In+takes.Out))
	}
	a.SayLeaving(strings.Join(away, ", or "))
	digits := "123456789"[:len(found)]
	const keys = "y or 1: yes, %s; another number: that one; t: first try it on sample sessions; n: never; any other " +
		"key: not now "
	key := a.key(ctx, keys, found[0].Name())
	for ; key == 't' || key == 'T'; key = a.key(ctx, keys, found[0].Name()) {
		on := found[0]
		if len(found) > 1 {
			which := strings.IndexRune(digits, a.key(ctx, "Which one, 1 to %d? ", len(found)))
			if which < 0 {
				continue
			}
			on = found[which]
		}
		if err := a.TryOnSample(ctx, l, on); err != nil {
			fmt.Fprintf(a.Err, "recall: %v\n", err)
		}
	}
	which := strings.IndexRune(digits, key)
	switch key {
	case 'n', 'N':
		return a.UseModel(ctx, l, config.Choice{Provider: config.NoProvider})
	case 'y', 'Y':
		which = 0
	}
	if which < 0 {
		fmt.Fprintln(a.Out, "Not now. To choose one later: recall init, or llm.provider in config.yaml.")
		return nil
	}
	if err := a.UseModel(ctx, l, found[which]); err != nil {
		fmt.Fprintf(a.Err, "recall: %v\nrecall: hint: %s\nRules keep making payloads; once this is fixed, run recall "+
			"init again.\n", err, hint.Of(err))
		return nil
	}
	if a.inBackground(l, "sync") {
		fmt.Fprintln(a.Out,
			"It is being asked in the background, about the newest sessions first; recall status shows the progress.")
	}
	return nil
}

func (a *App) key(ctx context.Context, question string, args ...any) rune {
	fmt.Fprintf(a.Out, question, args...)
	defer fmt.Fprintln(a.Out)
	return terminal.Key(ctx, a.In)
}

// offer says what a model gains, as measured on people's 88 questions (docs/internals/quality.md).
const offer = `
Payloads are now made by rules, and nothing leaves this machine. With a model's payloads the first result answered
54 of 100 questions, with those of rules 28. Found here:
`

// estimateTimeout limits how long a person waits for the estimate.
const estimateTimeout = 5 * time.Second

// wouldTake estimates what asking a model about all sessions would take; zero if that isn't known in time.
func (a *App) wouldTake(ctx context.Context, l *library.Library, ch config.Choice) distill.Estimate {
	ctx, cancel := context.WithTimeout(ctx, estimateTimeout)
	defer cancel()
	b := a.Beside()
	defer b.Close()
	b.Config = a.Config.With(ch)
	b.Config.Distill.Distiller = config.ByModel
	doc, err := b.Foresee(ctx, l, nil, b.DueFor(false), false)
	if err != nil {
		return distill.Estimate{}
	}
	return doc.Estimate
}

// shareOfSessions words what asking would use of a subscription, relative to what the sessions here used of it, both at
// list prices: the size of a plan's quota isn't known here. "" if it isn't known.
func (a *App) shareOfSessions(ctx context.Context, l *library.Library, takes distill.Estimate) string {
	if a.ReadIndex(l) != nil {
		return ""
	}
	all := func(string, ingest.Request) string { return "" }
	took, err := history.Models(ctx, a.Pipeline(l), time.Time{}, a.Config.Prices(), all)
	cost, _ := takes.Cost(a.Config.Prices(), config.UsualModel[config.ProviderAnthropic], false)
	if err != nil || cost == 0 || took.Total.Cost == 0 {
		return ""
	}
	return fmt.Sprintf("about %.2g %% of what the sessions here used of it", 100*cost/took.Total.Cost)
}

// answersToOffer is the number of answers after which a model is offered once more.
const answersToOffer = 10

// OfferAgain counts an answer that a person saw, and offers a model once after the first few: by then they know what
// rules find.
func (a *App) OfferAgain(ctx context.Context, l *library.Library) error {
	if !a.Config.Auto("llm.provider") || !terminal.IsTerminal(a.Out) || guard.IsDemo(l.Dir()) {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(CacheDir(l), "answers"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil // without a count, don't ask
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() >= answersToOffer {
		return nil
	}
	if _, err := f.WriteString("."); err != nil || info.Size()+1 < answersToOffer {
		return nil
	}
	return a.OfferModel(ctx, l)
}

// UseModel tests a choice with one tiny request and writes it into config.yaml.
func (a *App) UseModel(ctx context.Context, l *library.Library, ch config.Choice) error {
	with := a.Config.With(ch)
	switch ch.Provider {
	case config.NoProvider:
	case config.ProviderRelay: // nobody might be answering yet
		if _, err := with.Provider(ctx, os.Getenv); err != nil {
			return err
		}
	default:
		if err := a.tryModel(ctx, l, with); err != nil {
			return hint.With(fmt.Errorf("not used: %w", err), "%s", with.WayIn(err))
		}
	}
	at := config.ThisSystem()
	file, err := a.Config.OwnConfig(at)
	if err != nil {
		return err
	}
	// Also overwrite the previous provider's settings.
	settings := []config.Written{
		{Key: "llm.dir", Value: ch.Dir}, {Key: "llm.url", Value: ch.URL},
		{Key: "llm.model", Value: ch.Model}, {Key: "llm.provider", Value: ch.Provider}, // the last one ends up on top
	}
	if err := config.WriteConfig(file, settings, at); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Wrote llm.provider: %s to %s\n", ch.Provider, file)
	if ch.Provider == config.NoProvider {
		return nil
	}
	fmt.Fprintf(a.Out, "From now on recall sync asks it; recall sync --dry-run shows the cost beforehand. At most "+
		"$%g a night and $%g a month (distill.budget).\n", a.Config.Distill.Budget.NightCost,
		a.Config.Distill.Budget.MonthCost)
	return nil
}

// SayLeaving prints what would leave this machine for to; "" for nowhere.
func (a *App) SayLeaving(to string) { a.Form("leaving", to) }

// tryModel asks for one word. The purse pays for it, as for every request.
func (a *App) tryModel(ctx context.Context, l *library.Library, c *config.Config) error {
	m, err := c.Provider(ctx, os.Getenv)
	if err != nil {
		return err
	}
	patient := llm.Patient(llm.Metered(m, a.NewPurse(l), c.Prices()), llm.Patience{Tries: 3})
	ctx, cancel := context.WithTimeout(ctx, min(c.Timeout(), 2*time.Minute))
	defer cancel()
	start := time.Now()
	_, err = patient.Complete(ctx, llm.Request{Task: "test", Prompt: "Answer with the one word yes.", Max: 500})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s answered in %s.\n", m.Name(), terminal.Elapsed(time.Since(start)))
	return nil
}

// MeasuredBy returns an improver for measurements. Its answers are kept beside the runs of eval.
func (a *App) MeasuredBy(m llm.Model) (*model.Improver, error) {
	dir, err := AnswersOf(m)
	o := a.askedBy(m, dir)
	o.Anew = true
	return model.New(o), err
}

// DistillingBy returns a distiller that works as sync does: by rules, and by a model for sessions that say enough.
func (a *App) DistillingBy(m llm.Model) (distill.Distiller, error) {
	improver, err := a.MeasuredBy(m)
	return &model.Distiller{Rules: offline.Distiller{}, Improver: improver}, err
}

// AnswersOf returns the store of a model's answers to measurements. Each model has its own: a measurement must not use
// another model's answers.
func AnswersOf(m llm.Model) (answerFolder, error) {
	dir, err := RunsDir()
	return answerFolder(filepath.Join(dir, "answers", txt.Hash(m.Name(), 6))), err
}

// answerFolder is an llm.Store with one file per answer.
type answerFolder string

func (f answerFolder) Answer(key string) (data []byte, ok bool, err error) {
	data, err = os.ReadFile(filepath.Join(string(f), key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func (f answerFolder) KeepAnswer(key string, data []byte) error {
	return WriteWhole(filepath.Join(string(f), key), data)
}

// TryOnSample reports how payloads made by rules score against the bundled gold set and what asking a model about the
// sample sessions would take; if the person agrees, it asks and reports the model's scores.
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
	fmt.Fprintf(a.Out, "How well the items that people would keep of %s of invented work are found (F1, 1 is all):\n",
		answer.Count(len(plain.Sessions), "session"))
	row("rules", plain)
	price := ""
	if cost, known := takes.Cost(asked.Prices, m.Name(), false); known {
		price = ", " + txt.Dollars(cost)
	}
	if takes.Requests > 0 {
		fmt.Fprintf(a.Out, "Asking %s would take about %s, %s tokens%s.\n", m.Name(),
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
