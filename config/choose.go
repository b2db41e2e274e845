package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"recall/hint"
	"recall/index/embed"
	"recall/llm"
	"recall/llm/openai"
	"recall/redact"
	"recall/sink"
)

// GoesTo says where a model's requests go, in words.
func (c *Config) GoesTo() string {
	switch c.LLM.Provider {
	case ProviderClaude:
		return "Anthropic, through the claude program"
	case ProviderOllama:
		if inCloud(c.LLM.Model) {
			return "ollama.com, through Ollama"
		}
		if c.LLM.URL == "" {
			return ""
		}
		return notHere(hostOf(c.LLM.URL))
	case ProviderRelay:
		return "whoever answers in " + c.LLM.Dir
	case NoProvider:
		return ""
	}
	return notHere(c.Host())
}

func notHere(host string) string {
	if onThisMachine(host) {
		return ""
	}
	return host
}

// Price says what a model costs, in words.
func (c *Config) Price(model string) string {
	p, known := c.Prices().Of(model)
	switch {
	case !known:
		return "price not known here, so only caps in tokens hold (llm.prices)"
	case p.In == 0 && p.Out == 0:
		return "no price a token"
	}
	return fmt.Sprintf("%s a million tokens in, %s out", Dollars(p.In), Dollars(p.Out))
}

// Choice is a model that this machine could ask, with the settings that choose it.
type Choice struct {
	Provider, Model, URL string // model and url "" for the provider's own
	Dir                  string // of relay
	Why                  string // it is offered
}

// servers are programs for models on this machine that speak OpenAI's protocol: where they listen, and the variable
// that sets another port.
var servers = []struct{ name, port, variable string }{
	{"LM Studio", "1234", ""}, {"llama.cpp", "8080", "LLAMA_ARG_PORT"},
}

// serverModel names a server's first model that talks; "" if it has none, isn't there or takes too long.
func serverModel(ctx context.Context, address string) string {
	var has struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	askHere(ctx, address, "/v1/models", nil, &has)
	for _, m := range has.Data {
		if m.ID != "" && !strings.Contains(strings.ToLower(m.ID), "embed") {
			return sink.Line(m.ID, sink.Terminal)
		}
	}
	return ""
}

// Choices are what is found here: a claude program, keys in the environment, Ollama, LM Studio, llama.cpp. Only servers
// on this machine are asked.
func Choices(ctx context.Context, env func(string) string, look func(string) (string, error)) []Choice {
	var found []Choice
	if path, err := look("claude"); err == nil {
		found = append(found, Choice{Provider: ProviderClaude,
			Why: "the program " + path + ", by your subscription"})
	}
	for _, s := range services {
		if strings.TrimSpace(env(s.variable)) != "" {
			found = append(found, Choice{Provider: s.provider, Model: s.model, URL: s.url, Why: "by " + s.variable})
		}
	}
	if model := OllamaModel(ctx, OllamaHere(env("OLLAMA_HOST")), false); model != "" {
		found = append(found, Choice{Provider: ProviderOllama, Model: model, Why: "Ollama runs here"})
	}
	for _, s := range servers {
		port := s.port
		if s.variable != "" {
			port = cmp.Or(env(s.variable), port)
		}
		address := net.JoinHostPort("127.0.0.1", port)
		if model := serverModel(ctx, address); model != "" {
			found = append(found, Choice{Provider: ProviderOpenAI, Model: model, URL: "http://" + address + "/v1",
				Why: s.name + " runs here"})
		}
	}
	return found
}

// With is the configuration as it would be with a choice.
func (c *Config) With(ch Choice) *Config {
	changed := *c
	changed.LLM.Provider, changed.LLM.Model, changed.LLM.URL, changed.LLM.Dir = ch.Provider, ch.Model, ch.URL, ch.Dir
	return &changed
}

// Name is a choice's model as it would be called, without asking anybody.
func (ch Choice) Name() string {
	return ch.Provider + "/" + cmp.Or(ch.Model, UsualModel[ch.Provider])
}

// The embedding service's key comes from one of these variables, never from a file.
const (
	envEmbedKey  = "RECALL_EMBED_KEY"
	EnvOpenAIKey = "OPENAI_API_KEY"
)

// Embedder is the configured one that keeps its vectors; nil if there is none.
func (c *Config) Embedder() (llm.Embedder, error) {
	switch c.Query.Vectors {
	case "static":
		if c.Embed.Dir == "" {
			return nil, hint.With(errors.New("query.vectors is static, and embed.dir isn't set"),
				"set embed.dir to the folder of a model2vec model")
		}
		return embed.LoadStatic(c.Embed.Dir)
	case "service":
		if c.Embed.URL == "" || c.Embed.Model == "" {
			return nil, hint.With(errors.New("query.vectors is service, and embed.url or embed.model isn't set"),
				"for Ollama: embed.url http://127.0.0.1:11434/v1, embed.model nomic-embed-text")
		}
		rules := redact.New()
		key := os.Getenv(envEmbedKey)
		if key == "" {
			key, _ = issued(hostOf(c.Embed.URL), os.Getenv)
		}
		return openai.NewEmbedder(openai.Options{URL: c.Embed.URL, Model: c.Embed.Model, Dims: c.Embed.Dims, Key: key,
			Redact: func(s string) string { return rules.Session().Text(s) }})
	}
	return nil, nil
}

// Dollars writes a sum with as many places as it needs: $12.30, $0.0042.
func Dollars(x float64) string {
	switch {
	case x == 0:
		return "$0"
	case x < 0.00005:
		return "under $0.0001"
	case x < 0.1:
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}
