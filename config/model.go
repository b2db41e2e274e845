package config

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"recall/hint"
	"recall/llm"
	"recall/llm/anthropic"
	"recall/llm/claudecli"
	"recall/llm/openai"
	"recall/llm/relay"
	"recall/llm/wire"
	"recall/pipeline/improve"
)

// What llm.provider may be.
const (
	NoProvider        = "none"
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderOllama    = "ollama"
	ProviderClaude    = "claude-cli"
	ProviderRelay     = "relay"
)

var Providers = []string{NoProvider, ProviderAnthropic, ProviderOpenAI, ProviderOllama, ProviderClaude, ProviderRelay}

// What distill.distiller, team.answers and query.rerank may be.
const (
	ByRules = "offline"
	ByModel = "model"

	TeamOff  = "off"
	TeamOnly = "only"

	RerankAuto  = "auto"
	RerankModel = "model"
)

// A model's key comes from a variable, never a file. The first goes to any configured service, each other only to its
// issuer.
const (
	envLLMKey       = "RECALL_LLM_KEY"
	EnvAnthropicKey = "ANTHROPIC_API_KEY"
)

// UsualModel is what a provider is asked for without llm.model: a maker's smallest that does the work.
var UsualModel = map[string]string{
	ProviderAnthropic: "claude-haiku-5-5",
	ProviderOpenAI:    "gpt-6-luna",
	ProviderClaude:    "haiku",
	ProviderOllama:    "qwen3:8b",
}

// chooseDistiller has a chosen model distill unless something else is said: one line is enough.
func (c *Config) chooseDistiller() error {
	const key = "distill.distiller"
	chosen := c.LLM.Provider != NoProvider
	switch {
	case chosen && c.Auto(key):
		c.Distill.Distiller = ByModel
		c.values.Set(key, ByModel)
		c.origins[key] = origin{fromDefault, "as llm.provider is set"}
	case !chosen && c.Distill.Distiller == ByModel:
		return hint.With(errors.New(strings.TrimPrefix(c.origins[key].where+": ", ": ")+key+
			" is model, and llm.provider isn't set"),
			"set llm.provider to one of %s; recall init helps to choose", strings.Join(Providers[1:], ", "))
	}
	return nil
}

// unless is what somebody said of a key; else relay for who answers by hand, local for a model here, the default for
// others.
func unless[T any](c *Config, key string, said, relay, local T) T {
	switch {
	case !c.Auto(key):
	case c.LLM.Provider == ProviderRelay:
		return relay
	case c.Local():
		return local
	}
	return said
}

// Caps are what asking may take. A local model's tokens cost time only: they are capped where somebody says so.
func (c *Config) Caps() improve.Caps {
	b := c.Distill.Budget
	tokens := func(key string, n int) int { return unless(c, "distill.budget."+key, n, n, 0) }
	return improve.Caps{
		Session: improve.Cap{Tokens: tokens("session_tokens", b.SessionTokens), Cost: b.SessionCost},
		Night:   improve.Cap{Tokens: tokens("night_tokens", b.NightTokens), Cost: b.NightCost},
		Month:   improve.Cap{Tokens: tokens("month_tokens", b.MonthTokens), Cost: b.MonthCost},
	}
}

// Patience is how the model is asked. Providers keep to the timeout; what is above it is for one that hangs all the
// same.
func (c *Config) Patience() llm.Patience {
	p := llm.Patience{AtOnce: unless(c, "llm.concurrency", c.LLM.Concurrency, 64, c.LLM.Concurrency)}
	if t := c.Timeout(); t > 0 {
		p.Timeout = t + 10*time.Second
	}
	if c.LLM.Provider == ProviderClaude {
		// One program runs at a time, of all recalls here. It keeps to its time itself, which waiting for its turn is
		// no part of.
		p.AtOnce, p.Timeout = 1, 0
	}
	return p
}

// Provider is the configured model, which sends a request once; nil if there is none.
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
		return c.ollama(ctx, env)
	case ProviderClaude:
		return claudecli.New(claudecli.Options{Model: o.Model, Window: o.Window, Timeout: o.Timeout})
	case ProviderRelay:
		if o.Folder == "" {
			return nil, hint.With(errors.New("llm.provider is relay, and llm.dir isn't set"),
				"set llm.dir to the folder of requests and answers")
		}
		return relay.New(o)
	}
	return nil, errors.New("llm.provider: " + c.LLM.Provider + " isn't part of this recall")
}

// options are what a provider is told, but for the key.
func (c *Config) options() llm.Options {
	o := c.LLM
	return llm.Options{URL: o.URL, Folder: o.Dir, Model: cmp.Or(o.Model, UsualModel[o.Provider]), Window: o.Context,
		MaxOutput: o.MaxOutput, Timeout: c.Timeout()}
}

// Timeout is how long one answer may take: by hand any time, and on this machine more than from a service: without a
// graphics card it reads some 50 tokens a second.
func (c *Config) Timeout() time.Duration {
	return unless(c, "llm.timeout", c.LLM.Timeout, 0, 15*time.Minute)
}

// LooksAgain reports whether the model looks at what a search found without being told to each time: one that sessions
// are shown to already. Who answers by hand, only where somebody says so.
func (c *Config) LooksAgain() bool {
	if c.Query.Rerank == RerankAuto {
		return c.Distill.Distiller == ByModel && c.LLM.Provider != ProviderRelay
	}
	return c.Query.Rerank == RerankModel
}

// Window is how many tokens of a session the model sees at once. A local one is small: it is asked about less.
func (c *Config) Window() int {
	return unless(c, "distill.window", c.Distill.Window, c.Distill.Window, 8_000)
}

// QueryPatience is how long a model may take for one question.
func (c *Config) QueryPatience() time.Duration {
	return unless(c, "query.model_timeout", c.Query.Patience, 10*time.Minute, 2*time.Minute)
}

// TakesBatches reports whether a service that speaks OpenAI's protocol speaks that of batches, too.
func (c *Config) TakesBatches() bool {
	host := c.Host()
	return c.LLM.Provider != ProviderOpenAI || host == "api.openai.com" || host == "api.groq.com" || wire.Here(host)
}

// Local reports whether the model runs on this machine, or on one of the user's.
func (c *Config) Local() bool {
	return c.LLM.Provider == ProviderOllama && !inCloud(c.LLM.Model) ||
		c.LLM.Provider == ProviderOpenAI && wire.Here(c.Host())
}

// services have a variable of their own for their key, and no other gets it. Others' that speak OpenAI's protocol are
// chosen by address and model.
var services = []struct{ host, variable, provider, url, model string }{
	{host: "api.anthropic.com", variable: EnvAnthropicKey, provider: ProviderAnthropic},
	{host: "api.openai.com", variable: EnvOpenAIKey, provider: ProviderOpenAI},
	{host: "openrouter.ai", variable: "OPENROUTER_API_KEY", provider: ProviderOpenAI,
		url: "https://openrouter.ai/api/v1", model: "anthropic/claude-haiku-5.5"},
	{host: "generativelanguage.googleapis.com", variable: "GEMINI_API_KEY", provider: ProviderOpenAI,
		url: "https://generativelanguage.googleapis.com/v1beta/openai", model: "gemini-2.5-flash-lite"},
}

// key finds the provider's key. A service on this machine may do without one.
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
	key, variable := issued(host, env)
	if key == "" && variable != "" {
		return "", hint.With(errors.New("llm.provider is "+c.LLM.Provider+", and there is no key for "+host),
			"put the key into the environment as %s; recall keeps it nowhere", variable)
	}
	return key, nil // a service of one's own may want none; if it does, it says so
}

// issued is a service's key from the variable that is its own, "" for one that has none.
func issued(host string, env func(string) string) (key, variable string) {
	for _, s := range services {
		if s.host == host {
			return strings.TrimSpace(env(s.variable)), s.variable
		}
	}
	return "", ""
}

// Host is where requests go to; "" if to no service by HTTP that takes keys.
func (c *Config) Host() string {
	usual := map[string]string{ProviderAnthropic: "api.anthropic.com", ProviderOpenAI: "api.openai.com"}[c.LLM.Provider]
	if usual == "" || c.LLM.URL == "" {
		return usual
	}
	return hostOf(c.LLM.URL)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Prices are those of the configuration; a service on this machine costs nothing.
func (c *Config) Prices() llm.Prices {
	list := llm.Prices(c.LLM.Prices)
	if c.LLM.Provider == ProviderOpenAI && wire.Here(c.Host()) {
		list = append(list[:len(list):len(list)], llm.Price{Model: "openai/"})
	}
	return list
}
