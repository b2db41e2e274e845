package setup

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"

	"recall/cmd/recall/config"
	"recall/internal/escape"
	"recall/internal/llm/langchain"
	"recall/internal/llm/wire"
	txt "recall/internal/text"
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

// priceOf words what a model costs.
func priceOf(c *config.Config, model string) string {
	p, known := c.Prices().Of(model)
	switch {
	case !known:
		return "price not known, so only caps in tokens apply (llm.prices)"
	case p.In == 0 && p.Out == 0:
		return "no price per token"
	}
	return fmt.Sprintf("%s per million tokens in, %s out", txt.Dollars(p.In), txt.Dollars(p.Out))
}

// choice is a model that this machine could use, with the settings that select it.
type choice struct {
	Provider, Model, URL string // model and url "" for the provider's own
	Why                  string // why it is offered
}

// servers lists programs that run models on this machine and speak OpenAI's protocol: their port, and the variable
// that changes it.
var servers = []struct{ name, port, variable string }{
	{"LM Studio", "1234", ""}, {"llama.cpp", "8080", "LLAMA_ARG_PORT"},
}

// serverModel names a server's first chat model; "" if it has none, isn't running or is too slow.
func serverModel(ctx context.Context, address string) string {
	var has struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	wire.AskHere(ctx, address, "/v1/models", nil, &has)
	for _, m := range has.Data {
		if m.ID != "" && !strings.Contains(strings.ToLower(m.ID), "embed") {
			return escape.Line(m.ID, escape.Terminal)
		}
	}
	return ""
}

// choices returns the models found here: a claude program, keys in the environment, Ollama, LM Studio, llama.cpp. It
// queries only servers on this machine.
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
		found = append(found, choice{Provider: config.ProviderOllama, Model: model, Why: "Ollama is running here"})
	}
	for _, s := range servers {
		port := s.port
		if s.variable != "" {
			port = cmp.Or(env(s.variable), port)
		}
		address := net.JoinHostPort("127.0.0.1", port)
		if model := serverModel(ctx, address); model != "" {
			found = append(found, choice{Provider: config.ProviderOpenAI, Model: model, URL: "http://" + address + "/v1",
				Why: s.name + " is running here"})
		}
	}
	return found
}

// with returns the configuration with a choice applied.
func with(c *config.Config, ch choice) *config.Config {
	changed := *c
	changed.LLM.Provider, changed.LLM.Model, changed.LLM.URL = ch.Provider, ch.Model, ch.URL
	return &changed
}

// Name names a choice's model without asking the provider.
func (ch choice) Name() string {
	return ch.Provider + "/" + cmp.Or(ch.Model, config.UsualModel[ch.Provider])
}
