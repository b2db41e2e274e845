package main

import (
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"recall/distill/model"
	"recall/library"
	"recall/llm"
	"recall/llm/anthropic"
	"recall/llm/claudecli"
	"recall/llm/openai"
	"recall/llm/relay"
	"recall/llm/replay"
	"recall/pipeline"
)

// What llm.provider may be.
const (
	noProvider        = "none"
	providerOpenAI    = "openai"
	providerAnthropic = "anthropic"
	providerOllama    = "ollama"
	providerClaude    = "claude-cli"
	providerRelay     = "relay"
	providerReplay    = "replay"
)

var providers = []string{noProvider, providerAnthropic, providerOpenAI, providerOllama, providerClaude, providerRelay, providerReplay}

// What distill.distiller may be.
const (
	byRules = "offline"
	byModel = "model"
)

// A model's key comes from a variable, never from a file. The first goes to
// whatever service is configured; each of the others only to who issues it.
const (
	envLLMKey       = "RECALL_LLM_KEY"
	envAnthropicKey = "ANTHROPIC_API_KEY"
)

// usualModel is what a provider is asked for where llm.model isn't set: the
// smallest of a maker's models that does the work.
var usualModel = map[string]string{
	providerAnthropic: "claude-haiku-5-5",
	providerOpenAI:    "gpt-6-luna",
	providerClaude:    "haiku",
	providerOllama:    "qwen3:8b",
}

// chooseDistiller has a chosen model distill unless something else is said: one
// line is enough.
func (c *Config) chooseDistiller() error {
	const key = "distill.distiller"
	chosen := c.LLM.Provider != noProvider
	switch {
	case chosen && c.Auto(key):
		c.Distill.Distiller = byModel
		c.origins[key] = origin{fromDefault, "as llm.provider is set"}
	case !chosen && c.Distill.Distiller == byModel:
		return withHint(errors.New(strings.TrimPrefix(c.origins[key].where+": ", ": ")+key+" is model, and llm.provider isn't set"),
			"set llm.provider to one of %s; recall init helps to choose", strings.Join(providers[1:], ", "))
	}
	return nil
}

// asking is a model that may be asked, and what pays for it.
type asking struct {
	plain  llm.Model // sends a request once
	prices llm.Prices
	purse  *pipeline.Purse // nil until something is paid
}

// asking is the configured model; nil if there is none. Nothing is sent yet.
func (a *app) asking(ctx context.Context) (*asking, error) {
	if a.asked != nil {
		return a.asked, nil
	}
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	m, err := c.provider(ctx, os.Getenv)
	if err != nil || m == nil {
		return nil, err
	}
	a.asked = &asking{plain: m, prices: c.prices()}
	return a.asked, nil
}

// paidModel is the configured model, asked patiently, each request paid from
// the library's purse; nil if there is none.
func (a *app) paidModel(ctx context.Context, l *library.Library) (llm.Model, error) {
	m, err := a.asking(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	return llm.Patient(llm.Metered(m.plain, a.purse(l), m.prices), a.cfg.patience()), nil
}

// purse pays for all that this run asks: one, so that each request sees what
// the others took.
func (a *app) purse(l *library.Library) *pipeline.Purse {
	if a.asked.purse == nil {
		a.asked.purse = a.newPurse(l)
	}
	return a.asked.purse
}

func (a *app) newPurse(l *library.Library) *pipeline.Purse {
	return pipeline.NewPurse(l, a.cfg.caps(), nil)
}

// improver asks the configured model about sessions; nil where rules alone
// distill. Its error, such as a key that is missing, is none for whoever takes
// sessions in: rules have distilled them by then.
func (a *app) improver(ctx context.Context, l *library.Library, anew bool) (*model.Improver, error) {
	c, err := a.config()
	if err != nil || c.Distill.Distiller != byModel {
		return nil, err
	}
	m, err := a.paidModel(ctx, l)
	if m == nil || err != nil {
		return nil, err
	}
	_, batches := m.(llm.Batcher)
	if c.Distill.Batch && batches && !anew && !c.takesBatches() {
		return nil, withHint(errors.New("distill.batch is true, and "+c.host()+" isn't known to take batches"), "set distill.batch to false: it is asked at once then, at the full price")
	}
	return model.New(model.Options{Model: m, Store: l, Window: c.Distill.Window, Max: c.LLM.MaxOutput, Batch: c.Distill.Batch && batches && !anew, Anew: anew}), nil
}

// caps are what asking may take. Tokens of a model on this machine cost time
// only: they are capped where somebody says so.
func (c *Config) caps() pipeline.Caps {
	b := c.Distill.Budget
	if c.local() {
		for key, tokens := range map[string]*int{"session_tokens": &b.SessionTokens, "night_tokens": &b.NightTokens, "month_tokens": &b.MonthTokens} {
			if c.Auto("distill.budget." + key) {
				*tokens = 0
			}
		}
	}
	return pipeline.Caps{Session: pipeline.Cap{Tokens: b.SessionTokens, Cost: b.SessionCost},
		Night: pipeline.Cap{Tokens: b.NightTokens, Cost: b.NightCost}, Month: pipeline.Cap{Tokens: b.MonthTokens, Cost: b.MonthCost}}
}

// patience is how the configured model is asked. Providers keep to the timeout
// themselves; what is above it is for one that hangs all the same.
func (c *Config) patience() llm.Patience {
	p := llm.Patience{AtOnce: c.LLM.Concurrency}
	if t := c.timeout(); t > 0 {
		p.Timeout = t + 10*time.Second
	}
	switch {
	case c.LLM.Provider == providerRelay && c.Auto("llm.concurrency"):
		p.AtOnce = 64
	case c.LLM.Provider == providerClaude:
		// One program runs at a time, of all recalls on this machine. It keeps to
		// its time itself, and waiting for its turn is none of it.
		p.AtOnce, p.Timeout = 1, 0
	}
	return p
}

// provider is the configured model, which sends a request once; nil if there
// is none.
func (c *Config) provider(ctx context.Context, env func(string) string) (llm.Model, error) {
	o := c.LLM
	o.Timeout = c.timeout()
	if o.Model == "" {
		o.Model = usualModel[o.Provider]
	}
	key, err := c.key(env)
	if err != nil {
		return nil, err
	}
	switch o.Provider {
	case noProvider:
		return nil, nil
	case providerAnthropic:
		return anthropic.New(anthropic.Options{URL: o.URL, Key: key, Model: o.Model, Window: o.Context, MaxOutput: o.MaxOutput, Timeout: o.Timeout})
	case providerOpenAI:
		return openai.NewChat(openai.ChatOptions{URL: o.URL, Key: key, Model: o.Model, Window: o.Context, MaxOutput: o.MaxOutput, Timeout: o.Timeout})
	case providerOllama:
		return c.ollama(ctx, env)
	case providerClaude:
		return claudecli.New(claudecli.Options{Model: o.Model, Window: o.Context, Timeout: o.Timeout})
	case providerRelay, providerReplay:
		if o.Dir == "" {
			return nil, withHint(errors.New("llm.provider is "+o.Provider+", and llm.dir isn't set"), "set llm.dir to the folder of requests and answers")
		}
		if o.Provider == providerReplay {
			return replay.New(replay.Options{Folder: o.Dir, Model: o.Model, Window: o.Context})
		}
		return relay.New(relay.Options{Folder: o.Dir, Model: o.Model, Window: o.Context, Timeout: o.Timeout})
	}
	return nil, errors.New("llm.provider: " + o.Provider + " isn't part of this recall")
}

// timeout is how long one answer may take. Unless somebody has said so, whoever
// answers by hand takes their time, and a model on this machine more than one
// of a service: without a graphics card it reads some 50 tokens a second.
func (c *Config) timeout() time.Duration {
	if !c.Auto("llm.timeout") {
		return c.LLM.Timeout
	}
	switch {
	case c.LLM.Provider == providerRelay:
		return 0
	case c.local():
		return 15 * time.Minute
	}
	return c.LLM.Timeout
}

// takesBatches reports whether a service that speaks OpenAI's protocol speaks that
// of batches, too.
func (c *Config) takesBatches() bool {
	host := c.host()
	return c.LLM.Provider != providerOpenAI || host == "api.openai.com" || host == "api.groq.com" || onThisMachine(host)
}

// local reports whether the model runs on this machine, or on one of the user's.
func (c *Config) local() bool {
	return c.LLM.Provider == providerOllama && !inCloud(c.LLM.Model) || c.LLM.Provider == providerOpenAI && onThisMachine(c.host())
}

// issuers are the services that have a variable of their own for their key,
// and no other gets it.
var issuers = []struct{ host, variable string }{
	{"api.anthropic.com", envAnthropicKey},
	{"api.openai.com", envOpenAIKey},
	{"openrouter.ai", "OPENROUTER_API_KEY"},
	{"generativelanguage.googleapis.com", "GEMINI_API_KEY"},
}

// key finds the provider's key. A service on this machine may do without one.
func (c *Config) key(env func(string) string) (string, error) {
	host := c.host()
	if host == "" {
		return "", nil
	}
	if key := strings.TrimSpace(env(envLLMKey)); key != "" {
		return key, nil
	}
	if onThisMachine(host) {
		return "", nil
	}
	key, variable := issued(host, env)
	if key == "" && variable != "" {
		return "", withHint(errors.New("llm.provider is "+c.LLM.Provider+", and there is no key for "+host), "put the key into the environment as %s; recall keeps it nowhere", variable)
	}
	return key, nil // a service of one's own may want none; if it does, it says so
}

// issued is the key that a service issued, from the variable that is the
// service's own; variable is "" for a service that has none.
func issued(host string, env func(string) string) (key, variable string) {
	for _, i := range issuers {
		if i.host == host {
			return strings.TrimSpace(env(i.variable)), i.variable
		}
	}
	return "", ""
}

// host is where requests go to; "" if to no service by HTTP that takes keys.
func (c *Config) host() string {
	address := c.LLM.URL
	switch c.LLM.Provider {
	case providerAnthropic:
		if address == "" {
			return "api.anthropic.com"
		}
	case providerOpenAI:
		if address == "" {
			return "api.openai.com"
		}
	default:
		return ""
	}
	return hostOf(address)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// prices are those of the configuration; a service on this machine costs
// nothing.
func (c *Config) prices() llm.Prices {
	list := llm.Prices(c.LLM.Prices)
	if c.LLM.Provider == providerOpenAI && onThisMachine(c.host()) {
		list = append(list[:len(list):len(list)], llm.Price{Model: "openai/"})
	}
	return list
}
