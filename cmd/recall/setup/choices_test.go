package setup

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/config"
)

// What init offers is what is here, and where each would send sessions is said.
func TestChoices(t *testing.T) {
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w,
			`{"models":[{"name":"gpt-oss:120b-cloud","details":{"family":"gptoss"}},{"name":"gemma4:4b",`+
				`"details":{"family":"gemma"}}]}`)
	}))
	defer ollama.Close()
	llama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Method != http.MethodGet {
			t.Errorf("llama.cpp is asked %s %s", r.Method, r.URL.Path)
		}
		fmt.Fprint(w,
			`{"object":"list","data":[{"id":"nomic-embed.gguf","object":"model"},{"id":"qwen3-8b.gguf","object":"model",`+
				`"owned_by":"llamacpp"}]}`)
	}))
	defer llama.Close()
	port := llama.URL[strings.LastIndexByte(llama.URL, ':')+1:]
	env := map[string]string{"LLAMA_ARG_PORT": port, "OLLAMA_HOST": ollama.URL, "ANTHROPIC_API_KEY": "a",
		"OPENAI_API_KEY": " ", "OPENROUTER_API_KEY": "r"}
	here := func(string) (string, error) { return "/usr/bin/claude", nil }
	var got []string
	c := &config.Config{}
	for _, ch := range choices(t.Context(), func(k string) string { return env[k] }, here) {
		got = append(got, fmt.Sprintf("%s | %s | %s | %s", ch.Name(), ch.Why, goesTo(with(c, ch)),
			priceOf(with(c, ch), ch.Name())))
	}
	want := []string{
		"claude-cli/haiku | the program /usr/bin/claude, with your subscription | Anthropic, through the claude program | no " +
			"price per token",
		"anthropic/claude-haiku-5-5 | with ANTHROPIC_API_KEY | api.anthropic.com | $0.10 per million tokens in, $0.50 out",
		"openai/anthropic/claude-haiku-5.5 | with OPENROUTER_API_KEY | openrouter.ai | $0.10 per million tokens in, $0.50 out",
		"ollama/gemma4:4b | Ollama is running here |  | no price per token",
		"openai/qwen3-8b.gguf | llama.cpp is running here |  | no price per token",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
	cloud := choice{Provider: config.ProviderOllama, Model: "gpt-oss:120b-cloud"}
	if to := goesTo(with(c, cloud)); !strings.Contains(to, "ollama.com") {
		t.Errorf("a model that Ollama passes on to its makers: said to go to %q", to)
	}
	nowhere := map[string]string{"OLLAMA_HOST": "10.0.0.9", "LLAMA_ARG_PORT": "1"}
	if got := choices(t.Context(), func(k string) string { return nowhere[k] },
		func(string) (string, error) { return "", errors.New("none") }); len(got) != 0 {
		t.Errorf("nothing is here: got %+v", got)
	}
}
