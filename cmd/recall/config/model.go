package config

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"recall/index/embed/minilm"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/internal/llm/anthropic"
	"recall/internal/llm/claudecli"
	"recall/internal/llm/langchain"
	"recall/internal/llm/openai"
	"recall/internal/llm/wire"
	"recall/internal/redact"
)

// Values of llm.provider.
const (
	NoProvider        = "none"
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderOllama    = "ollama"
	ProviderClaude    = "claude-cli"
)

var Providers = []string{NoProvider, ProviderAnthropic, ProviderOpenAI, ProviderOllama, ProviderClaude}

// Values of distill.distiller, embed.provider and query.rerank.
const (
	ByRules = "offline"
	ByModel = "model"

	EmbedBuiltin = "builtin"
	EmbedOff     = "off"

	RerankAuto  = "auto"
	RerankModel = "model"
)

// A model's key comes from a variable, never from a file. The first one is sent to any configured service, the others
// only to their issuer.
const (
	envLLMKey       = "RECALL_LLM_KEY"
	EnvAnthropicKey = "ANTHROPIC_API_KEY"
)

// UsualModel is the model asked without llm.model: the provider's smallest that does the work. Ollama's doesn't think,
// which its client can't turn off, and follows a schema that it is told; it is named where Ollama has no model yet.
var UsualModel = map[string]string{
	ProviderAnthropic: "claude-haiku-5-5",
	ProviderOpenAI:    "gpt-6-luna",
	ProviderClaude:    "haiku",
	ProviderOllama:    "qwen2.5:7b",
}

// chooseDistiller makes a configured model distill unless distill.distiller is set: one setting is enough.
func (c *Config) chooseDistiller() error {
	const key = "distill.distiller"
	chosen := c.LLM.Provider != NoProvider
	switch {
	case chosen && c.Auto(key):
		c.Distill.Distiller = ByModel
		c.origins[key] = origin{fromDefault, "as llm.provider is set"}
	case !chosen && c.Distill.Distiller == ByModel:
		return hint.With(errors.New(strings.TrimSuffix(c.place(key), ": ")+" is model, but llm.provider isn't set"),
			"set llm.provider to one of %s", strings.Join(Providers[1:], ", "))
	}
	return nil
}

// unless returns what was set for a key; if nothing was, local for a model on this machine, and said, the default, for
// others.
func unless[T any](c *Config, key string, said, local T) T {
	if c.Auto(key) && c.Local() {
		return local
	}
	return said
}

// TokenCap returns a cap on tokens, by its name below distill.budget. A local model's tokens cost only time: they are
// capped only if a cap is set.
func (c *Config) TokenCap(key string, tokens int) int {
	return unless(c, "distill.budget."+key, tokens, 0)
}

// Patience returns how the model is asked. Providers keep to the timeout themselves; the extra time is for one that
// hangs anyway.
func (c *Config) Patience() llm.Patience {
	p := llm.Patience{AtOnce: c.LLM.Concurrency}
	if t := c.Timeout(); t > 0 {
		p.Timeout = t + 10*time.Second
	}
	if c.LLM.Provider == ProviderClaude {
		// Only one claude runs at a time on this machine. It enforces its own timeout, which excludes waiting for
		// its turn.
		p.AtOnce, p.Timeout = 1, 0
	}
	return p
}

// Provider returns the configured model, which sends a request once; nil if there is none.
func (c *Config) Provider(ctx context.Context, env func(string) string) (llm.Model, error) {
	o := c.options()
	var err error
	if o.Key, err = c.key(env); err != nil {
		return nil, err
	}
	switch c.LLM.Provider {
	case NoProvider:
		return nil, nil
	case ProviderAnthropic:
		return anthropic.New(o)
	case ProviderOpenAI:
		return openai.NewChat(o)
	case ProviderOllama:
		return c.ollama(ctx)
	case ProviderClaude:
		return claudecli.New(claudecli.Options{Model: o.Model, Window: o.Window, Timeout: o.Timeout})
	}
	return nil, errors.New("llm.Provider: " + c.LLM.Provider + " isn't part of this recall")
}

// options returns a provider's options, except the key.
func (c *Config) options() llm.Options {
	o := c.LLM
	return llm.Options{URL: o.URL, Model: cmp.Or(o.Model, UsualModel[o.Provider]), Window: o.Context,
		MaxOutput: o.MaxOutput, Timeout: c.Timeout()}
}

// Timeout is how long one answer may take, longer on this machine than from a service: without a graphics card a model
// reads some 50 tokens a second.
func (c *Config) Timeout() time.Duration {
	return unless(c, "llm.timeout", c.LLM.Timeout, 15*time.Minute)
}

// Window is how many tokens of a session the model sees at once. A local model's is small.
func (c *Config) Window() int {
	return unless(c, "distill.window", c.Distill.Window, 8_000)
}

// QueryPatience is how long a model may take for one question.
func (c *Config) QueryPatience() time.Duration {
	return unless(c, "query.model_timeout", c.Query.Patience, 2*time.Minute)
}

// Local reports whether the model runs on this machine, or on one of the user's.
func (c *Config) Local() bool {
	return c.LLM.Provider == ProviderOllama && !langchain.InCloud(c.LLM.Model) ||
		c.LLM.Provider == ProviderOpenAI && wire.Here(c.Host())
}

// services lists the variables of those that have one of their own for their key, by host: no other service gets it.
var services = map[string]string{"api.anthropic.com": EnvAnthropicKey, "api.openai.com": EnvOpenAIKey,
	"openrouter.ai": "OPENROUTER_API_KEY", "generativelanguage.googleapis.com": "GEMINI_API_KEY"}

// key finds the provider's key. A service on this machine can do without one.
func (c *Config) key(env func(string) string) (string, error) {
	host := c.Host()
	if host == "" {
		return "", nil
	}
	if key := strings.TrimSpace(env(envLLMKey)); key != "" {
		return key, nil
	}
	if wire.Here(host) {
		return "", nil
	}
	variable := services[host]
	key := strings.TrimSpace(env(variable))
	if key == "" && variable != "" {
		return "", hint.With(errors.New("llm.provider is "+c.LLM.Provider+", but there is no key for "+host),
			"put the key into the environment as %s; recall stores it nowhere", variable)
	}
	return key, nil // a self-hosted service might need none; it reports if it does
}

// Host is the host that requests go to; "" if there is no HTTP service that takes keys.
func (c *Config) Host() string {
	usual := map[string]string{ProviderAnthropic: "api.anthropic.com", ProviderOpenAI: "api.openai.com"}[c.LLM.Provider]
	if usual == "" || c.LLM.URL == "" {
		return usual
	}
	return HostOf(c.LLM.URL)
}

// HostOf returns the host of an address.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Prices returns the configured prices; a service on this machine costs nothing.
func (c *Config) Prices() llm.Prices {
	list := llm.Prices(c.LLM.Prices)
	if c.LLM.Provider == ProviderOpenAI && wire.Here(c.Host()) {
		list = append(list[:len(list):len(list)], llm.Price{Model: "openai/"})
	}
	return list
}

// The embedding service's key comes from one of these variables, never from a file.
const (
	envEmbedKey  = "RECALL_EMBED_KEY"
	EnvOpenAIKey = "OPENAI_API_KEY"
)

// Embedder returns the configured embedder; nil if there is none.
func (c *Config) Embedder() (llm.Embedder, error) {
	switch c.Embed.Provider {
	case EmbedBuiltin:
		return minilm.New(), nil
	case ProviderOpenAI:
		if c.Embed.URL == "" || c.Embed.Model == "" {
			return nil, hint.With(errors.New("embed.provider is openai, but embed.url or embed.model isn't set"),
				"for Ollama: embed.url http://127.0.0.1:11434/v1, embed.model nomic-embed-text")
		}
		key := cmp.Or(os.Getenv(envEmbedKey), strings.TrimSpace(os.Getenv(services[HostOf(c.Embed.URL)])))
		return openai.NewEmbedder(openai.Options{URL: c.Embed.URL, Model: c.Embed.Model, Key: key,
			Redact: redact.Text})
	}
	return nil, nil
}

// ollama returns the configured Ollama model, else its newest one; its window is the model's context length, limited
// to what fits most machines' memory.
func (c *Config) ollama(ctx context.Context) (llm.Model, error) {
	o := c.options()
	o.URL = cmp.Or(o.URL, langchain.Usual)
	if c.LLM.Model == "" {
		o.Model = cmp.Or(langchain.Newest(ctx, o.URL), o.Model)
	}
	if o.Window == 0 {
		o.Window = min(langchain.Holds(ctx, o.URL, o.Model), ollamaMost)
	}
	return langchain.NewOllama(o)
}

// ollamaMost is the largest window requested from Ollama without llm.context: 32k tokens of an 8B model take some 5 GB.
const ollamaMost = 32_768

// WayOut returns what can be done about a model that didn't answer; "" if nothing.
func (c *Config) WayOut(err error) string {
	var fault *llm.Error
	var capped *llm.Capped
	switch {
	case hint.Of(err) != "":
		return hint.Of(err)
	case errors.As(err, &capped):
		return capHint(capped)
	case !errors.As(err, &fault):
		return ""
	}
	const asksAgain = "the next recall sync asks again"
	service, model := cmp.Or(c.Host(), c.LLM.Provider), c.options().Model
	keys := envLLMKey
	if own := services[c.Host()]; own != "" {
		keys = own + " or " + envLLMKey
	}
	ways := map[llm.Fault]string{
		llm.Unauthorized: "check the key in the environment of the process that runs recall (" + keys + ")",
		llm.NotFound:     "check llm.url, and that " + model + " (llm.model) is a model that " + service + " knows",
		llm.NoCredit:     "add credit or raise the limit at " + service + "; " + asksAgain,
		llm.RateLimited:  service + " is reachable but busy: " + asksAgain,
		llm.Overloaded:   service + " is reachable but busy: " + asksAgain,
		llm.TimedOut:     asksAgain + "; llm.timeout sets how long an answer may take",
		llm.Unreachable:  "check the network and llm.url; " + asksAgain,
		llm.TooLong: "llm.context sets how many tokens the model holds; a smaller distill.window asks about less at " +
			"a time",
	}
	switch c.LLM.Provider {
	case ProviderClaude:
		ways[llm.Unauthorized] = "run claude once on its own, and log in"
		ways[llm.NotFound] = "install Claude Code and log in, or name a model that it knows (llm.model)"
	case ProviderOllama:
		ways[llm.Unauthorized] = "check llm.url: Ollama itself needs no key"
		ways[llm.NotFound] = "ollama pull " + model + ", or name an installed one (llm.model; ollama list shows them)"
		ways[llm.Unreachable] = "start Ollama (ollama serve), or set llm.url to its address; " + asksAgain
	}
	return cmp.Or(ways[fault.Fault], "another model might do better (llm.model); this one is asked again at growing "+
		"intervals")
}

// capHint names the setting that sets a cap.
func capHint(capped *llm.Capped) string {
	unit := "tokens"
	if strings.HasPrefix(capped.Limit, "$") {
		unit = "cost"
	}
	return "distill.budget." + capped.Cap + "_" + unit + map[string]string{
		"night":   " in config.yaml raises it; the rest is asked about after the next noon",
		"month":   " in config.yaml raises it; the rest is asked about next month",
		"session": " in config.yaml raises it; recall redistill SESSION ignores it",
	}[capped.Cap]
}
