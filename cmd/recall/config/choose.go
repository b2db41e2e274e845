package config

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"recall/index/embed"
	"recall/internal/escape"
	"recall/internal/hint"
	"recall/internal/llm"
	"recall/internal/llm/langchain"
	"recall/internal/llm/openai"
	"recall/internal/llm/wire"
	"recall/internal/redact"
	txt "recall/internal/text"
)

// GoesTo words where a model's requests go; "" for nowhere.
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
	case NoProvider:
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

// Price words what a model costs.
func (c *Config) Price(model string) string {
	p, known := c.Prices().Of(model)
	switch {
	case !known:
		return "price not known, so only caps in tokens apply (llm.prices)"
	case p.In == 0 && p.Out == 0:
		return "no price per token"
	}
	return fmt.Sprintf("%s per million tokens in, %s out", txt.Dollars(p.In), txt.Dollars(p.Out))
}

// Choice is a model that this machine could use, with the settings that select it.
type Choice struct {
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
	askHere(ctx, address, "/v1/models", nil, &has)
	for _, m := range has.Data {
		if m.ID != "" && !strings.Contains(strings.ToLower(m.ID), "embed") {
			return escape.Line(m.ID, escape.Terminal)
		}
	}
	return ""
}

// Choices returns the models found here: a claude program, keys in the environment, Ollama, LM Studio, llama.cpp. It
// queries only servers on this machine.
func Choices(ctx context.Context, env func(string) string, look func(string) (string, error)) []Choice {
	var found []Choice
	if path, err := look("claude"); err == nil {
		found = append(found, Choice{Provider: ProviderClaude,
			Why: "the program " + path + ", with your subscription"})
	}
	for _, s := range services {
		if strings.TrimSpace(env(s.variable)) != "" {
			found = append(found, Choice{Provider: s.provider, Model: s.model, URL: s.url, Why: "with " + s.variable})
		}
	}
	if model := OllamaModel(ctx, OllamaHere(env("OLLAMA_HOST"))); model != "" {
		found = append(found, Choice{Provider: ProviderOllama, Model: model, Why: "Ollama is running here"})
	}
	for _, s := range servers {
		port := s.port
		if s.variable != "" {
			port = cmp.Or(env(s.variable), port)
		}
		address := net.JoinHostPort("127.0.0.1", port)
		if model := serverModel(ctx, address); model != "" {
			found = append(found, Choice{Provider: ProviderOpenAI, Model: model, URL: "http://" + address + "/v1",
				Why: s.name + " is running here"})
		}
	}
	return found
}

// With returns the configuration with a choice applied.
func (c *Config) With(ch Choice) *Config {
	changed := *c
	changed.LLM.Provider, changed.LLM.Model, changed.LLM.URL = ch.Provider, ch.Model, ch.URL
	return &changed
}

// Name names a choice's model without asking the provider.
func (ch Choice) Name() string {
	return ch.Provider + "/" + cmp.Or(ch.Model, UsualModel[ch.Provider])
}

// The embedding service's key comes from one of these variables, never from a file.
const (
	envEmbedKey  = "RECALL_EMBED_KEY"
	EnvOpenAIKey = "OPENAI_API_KEY"
)

// Embedder returns the configured embedder, which keeps its vectors; nil if there is none.
func (c *Config) Embedder() (llm.Embedder, error) {
	switch c.Query.Vectors {
	case "static":
		if c.Embed.Dir == "" {
			return nil, hint.With(errors.New("query.vectors is static, but embed.dir isn't set"),
				"set embed.dir to the folder of a model2vec model")
		}
		return embed.LoadStatic(c.Embed.Dir)
	case "service":
		if c.Embed.URL == "" || c.Embed.Model == "" {
			return nil, hint.With(errors.New("query.vectors is service, but embed.url or embed.model isn't set"),
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

// Ollama's address unless OLLAMA_HOST changes it, and how long to wait for a server's answer.
const (
	ollamaAddress = "127.0.0.1:11434"
	ollamaWait    = 300 * time.Millisecond
)

// OllamaHere returns Ollama's address on this machine; "" if OLLAMA_HOST names another machine.
func OllamaHere(env string) string {
	if env == "" {
		return ollamaAddress
	}
	env = strings.TrimSuffix(strings.TrimPrefix(env, "http://"), "/")
	host, port, err := net.SplitHostPort(env)
	if err != nil {
		host, port = env, "11434"
	}
	if host == "localhost" || host == "0.0.0.0" { // 0.0.0.0 is a listening address
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// OllamaModel names Ollama's newest chat model; "" if there is none, or Ollama isn't running or is too
// slow.
func OllamaModel(ctx context.Context, address string) string {
	var has struct {
		Models []struct {
			Name    string
			Details struct{ Family string }
		}
	}
	if !askHere(ctx, address, "/api/tags", nil, &has) {
		return ""
	}
	for _, m := range has.Models { // newest first
		name := escape.Line(strings.TrimSuffix(m.Name, ":latest"), escape.Terminal)
		if inCloud(name) {
			continue // it leaves the machine, which the user must choose
		}
		if !strings.Contains(m.Name, "embed") && !strings.Contains(m.Details.Family, "bert") {
			return name
		}
	}
	return ""
}

// inCloud reports whether Ollama passes requests to a model on to its cloud: gpt-oss:120b-cloud, glm-5:cloud.
func inCloud(model string) bool {
	return strings.HasSuffix(model, ":cloud") || strings.HasSuffix(model, "-cloud")
}

// ollamaHolds returns a model's context length in tokens; 0 if Ollama doesn't report it.
func ollamaHolds(ctx context.Context, address, model string) int {
	var about struct {
		Info map[string]any `json:"model_info"`
	}
	askHere(ctx, address, "/api/show", map[string]string{"model": model}, &about)
	for key, v := range about.Info { // "qwen3.context_length"
		if n, ok := v.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}

// askHere queries a server on this machine without a proxy, and reports whether it answered in time.
func askHere(ctx context.Context, address, path string, ask, answer any) bool {
	if address == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaWait)
	defer cancel()
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	method, body := http.MethodGet, []byte(nil)
	if ask != nil {
		method, body = http.MethodPost, asJSON(ask)
	}
	req, err := http.NewRequestWithContext(ctx, method,
		strings.TrimSuffix(strings.TrimRight(address, "/"), "/v1")+path, bytes.NewReader(body))
	if err != nil {
		return false
	}
	direct := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := direct.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(res.Body, 4<<20)).Decode(answer) == nil
}

func asJSON(v any) []byte { b, _ := json.Marshal(v); return b } // of texts alone

// ollama returns the configured Ollama model, else its newest one; its window is the model's context length, limited
// to what fits most machines' memory.
func (c *Config) ollama(ctx context.Context, env func(string) string) (llm.Model, error) {
	o := c.options()
	if o.URL == "" {
		here := OllamaHere(env("OLLAMA_HOST"))
		if here == "" {
			return nil, hint.With(errors.New("llm.provider is ollama, but OLLAMA_HOST names another machine"),
				"set llm.url to that machine's address: sessions are sent there only if you choose it")
		}
		o.URL = "http://" + here
	}
	if c.LLM.Model == "" {
		o.Model = cmp.Or(OllamaModel(ctx, o.URL), o.Model)
	}
	if o.Window == 0 {
		o.Window = min(ollamaHolds(ctx, o.URL, o.Model), ollamaMost)
	}
	return langchain.NewOllama(o)
}

// ollamaMost is the largest window requested from Ollama without llm.context: 32k tokens of an 8B model take some 5
// GB.
const ollamaMost = 32_768
