package setup

import (
	"context"
	"strings"

	"recall/cmd/recall/config"
	"recall/internal/llm/langchain"
	"recall/internal/llm/wire"
)

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
