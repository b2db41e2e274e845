package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recall/cmd/recall/config"
	"recall/internal/hint"
)

func TestOllamaHere(t *testing.T) {
	for env, want := range map[string]string{
		"": "127.0.0.1:11434", "localhost": "127.0.0.1:11434", "0.0.0.0:99": "127.0.0.1:99",
		"http://127.0.0.1:5/": "127.0.0.1:5",
		"[::1]:7":             "[::1]:7", "10.0.0.5:11434": "", "example.com": "", "https://127.0.0.1:5": "",
	} {
		if got := config.OllamaHere(env); got != want {
			t.Errorf("OLLAMA_HOST=%q: got %q, want %q", env, got, want)
		}
	}
}

func TestOllamaChat(t *testing.T) {
	answer := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/tags" || r.Method != http.MethodGet {
			t.Errorf("got %s %s, want GET /api/tags alone", r.Method, r.URL.Path)
		}
		if answer == "slow" {
			select {
			case <-r.Context().Done():
			case <-time.After(3 * time.Second):
			}
		}
		fmt.Fprint(w, answer)
	}))
	defer s.Close()
	for _, c := range []struct{ answer, want string }{
		{`{"models":[{"name":"nomic-embed-text:latest","details":{"family":"nomic-bert"}},` +
			`{"name":"llama3:latest","details":{"family":"llama"}}]}`, "llama3"},
		{`{"models":[{"name":"x\u001b[31mchat","details":{}}]}`, "x[31mchat"},
		{`{"models":[{"name":"all-minilm:33m","details":{"family":"bert"}}]}`, ""},
		{`{"models":null}`, ""},
		{`hello`, ""},
		{"slow", ""},
	} {
		answer = c.answer
		start := time.Now()
		if got := config.OllamaModel(t.Context(), strings.TrimPrefix(s.URL, "http://")); got != c.want {
			t.Errorf("%s: got %q, want %q", c.answer, got, c.want)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: took %v", c.answer, took)
		}
	}
	s.Close()
	if got := config.OllamaModel(t.Context(), strings.TrimPrefix(s.URL, "http://")); got != "" {
		t.Errorf("nobody listens: got %q, want none", got)
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
		text, host, name string
		window           int
	}{
		{"llm: {provider: ollama}", s.URL, "ollama/gemma4:4b", 8192},
		{"llm: {provider: ollama, model: 'qwen3:8b', url: '" + s.URL + "/v1'}", "10.0.0.9", "ollama/qwen3:8b", 32768},
		{"llm: {provider: ollama, model: 'qwen3:8b', context: 65536}", s.URL, "ollama/qwen3:8b", 65536},
		{"llm: {provider: ollama, model: other}", s.URL, "ollama/other", 16384},
		{"llm: {provider: ollama}", "127.0.0.1:1", "ollama/qwen3:8b", 16384},
		{"llm: {provider: ollama}", "10.0.0.9", "", 0},
	} {
		at := foldersOf(t)
		cfg, err := config.Load(nil, fileOf(t, c.text, at.Working, "c.yaml"), at)
		if err != nil {
			t.Fatal(err)
		}
		m, err := cfg.Provider(t.Context(), func(k string) string { return map[string]string{"OLLAMA_HOST": c.host}[k] })
		if c.name == "" {
			if err == nil || !strings.Contains(hint.Of(err), "llm.url") {
				t.Errorf("%s at %s: got %v, want a hint at llm.url", c.text, c.host, err)
			}
			continue
		}
		if err != nil || m.Name() != c.name || m.Window() != c.window {
			t.Errorf("%s at %s: got %v, %v; want %s with %d tokens", c.text, c.host, m, err, c.name, c.window)
		}
	}
}
