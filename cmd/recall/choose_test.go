package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/app"
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
	for _, ch := range config.Choices(t.Context(), func(k string) string { return env[k] }, here) {
		got = append(got, fmt.Sprintf("%s | %s | %s | %s", ch.Name(), ch.Why, c.With(ch).GoesTo(),
			c.With(ch).Price(ch.Name())))
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
	if to := c.With(config.Choice{Provider: config.ProviderOllama,
		Model: "gpt-oss:120b-cloud"}).GoesTo(); !strings.Contains(to, "ollama.com") {
		t.Errorf("a model that Ollama passes on to its makers: said to go to %q", to)
	}
	nowhere := map[string]string{"OLLAMA_HOST": "10.0.0.9", "LLAMA_ARG_PORT": "1"}
	if got := config.Choices(t.Context(), func(k string) string { return nowhere[k] },
		func(string) (string, error) { return "", errors.New("none") }); len(got) != 0 {
		t.Errorf("nothing is here: got %+v", got)
	}
}

// recall init --provider: tried once, said what leaves, written as one line;
// what doesn't answer isn't written.
func TestInitProvider(t *testing.T) {
	const secret = "sk-init-0123456789"
	status, asked := http.StatusUnauthorized, 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("Authorization: got %q", r.Header.Get("Authorization"))
		}
		w.WriteHeader(status)
		if status != http.StatusOK {
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, secret)
			return
		}
		io.WriteString(w,
			`{"model":"tiny","choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],`+
				`"usage":{"prompt_tokens":12,"completion_tokens":1}}`)
	}))
	defer s.Close()
	home := t.TempDir()
	for _, v := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(v, home)
	}
	for v, dir := range map[string]string{"XDG_CONFIG_HOME": "config", "AppData": "config", "XDG_CACHE_HOME": "cache",
		"LocalAppData": "cache"} {
		t.Setenv(v, filepath.Join(home, dir))
	}
	t.Setenv("RECALL_LLM_KEY", secret)
	t.Chdir(home)
	init := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append([]string{"init"}, args...), strings.NewReader(""), &o, &e)
		if all := o.String() + e.String(); strings.Contains(all, secret) {
			t.Errorf("init %q prints the key:\n%s", args, all)
		}
		return code, o.String(), e.String()
	}
	conf, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(conf, "recall", "config.yaml")

	code, _, errs := init("--provider", "openai", "--url", s.URL+"/v1", "--model", "tiny")
	if code != app.ExitError || !strings.Contains(errs, "not used: openai/tiny: unauthorized (401)") ||
		!strings.Contains(errs, "hint: check the key in the environment of the process that runs recall (RECALL_LLM_KEY)") ||
		asked != 1 {
		t.Errorf("a key that is wrong: got %d, %d requests, %s", code, asked, errs)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("what doesn't answer was written all the same")
	}
	status = http.StatusOK
	code, out, errs := init("--provider", "openai", "--url", s.URL+"/v1", "--model", "tiny")
	if code != app.ExitOK || asked != 2 || !strings.Contains(out, "openai/tiny answered") ||
		!strings.Contains(out, "Nothing leaves this machine.") || !strings.Contains(out, file) {
		t.Errorf("got %d, %d requests\n%s%s", code, asked, out, errs)
	}
	text, err := os.ReadFile(file)
	if want := "llm:\n  provider: openai\n  model: tiny\n  url: " + s.URL + "/v1\n"; err != nil || string(text) != want {
		t.Errorf("config.yaml: got %q, %v, want %q", text, err, want)
	}
	if code, out, _ := init("--provider", "none"); code != app.ExitOK ||
		!strings.Contains(out, "Nothing leaves this machine.") {
		t.Errorf("none: got %d\n%s", code, out)
	}
	if c, err := config.Load(nil, "", config.ThisSystem()); err != nil || c.Distill.Distiller != config.ByRules {
		t.Errorf("after none: got %+v, %v", c, err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "llm:\n  provider: none\n" {
		t.Errorf("after none: got %q, %v, want nothing left of the one before", text, err)
	}
	for _, args := range [][]string{{"--model", "m"}, {"--provider", "magic"}} {
		if code, _, errs := init(args...); code != app.ExitError || !strings.Contains(errs, "hint:") {
			t.Errorf("init %q: got %d, %s", args, code, errs)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}
}
