package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recall/answer"
	"recall/answer/history"
	"recall/answer/last"
	"recall/cmd/recall/app"
	"recall/cmd/recall/config"
	"recall/cmd/recall/option"
	"recall/cmd/recall/terminal"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/internal/llm/langchain"
	"recall/internal/llm/wire"
	"recall/library/disk"
	"recall/payload"
	"recall/pipeline"
	"recall/pipeline/guard"
)

func newInitCmd(a *app.App) *cobra.Command {
	var o struct{ Yes bool }
	return option.Do("init", func(fs *option.Flags) {
		fs.StringVar(new(string), "model", "", "the provider's name for the model (llm.model)")
		fs.Sets("model", "llm.model")
		fs.StringVar(new(string), "provider", "",
			"let this model make payloads: none, anthropic, openai, ollama, claude-cli")
		fs.Sets("provider", "llm.provider")
		fs.StringVar(new(string), "url", "", "address of the service (llm.url)")
		fs.Sets("url", "llm.url")
		fs.BoolVarP(&o.Yes, "yes", "y", false, "don't ask")
	}, func(ctx context.Context, _ []string) error { return runInit(ctx, a, o.Yes) })
}

func runInit(ctx context.Context, a *app.App, yes bool) error {
	c, err := a.LoadConfig()
	if err != nil {
		return err
	}
	for _, w := range disk.Warnings(c.Library.Dir) {
		fmt.Fprintln(a.Err, "recall: warning:", w)
		if !yes && !a.Confirm(ctx, "Create the library there anyway?") {
			return hint.With(errors.New("no library created"),
				"name another folder: recall init --library DIR, or library.dir in config.yaml")
		}
	}
	l, made, err := a.CreateLibrary(ctx)
	if err != nil {
		return err
	}
	verb := "Found the library"
	if made {
		verb = "Created a library"
	}
	fmt.Fprintf(a.Out, "%s in %s\n", verb, l.Dir())
	start := time.Now()
	report, err := a.Sync(ctx, pipeline.Options{})
	if err != nil {
		if report.Bytes > 0 {
			a.PrintReport(report)
		}
		return err
	}
	p := a.Pipeline()
	for _, s := range p.Places() {
		fmt.Fprintf(a.Out, "Source: %s, %s\n", s.Source, s.Folder)
	}
	if report.Found == 0 && report.Skipped() {
		a.PrintReport(report)
		return cmp.Or(modelOf(ctx, a, yes), error(app.ExitCode(app.ExitPartial)))
	}
	if report.Found == 0 {
		fmt.Fprintln(a.Out, "No sessions found. If they are elsewhere: recall sync --from FOLDER. To see recall at "+
			"work: recall demo")
		return modelOf(ctx, a, yes)
	}
	fmt.Fprintf(a.Out, "Took %s: ", terminal.Elapsed(time.Since(start)))
	a.PrintReport(report)
	if err := tryOne(ctx, a); err != nil {
		return err
	}
	if err := modelOf(ctx, a, yes); err != nil {
		return err
	}
	if c, err = config.Load(a.Flags, a.ConfigFile, config.ThisSystem()); err != nil { // with the model just chosen
		return err
	}
	a.Form("next", c.Distill.Distiller)
	if report.Skipped() {
		return app.ExitCode(app.ExitPartial)
	}
	return nil
}

// modelOf sets up the model named by a flag, or names those found here. Settings in the file for the same provider stay
// unless a flag changes them.
func modelOf(ctx context.Context, a *app.App, yes bool) error {
	given := a.Flags.Changed
	if !given("provider") {
		for _, flag := range []string{"model", "url"} {
			if given(flag) {
				return hint.With(fmt.Errorf("--%s without --provider", flag), "add the provider it belongs to: --provider %s",
					strings.Join(config.Providers[1:], ", "))
			}
		}
		if yes {
			return nil
		}
		suggestModel(ctx, a)
		return nil
	}
	o := a.Config.LLM
	ch := choice{Provider: o.Provider}
	before, err := config.Load(nil, a.ConfigFile, config.ThisSystem())
	same := err == nil && before.LLM.Provider == o.Provider // keep the file's other settings
	for _, s := range []struct {
		flag string
		to   *string
		is   string
	}{{"model", &ch.Model, o.Model}, {"url", &ch.URL, o.URL}} {
		if same || given(s.flag) {
			*s.to = s.is
		}
	}
	a.Form("leaving", goesTo(with(a.Config, ch)))
	return useModel(ctx, a, ch)
}

// tryOne asks a question that one of the latest decisions answers, in the words in which it was asked or with its
// session's title. If none of them comes first, it prints nothing.
func tryOne(ctx context.Context, a *app.App) error {
	for _, question := range history.Questions(a.Lib, 10) {
		ans, err := a.Searched(ctx, question)
		if err != nil {
			return err
		}
		if ans.Verdict != answer.Answered {
			continue
		}
		if it := ans.Results[0].Item; it != nil && it.Kind == payload.Decision {
			fmt.Fprintf(a.Out, "\n$ recall query %q\n", question)
			a.Remember(question, last.Hits(ans.Results))
			p := a.Page()
			p.Answer(&ans)
			return nil
		}
	}
	return nil
}

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
	patient := llm.Patient(llm.Metered(m, a.Purse(), c.Prices()), llm.Patience{Tries: 3})
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
