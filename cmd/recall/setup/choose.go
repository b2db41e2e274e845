package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/distill"
	"recall/internal/hint"
	"recall/internal/llm"
	txt "recall/internal/text"
	"recall/pipeline/guard"
)

// offerModel shows a person at a terminal the models found here, with where data would go and what it would cost, and
// configures the one whose key is pressed to make payloads. "Never" is written down and final; without an answer rules
// keep making payloads.
func offerModel(ctx context.Context, a *app.App) error {
	if !a.Config.Auto("llm.provider") || !terminal.IsTerminal(a.Out) || guard.IsDemo(a.Lib.Dir()) {
		return nil
	}
	found := choices(ctx, os.Getenv, exec.LookPath)
	found = found[:min(len(found), 9)] // as many as there are keys
	if len(found) == 0 {
		return nil
	}
	takes := wouldTake(ctx, a, found[0])
	fmt.Fprint(a.Out, offer)
	var away []string
	for i, ch := range found {
		with := with(a.Config, ch)
		where := "stays on this machine"
		if to := goesTo(with); to != "" {
			where, away = "goes to "+to, append(away, to)
		}
		price := priceOf(with, ch.Name())
		if cost, known := takes.Cost(with.Prices(), ch.Name()); known && cost > 0 {
			price = "the sessions here: about " + txt.Dollars(cost)
		}
		fmt.Fprintf(a.Out, "  %d  %s (%s): %s; %s\n", i+1, ch.Name(), ch.Why, where, price)
	}
	if takes.Requests > 0 {
		fmt.Fprintf(a.Out, "The sessions here would take about %s, %s tokens.\n", answer.Count(takes.Requests, "request"),
			txt.Thousands(takes.In+takes.Out))
	}
	a.Form("leaving", strings.Join(away, ", or "))
	key := key(ctx, a, "y or 1: yes, %s; another number: that one; n: never; any other key: not now ", found[0].Name())
	which := strings.IndexRune("123456789"[:len(found)], key)
	switch key {
	case 'n', 'N':
		return useModel(ctx, a, choice{Provider: config.NoProvider})
	case 'y', 'Y':
		which = 0
	}
	if which < 0 {
		fmt.Fprintln(a.Out, "Not now. To choose one later: recall init, or llm.provider in config.yaml.")
		return nil
	}
	if err := useModel(ctx, a, found[which]); err != nil {
		fmt.Fprintf(a.Err, "recall: %v\nrecall: hint: %s\nRules keep making payloads; once this is fixed, run recall "+
			"init again.\n", err, hint.Of(err))
		return nil
	}
	if a.Background("sync") {
		fmt.Fprintln(a.Out,
			"It is being asked in the background, about the newest sessions first; recall status shows the progress.")
	}
	return nil
}

func key(ctx context.Context, a *app.App, question string, args ...any) rune {
	fmt.Fprintf(a.Out, question, args...)
	defer fmt.Fprintln(a.Out)
	return terminal.Key(ctx, a.In)
}

// offer is what stands above the models found.
const offer = `
Payloads are made by rules, and nothing leaves this machine. A model finds more of what was decided, and words it.
These are here:
`

// estimateTimeout limits how long a person waits for the estimate.
const estimateTimeout = 5 * time.Second

// wouldTake estimates what asking a model about all sessions would take; zero if that isn't known in time.
func wouldTake(ctx context.Context, a *app.App, ch choice) distill.Estimate {
	ctx, cancel := context.WithTimeout(ctx, estimateTimeout)
	defer cancel()
	b := a.Beside()
	defer b.Close()
	b.Share(a.Lib)
	b.Config = with(a.Config, ch)
	b.Config.Distill.Distiller = config.ByModel
	doc, err := b.Foresee(ctx, nil, b.DueFor(false), false)
	if err != nil {
		return distill.Estimate{}
	}
	return doc.Estimate
}

// useModel tests a choice with one tiny request and writes it into config.yaml.
func useModel(ctx context.Context, a *app.App, ch choice) error {
	with := with(a.Config, ch)
	if ch.Provider != config.NoProvider {
		if err := tryModel(ctx, a, with); err != nil {
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
		{Key: "llm.url", Value: ch.URL}, {Key: "llm.model", Value: ch.Model},
		{Key: "llm.provider", Value: ch.Provider}, // the last one ends up on top
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

// tryModel asks for one word. The purse pays for it, as for every request.
func tryModel(ctx context.Context, a *app.App, c *config.Config) error {
	m, err := c.Provider(ctx, os.Getenv)
	if err != nil {
		return err
	}
	patient := llm.Patient(llm.Metered(m, a.NewPurse(), c.Prices()), llm.Patience{Tries: 3})
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
