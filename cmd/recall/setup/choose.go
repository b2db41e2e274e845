package setup

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
	"recall/config"
	"recall/hint"
	"recall/library"
	"recall/llm"
)

// chooseModel asks on a terminal which model makes payloads, unless one is
// configured; without an answer rules go on doing it.
func chooseModel(ctx context.Context, a *app.App, l *library.Library) error {
	if !a.Config.Auto("llm.provider") || !terminal.IsTerminal(a.Out) {
		return nil
	}
	found := config.Choices(ctx, os.Getenv, exec.LookPath)
	if len(found) == 0 {
		return nil
	}
	fmt.Fprint(a.Out, "\nPayloads are made by rules now, and nothing leaves this machine. A model makes better ones:\n")
	fmt.Fprintf(a.Out, "  1  rules, as now\n")
	for i, ch := range found {
		with := a.Config.With(ch)
		where := "stays on this machine"
		if to := with.GoesTo(); to != "" {
			where = "goes to " + to
		}
		fmt.Fprintf(a.Out, "  %d  %s (%s): %s; %s\n", i+2, ch.Name(), ch.Why, where, with.Price(ch.Name()))
	}
	fmt.Fprint(a.Out, "Which? [1] ")
	line, _ := bufio.NewReader(a.In).ReadString('\n')
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || n < 2 || n > len(found)+1 {
		fmt.Fprintln(a.Out, "Rules, then. Another time: recall init, or llm.provider in config.yaml.")
		return nil
	}
	if err := useModel(ctx, a, l, found[n-2]); err != nil {
		fmt.Fprintf(a.Err, "recall: %v\nrecall: hint: %s\nRules go on making payloads; when this is mended, run recall "+
			"init again.\n", err, hint.Of(err))
	}
	return nil
}

// useModel tries a choice with one tiny request, says what will leave this
// machine, and writes it into config.yaml.
func useModel(ctx context.Context, a *app.App, l *library.Library, ch config.Choice) error {
	with := a.Config.With(ch)
	printLeaving(a, with)
	switch ch.Provider {
	case config.NoProvider:
	case config.ProviderRelay, config.ProviderReplay: // nobody may be there yet
		if _, err := with.Provider(ctx, os.Getenv); err != nil {
			return err
		}
	default:
		if err := tryModel(ctx, a, l, with); err != nil {
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

func printLeaving(a *app.App, c *config.Config) {
	to := c.GoesTo()
	if to == "" {
		fmt.Fprintln(a.Out, "Nothing leaves this machine.")
		return
	}
	fmt.Fprintf(a.Out, `To %s go: what you and the assistant said in sessions that are new or grew, plans, what tools were
called with and the ends of what they put out; your questions, with what was found for them (query.rerank: off keeps
those here). Secrets that recall knows by their form are taken out first. Not: the transcripts themselves, files,
images, sessions that say too little.
`, to)
}

// tryModel asks for one word. It is paid from the purse as everything else.
func tryModel(ctx context.Context, a *app.App, l *library.Library, c *config.Config) error {
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
