package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/demo"
	"recall/distill"
	"recall/hint"
	"recall/history"
	"recall/ingest"
	"recall/library"
	"recall/llm"
	txt "recall/text"
)

// OfferModel shows a person at a terminal the models that are found here, with what each
// would be sent and what that would take, and has the one whose key is pressed make
// payloads from now on. No is written down and never asked again; without a word rules
// go on.
func (a *App) OfferModel(ctx context.Context, l *library.Library) error {
	if !a.Config.Auto("llm.provider") || !terminal.IsTerminal(a.Out) || demo.Has(l.Dir()) {
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
		fmt.Fprintf(a.Out, "The sessions here take about %s, %s tokens.\n", answer.Count(takes.Requests, "request"),
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
		fmt.Fprintln(a.Out, "Not now, then. Another time: recall init, or llm.provider in config.yaml.")
		return nil
	}
	if err := a.UseModel(ctx, l, found[which]); err != nil {
		fmt.Fprintf(a.Err, "recall: %v\nrecall: hint: %s\nRules go on making payloads; when this is mended, run recall "+
			"init again.\n", err, hint.Of(err))
		return nil
	}
	if a.inBackground(l, "sync") {
		fmt.Fprintln(a.Out,
			"It is being asked in the background, about the newest sessions first; recall status says how far it is.")
	}
	return nil
}

func (a *App) key(ctx context.Context, question string, args ...any) rune {
	fmt.Fprintf(a.Out, question, args...)
	defer fmt.Fprintln(a.Out)
	return terminal.Key(ctx, a.In)
}

// offer says what a model is for, as measured over 88 questions (docs/internals/quality.md).
const offer = `
Payloads are made by rules now, and nothing leaves this machine. Over a model's payloads 65 of 100 questions were
answered by the first result, over those of rules 23. Found here:
`

// foreseen is how long a person may wait for what a model would take.
const foreseen = 5 * time.Second

// wouldTake is what asking a model about all sessions would take; nothing if it isn't
// known in time.
func (a *App) wouldTake(ctx context.Context, l *library.Library, ch config.Choice) distill.Estimate {
	ctx, cancel := context.WithTimeout(ctx, foreseen)
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

// shareOfSessions is what asking would take of a subscription, beside what the sessions here took of it, both at
// list prices: nothing here says what a plan's window holds. "" if it isn't known.
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
	return fmt.Sprintf("about %.2g %% of what the sessions here took of it", 100*cost/took.Total.Cost)
}

// offered is after how many answers without a model one is offered once more.
const offered = 10

// OfferAgain counts an answer that a person saw, and offers a model once after the first
// few: by then they know what rules find.
func (a *App) OfferAgain(ctx context.Context, l *library.Library) error {
	if !a.Config.Auto("llm.provider") || !terminal.IsTerminal(a.Out) || demo.Has(l.Dir()) {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(CacheDir(l), "answers"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil // nobody is asked, then
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() >= offered {
		return nil
	}
	if _, err := f.WriteString("."); err != nil || info.Size()+1 < offered {
		return nil
	}
	return a.OfferModel(ctx, l)
}

// UseModel tries a choice with one tiny request, and writes it into config.yaml.
func (a *App) UseModel(ctx context.Context, l *library.Library, ch config.Choice) error {
	with := a.Config.With(ch)
	switch ch.Provider {
	case config.NoProvider:
	case config.ProviderRelay: // nobody may be there yet
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
	// What the one before had beside it isn't this one's.
	settings := []config.Written{
		{Key: "llm.dir", Value: ch.Dir}, {Key: "llm.url", Value: ch.URL},
		{Key: "llm.model", Value: ch.Model}, {Key: "llm.provider", Value: ch.Provider}, // the last is on top
	}
	if err := config.WriteConfig(file, settings, at); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "Wrote llm.provider: %s to %s\n", ch.Provider, file)
	if ch.Provider == config.NoProvider {
		return nil
	}
	fmt.Fprintf(a.Out, "recall sync asks it from now on; recall sync --dry-run tells first what that takes. At most "+
		"$%g a night and $%g a month (distill.budget).\n", a.Config.Distill.Budget.NightCost,
		a.Config.Distill.Budget.MonthCost)
	return nil
}

// SayLeaving says what would leave this machine, "" for nowhere.
func (a *App) SayLeaving(to string) { a.Form("leaving", to) }

// tryModel asks for one word. It is paid from the purse as everything else.
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
	fmt.Fprintf(a.Out, "%s answers, in %s.\n", m.Name(), terminal.Elapsed(time.Since(start)))
	return nil
}
