package langchain

import (
	"context"
	"net"
	"strings"

	"recall/internal/escape"
	"recall/internal/llm/wire"
)

// usual is Ollama's address unless OLLAMA_HOST changes it.
const usual = "127.0.0.1:11434"

// Here returns Ollama's address on this machine; "" if OLLAMA_HOST names another machine.
func Here(env string) string {
	if env == "" {
		return usual
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

// Newest names Ollama's newest chat model; "" if there is none, or Ollama isn't running or is too slow.
func Newest(ctx context.Context, address string) string {
	var has struct {
		Models []struct {
			Name    string
			Details struct{ Family string }
		}
	}
	if !wire.AskHere(ctx, address, "/api/tags", nil, &has) {
		return ""
	}
	for _, m := range has.Models { // newest first
		name := escape.Line(strings.TrimSuffix(m.Name, ":latest"), escape.Terminal)
		if InCloud(name) {
			continue // it leaves the machine, which the user must choose
		}
		if !strings.Contains(m.Name, "embed") && !strings.Contains(m.Details.Family, "bert") {
			return name
		}
	}
	return ""
}

// InCloud reports whether Ollama passes requests to a model on to its cloud: gpt-oss:120b-cloud, glm-5:cloud.
func InCloud(model string) bool {
	return strings.HasSuffix(model, ":cloud") || strings.HasSuffix(model, "-cloud")
}

// Holds returns a model's context length in tokens; 0 if Ollama doesn't report it.
func Holds(ctx context.Context, address, model string) int {
	var about struct {
		Info map[string]any `json:"model_info"`
	}
	wire.AskHere(ctx, address, "/api/show", map[string]string{"model": model}, &about)
	for key, v := range about.Info { // "qwen3.context_length"
		if n, ok := v.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(n)
		}
	}
	return 0
}
