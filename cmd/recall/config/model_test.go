package config

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"recall/internal/hint"
	"recall/internal/llm"
)

// One line chooses a model; what is missing is said with the way out, and no
// key goes to somebody who didn't issue it.
func TestProviders(t *testing.T) {
	for _, c := range []struct {
		name, text string
		env        map[string]string
		want       string // the model's name, "" for none
		key        string
		err, hint  string
	}{
		{name: "none", text: ""},
		{name: "one line", text: "llm: {provider: anthropic}", env: map[string]string{"ANTHROPIC_API_KEY": "a"},
			want: "anthropic/claude-haiku-5-5", key: "a"},
		{name: "recall's own variable first", text: "llm: {provider: anthropic}",
			env: map[string]string{"ANTHROPIC_API_KEY": "a", "RECALL_LLM_KEY": "r"}, want: "anthropic/claude-haiku-5-5",
			key: "r"},
		{name: "no key", text: "llm: {provider: anthropic}", env: map[string]string{"OPENAI_API_KEY": "o"},
			err: "there is no key for api.anthropic.com", hint: "ANTHROPIC_API_KEY"},
		{name: "OpenAI", text: "llm: {provider: openai, model: gpt-5-mini}",
			env: map[string]string{"OPENAI_API_KEY": " o\n"}, want: "openai/gpt-5-mini", key: "o"},
		{name: "OpenRouter has its own", text: "llm: {provider: openai, model: m, url: 'https://openrouter.ai/api/v1'}",
			env: map[string]string{"OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}, want: "openai/m", key: "r"},
		{name: "OpenAI's key isn't for others", text: "llm: {provider: openai, model: m, url: 'https://llm.example.com/v1'}",
			env: map[string]string{"OPENAI_API_KEY": "o"}, want: "openai/m", key: ""},
		{name: "nor for this machine", text: "llm: {provider: openai, model: m, url: 'http://127.0.0.1:1234/v1'}",
			env: map[string]string{"OPENAI_API_KEY": "o"}, want: "openai/m", key: ""},
		{name: "a key in the open", text: "llm: {provider: openai, model: m, url: 'http://llm.example.com/v1'}",
			env: map[string]string{"RECALL_LLM_KEY": "r-secret"}, err: "a key is sent over https only", key: "r-secret"},
		{name: "claude", text: "llm: {provider: claude-cli}", want: "claude-cli/haiku"},
	} {
		at := standIn(t)
		cfg, err := load(t, nil, put(t, c.text, at.Working, "c.yaml"), nil, at)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		env := func(k string) string { return c.env[k] }
		m, err := cfg.Provider(t.Context(), env)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) ||
				!strings.Contains(hint.Of(err), c.hint) || c.key != "" &&
				strings.Contains(err.Error()+hint.Of(err), c.key) {
				t.Errorf("%s: got %v (%s), want %q with a hint at %q", c.name, err, hint.Of(err), c.err, c.hint)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		if m != nil {
			got = m.Name()
		}
		if got != c.want {
			t.Errorf("%s: got model %q, want %q", c.name, got, c.want)
		}
		if key, _ := cfg.key(env); key != c.key {
			t.Errorf("%s: got key %q, want %q", c.name, key, c.key)
		}
	}
}

// What runs on this machine is free, whatever its name; what doesn't isn't.
func TestConfiguredPrices(t *testing.T) {
	u := llm.Usage{In: 1_000_000}
	for _, c := range []struct {
		text  string
		model string
		usd   float64
		known bool
	}{
		{"llm: {provider: openai, url: 'http://127.0.0.1:1234/v1'}", "openai/qwen3", 0, true},
		{"llm: {provider: openai, url: 'https://llm.example.com/v1'}", "openai/qwen3", 0, false},
		{"llm: {provider: openai, prices: [{model: qwen3, in: 3}]}", "openai/qwen3", 3, true},
	} {
		at := standIn(t)
		cfg, err := load(t, nil, put(t, c.text, at.Working, "c.yaml"), nil, at)
		if err != nil {
			t.Fatal(err)
		}
		if usd, known := cfg.Prices().Cost(c.model, u); usd != c.usd || known != c.known {
			t.Errorf("%s: got %v, %v, want %v, %v", c.text, usd, known, c.usd, c.known)
		}
	}
}

// A model on this machine is shown less at a time, unless somebody says how much.
func TestWindow(t *testing.T) {
	for text, want := range map[string]int{
		"llm: {provider: anthropic}": 24_000,
		"llm: {provider: ollama}":    8_000,
		"llm: {provider: openai, model: m, url: 'http://127.0.0.1:8080/v1'}": 8_000,
		"{llm: {provider: ollama}, distill: {window: 16000}}":                16_000,
	} {
		at := standIn(t)
		cfg, err := load(t, nil, put(t, text, at.Working, "c.yaml"), nil, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Window(); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// Tokens of a model on this machine are capped where somebody says so: a session
// of 2,000 turns takes a small one more than a million.
func TestCapsOfTokens(t *testing.T) {
	for text, want := range map[string]int{
		"llm: {provider: anthropic}":                                           1_000_000,
		"llm: {provider: ollama}":                                              0,
		"llm: {provider: ollama, model: 'gpt-oss:120b-cloud'}":                 1_000_000,
		"llm: {provider: openai, model: m, url: 'http://127.0.0.1:1234/v1'}":   0,
		"llm: {provider: openai, model: m, url: 'https://llm.example.com/v1'}": 1_000_000,
		"{llm: {provider: ollama}, distill: {budget: {session_tokens: 5000, night_tokens: 5000, " +
			"month_tokens: 5000}}}": 5000,
	} {
		at := standIn(t)
		cfg, err := load(t, nil, put(t, text, at.Working, "c.yaml"), nil, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.TokenCap("session_tokens", cfg.Distill.Budget.SessionTokens); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// One line chooses Ollama: the model it was given last, and a window that this
// model has.
func TestOllamaModel(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			fmt.Fprint(w,
				`{"models":[{"name":"nomic-embed-text:latest","details":{"family":"nomic-bert"}},{"name":"gemma4:4b",`+
					`"details":{"family":"gemma"}},{"name":"qwen3:8b","details":{"family":"qwen3"}}]}`)
		case "/api/show":
			b, _ := io.ReadAll(r.Body)
			holds := map[string]int{`{"model":"gemma4:4b"}`: 8192, `{"model":"qwen3:8b"}`: 262144}[string(b)]
			if holds == 0 {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			fmt.Fprintf(w,
				`{"details":{},"model_info":{"general.architecture":"x","x.context_length":%d,"x.embedding_length":1}}`, holds)
		default:
			t.Errorf("got %s", r.URL.Path)
		}
	}))
	defer s.Close()
	for _, c := range []struct {
		more, url, name string
		window          int
	}{
		{"", s.URL, "ollama/gemma4:4b", 8192},
		{", model: 'qwen3:8b'", s.URL + "/v1", "ollama/qwen3:8b", 32768},
		{", model: 'qwen3:8b', context: 65536", s.URL, "ollama/qwen3:8b", 65536},
		{", model: other", s.URL, "ollama/other", 16384},
		{"", "http://127.0.0.1:1", "ollama/qwen2.5:7b", 16384},
	} {
		at := standIn(t)
		text := "llm: {provider: ollama, url: '" + c.url + "'" + c.more + "}"
		cfg, err := Load(nil, put(t, text, at.Working, "c.yaml"), at)
		if err != nil {
			t.Fatal(err)
		}
		m, err := cfg.Provider(t.Context(), func(string) string { return "" })
		if err != nil || m.Name() != c.name || m.Window() != c.window {
			t.Errorf("%s: got %v, %v; want %s with %d tokens", text, m, err, c.name, c.window)
		}
	}
}
