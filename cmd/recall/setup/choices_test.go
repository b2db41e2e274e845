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

// What init names is what is here, and where each would send sessions is said.
func TestChoices(t *testing.T) {
	ollama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w,
			`{"models":[{"name":"gpt-oss:120b-cloud","details":{"family":"gptoss"}},{"name":"gemma4:4b",`+
				`"details":{"family":"gemma"}}]}`)
	}))
	defer ollama.Close()
	env := map[string]string{"OLLAMA_HOST": ollama.URL, "ANTHROPIC_API_KEY": "a",
		"OPENAI_API_KEY": " ", "OPENROUTER_API_KEY": "r"}
	here := func(string) (string, error) { return "/usr/bin/claude", nil }
	var got []string
	c := &config.Config{}
	for _, ch := range choices(t.Context(), func(k string) string { return env[k] }, here) {
		got = append(got, fmt.Sprintf("%s | %s | %s", ch.command(), ch.Why, goesTo(with(c, ch))))
	}
	want := []string{
		"recall init --provider claude-cli | the program /usr/bin/claude, with your subscription | " +
			"Anthropic, through the claude program",
		"recall init --provider anthropic | with ANTHROPIC_API_KEY | api.anthropic.com",
		"recall init --provider openai --url https://openrouter.ai/api/v1 --model anthropic/claude-haiku-5.5 | " +
			"with OPENROUTER_API_KEY | openrouter.ai",
		"recall init --provider ollama | Ollama is running here, with gemma4:4b | ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
	cloud := choice{Provider: config.ProviderOllama, Model: "gpt-oss:120b-cloud"}
	if to := goesTo(with(c, cloud)); !strings.Contains(to, "ollama.com") {
		t.Errorf("a model that Ollama passes on to its makers: said to go to %q", to)
	}
	nowhere := map[string]string{"OLLAMA_HOST": "10.0.0.9"}
	if got := choices(t.Context(), func(k string) string { return nowhere[k] },
		func(string) (string, error) { return "", errors.New("none") }); len(got) != 0 {
		t.Errorf("nothing is here: got %+v", got)
	}
}
