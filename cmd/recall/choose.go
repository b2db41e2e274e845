package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"recall/library"
	"recall/llm"
)

// choice is a model that this machine could ask, with the settings that choose
// it.
type choice struct {
	provider, model, url string // model and url "" for the provider's own
	dir                  string // of relay and replay
	why                  string // it is offered
}

// gateways are the services of others that speak OpenAI's protocol, by the
// variable that holds their key.
var gateways = []struct{ variable, url, model string }{
	{"OPENROUTER_API_KEY", "https://openrouter.ai/api/v1", "anthropic/claude-haiku-5.5"},
	{"GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.5-flash-lite"},
}

// choices are what is found here: a claude program, keys in the environment,
// Ollama. Nobody but Ollama on this machine is asked for it.
func choices(ctx context.Context, env func(string) string, look func(string) (string, error)) []choice {
	var found []choice
	if path, err := look("claude"); err == nil {
		found = append(found, choice{provider: providerClaude, why: "the program " + path + ", by your subscription"})
	}
	for _, k := range []struct{ variable, provider string }{{envAnthropicKey, providerAnthropic}, {envOpenAIKey, providerOpenAI}} {
		if strings.TrimSpace(env(k.variable)) != "" {
			found = append(found, choice{provider: k.provider, why: "by " + k.variable})
		}
	}
	for _, g := range gateways {
		if strings.TrimSpace(env(g.variable)) != "" {
			found = append(found, choice{provider: providerOpenAI, model: g.model, url: g.url, why: "by " + g.variable})
		}
	}
	if model := ollamaChatter(ctx, ollamaHere(env("OLLAMA_HOST"))); model != "" {
		found = append(found, choice{provider: providerOllama, model: model, why: "Ollama runs here"})
	}
	return found
}

// with is the configuration as it would be with a choice.
func (c *Config) with(ch choice) *Config {
	changed := *c
	changed.LLM.Provider, changed.LLM.Model, changed.LLM.URL, changed.LLM.Dir = ch.provider, ch.model, ch.url, ch.dir
	return &changed
}

// name is a choice's model as it would be called, without asking anybody.
func (ch choice) name() string {
	model := ch.model
	if model == "" {
		model = usualModel[ch.provider]
	}
	return ch.provider + "/" + model
}

// goesTo says where a model's requests go, in words.
func (c *Config) goesTo() string {
	switch c.LLM.Provider {
	case providerClaude:
		return "Anthropic, through the claude program"
	case providerOllama:
		if inCloud(c.LLM.Model) {
			return "ollama.com, through Ollama"
		}
		if c.LLM.URL == "" {
			return ""
		}
		return notHere(hostOf(c.LLM.URL))
	case providerRelay:
		return "whoever answers in " + c.LLM.Dir
	case providerReplay, noProvider:
		return ""
	}
	return notHere(c.host())
}

func notHere(host string) string {
	if onThisMachine(host) {
		return ""
	}
	return host
}

// price says what a model costs, in words.
func (c *Config) price(model string) string {
	p, known := c.prices().Of(model)
	switch {
	case !known:
		return "price not known here, so only caps in tokens hold (llm.prices)"
	case p.In == 0 && p.Out == 0:
		return "no price a token"
	}
	return fmt.Sprintf("%s a million tokens in, %s out", dollars(p.In), dollars(p.Out))
}

// chooseModel asks on a terminal which model makes payloads, unless one is
// configured; without an answer rules go on doing it.
func (a *app) chooseModel(ctx context.Context, l *library.Library) error {
	if !a.cfg.Auto("llm.provider") || !isTerminal(a.out) {
		return nil
	}
	found := choices(ctx, os.Getenv, exec.LookPath)
	if len(found) == 0 {
		return nil
	}
	fmt.Fprint(a.out, "\nPayloads are made by rules now, and nothing leaves this machine. A model makes better ones:\n")
	fmt.Fprintf(a.out, "  1  rules, as now\n")
	for i, ch := range found {
		with := a.cfg.with(ch)
		where := "stays on this machine"
		if to := with.goesTo(); to != "" {
			where = "goes to " + to
		}
		fmt.Fprintf(a.out, "  %d  %s (%s): %s; %s\n", i+2, ch.name(), ch.why, where, with.price(ch.name()))
	}
	fmt.Fprint(a.out, "Which? [1] ")
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || n < 2 || n > len(found)+1 {
		fmt.Fprintln(a.out, "Rules, then. Another time: recall init, or llm.provider in config.yaml.")
		return nil
	}
	if err := a.useModel(ctx, l, found[n-2]); err != nil {
		fmt.Fprintf(a.err, "recall: %v\nrecall: hint: %s\nRules go on making payloads; when this is mended, run recall init again.\n", err, hintOf(err))
	}
	return nil
}

// useModel tries a choice with one tiny request, says what will leave this
// machine, and writes it into config.yaml.
func (a *app) useModel(ctx context.Context, l *library.Library, ch choice) error {
	with := a.cfg.with(ch)
	a.printLeaving(with)
	switch ch.provider {
	case noProvider:
	case providerRelay, providerReplay: // nobody may be there yet
		if _, err := with.provider(ctx, os.Getenv); err != nil {
			return err
		}
	default:
		if err := a.tryModel(ctx, l, with); err != nil {
			return withHint(fmt.Errorf("not used: %w", err), "%s", with.wayIn(err))
		}
	}
	at := thisSystem()
	file, err := a.cfg.ownConfig(at)
	if err != nil {
		return err
	}
	// What the one before had beside it isn't this one's.
	settings := []written{
		{key: "llm.dir", value: ch.dir}, {key: "llm.url", value: ch.url},
		{key: "llm.model", value: ch.model}, {key: "llm.provider", value: ch.provider}, // the last is on top
	}
	if err := writeConfig(file, settings, at); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Wrote llm.provider: %s to %s\n", ch.provider, file)
	if ch.provider == noProvider {
		return nil
	}
	fmt.Fprintf(a.out, "recall sync asks it from now on; recall sync --dry-run tells first what that takes. At most $%g a night and $%g a month (distill.budget).\n", a.cfg.Distill.Budget.NightCost, a.cfg.Distill.Budget.MonthCost)
	return nil
}

func (a *app) printLeaving(c *Config) {
	to := c.goesTo()
	if to == "" {
		fmt.Fprintln(a.out, "Nothing leaves this machine.")
		return
	}
	fmt.Fprintf(a.out, `To %s go: what you and the assistant said in sessions that are new or grew, plans, what tools were
called with and the ends of what they put out. Secrets that recall knows by their form are taken out first. Not: the
transcripts themselves, files, images, sessions that say too little.
`, to)
}

// tryModel asks for one word. It is paid from the purse as everything else.
func (a *app) tryModel(ctx context.Context, l *library.Library, c *Config) error {
	m, err := c.provider(ctx, os.Getenv)
	if err != nil {
		return err
	}
	patient := llm.Patient(llm.Metered(m, a.newPurse(l), c.prices()), llm.Patience{Tries: 3})
	ctx, cancel := context.WithTimeout(ctx, min(c.timeout(), 2*time.Minute))
	defer cancel()
	start := time.Now()
	_, err = patient.Complete(ctx, llm.Request{Task: "test", Prompt: "Answer with the one word yes.", Max: 500})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s answers, in %s.\n", m.Name(), elapsed(time.Since(start)))
	return nil
}
