package config

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"recall/hint"
	"recall/llm"
	"recall/llm/langchain"
	"recall/sink"
)

// Where Ollama listens unless OLLAMA_HOST says otherwise, and how long it may take to say what it has.
const (
	ollamaAddress = "127.0.0.1:11434"
	ollamaWait    = 300 * time.Millisecond
)

// OllamaHere is Ollama's address on this machine; "" if it is set to another.
func OllamaHere(env string) string {
	if env == "" {
		return ollamaAddress
	}
	env = strings.TrimSuffix(strings.TrimPrefix(env, "http://"), "/")
	host, port, err := net.SplitHostPort(env)
	if err != nil {
		host, port = env, "11434"
	}
	if host == "localhost" || host == "0.0.0.0" { // the latter is where it listens
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// OllamaModel names Ollama's newest model that makes vectors, or that talks; "" if none, not there or too slow.
func OllamaModel(ctx context.Context, address string, embeds bool) string {
	var has struct {
		Models []struct {
			Name    string
			Details struct{ Family string }
		}
	}
	if !askHere(ctx, address, "/api/tags", nil, &has) {
		return ""
	}
	for _, m := range has.Models { // the newest first
		name := sink.Line(strings.TrimSuffix(m.Name, ":latest"), sink.Terminal)
		if inCloud(name) {
			continue // it is for its user to say that this leaves the machine
		}
		if embeds == (strings.Contains(m.Name, "embed") || strings.Contains(m.Details.Family, "bert")) {
			return name
		}
	}
	return ""
}

// inCloud reports whether Ollama here only passes on to its makers what a model is asked: gpt-oss:120b-cloud,
// glm-5:cloud.
func inCloud(model string) bool {
	return strings.HasSuffix(model, ":cloud") || strings.HasSuffix(model, "-cloud")
}

// ollamaHolds is how many tokens a model was made for; 0 if Ollama doesn't say.
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

// askHere reports whether a server on this machine answered in time. It asks without a proxy.
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
		method, body = http.MethodPost, must(json.Marshal(ask))
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

// ollama is the configured model of Ollama's, else the one that it was given last; its window is what it was made for,
// within most machines' memory.
func (c *Config) ollama(ctx context.Context, env func(string) string) (llm.Model, error) {
	o := c.options()
	if o.URL == "" {
		here := OllamaHere(env("OLLAMA_HOST"))
		if here == "" {
			return nil, hint.With(errors.New("llm.provider is ollama, and OLLAMA_HOST names another machine"),
				"set llm.url to that machine's address: sessions are sent there only if you say so")
		}
		o.URL = "http://" + here
	}
	if c.LLM.Model == "" {
		o.Model = cmp.Or(OllamaModel(ctx, o.URL, false), o.Model)
	}
	if o.Window == 0 {
		o.Window = min(ollamaHolds(ctx, o.URL, o.Model), ollamaMost)
	}
	return langchain.NewOllama(o)
}

// ollamaMost is the most window Ollama is asked for without llm.context: 32k tokens of an 8B model take some 5 GB.
const ollamaMost = 32_768
