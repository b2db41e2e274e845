package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/internal/llm/langchain"
	"recall/internal/llm/wire"
	"recall/pipeline/guard"
)

// suggestModel tells a person at a terminal how the models found here are chosen, and where data would go.
func suggestModel(ctx context.Context, a *app.App) {
	found := choices(ctx, os.Getenv, exec.LookPath)
	if !a.Config.Auto("llm.provider") || !terminal.IsTerminal(a.Out) || guard.IsDemo(a.Lib.Dir()) || len(found) == 0 {
		return
	}
	fmt.Fprint(a.Out, suggestion)
	for _, ch := range found {
		where := "stays on this machine"
		if to := goesTo(with(a.Config, ch)); to != "" {
			where = "goes to " + to
		}
		fmt.Fprintf(a.Out, "  %s\n      %s; %s\n", ch.command(), ch.Why, where)
	}
}

// suggestion is what stands above the models found.
const suggestion = `
Payloads are made by rules, and nothing leaves this machine. A model finds more of what was decided, and words it.
These are here, each chosen by its line; recall sync --dry-run then says what asking it would cost:
`

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

// goesTo words where a model's requests go; "" for nowhere.
func goesTo(c *config.Config) string {
	switch c.LLM.Provider {
	case config.ProviderClaude:
		return "Anthropic, through the claude program"
	case config.ProviderOllama:
		if langchain.InCloud(c.LLM.Model) {
			return "ollama.com, through Ollama"
		}
		if c.LLM.URL == "" {
			return ""
		}
		return notHere(config.HostOf(c.LLM.URL))
	case config.NoProvider:
		return ""
	}
	return notHere(c.Host())
}

func notHere(host string) string {
	if wire.Here(host) {
		return ""
	}
	return host
}

// choice is a model that this machine could use, with the settings that select it.
type choice struct {
	Provider, Model, URL string // model and url "" for the provider's own
	Why                  string // why it is offered
}

// choices returns the models found here: a claude program, keys in the environment, Ollama's on this machine.
func choices(ctx context.Context, env func(string) string, look func(string) (string, error)) []choice {
	var found []choice
	if path, err := look("claude"); err == nil {
		found = append(found, choice{Provider: config.ProviderClaude,
			Why: "the program " + path + ", with your subscription"})
	}
	for _, s := range config.Services {
		if strings.TrimSpace(env(s.Variable)) != "" {
			found = append(found, choice{Provider: s.Provider, Model: s.Model, URL: s.URL, Why: "with " + s.Variable})
		}
	}
	if model := langchain.Newest(ctx, langchain.Here(env("OLLAMA_HOST"))); model != "" {
		found = append(found, choice{Provider: config.ProviderOllama, Why: "Ollama is running here, with " + model})
	}
	return found
}

// with returns the configuration with a choice applied.
func with(c *config.Config, ch choice) *config.Config {
	changed := *c
	changed.LLM.Provider, changed.LLM.Model, changed.LLM.URL = ch.Provider, ch.Model, ch.URL
	return &changed
}

// command returns the line that chooses it.
func (ch choice) command() string {
	line := "recall init --provider " + ch.Provider
	if ch.URL != "" {
		line += " --url " + ch.URL
	}
	if ch.Model != "" {
		line += " --model " + ch.Model
	}
	return line
}
