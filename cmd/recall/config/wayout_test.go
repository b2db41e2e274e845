package config

import (
	"errors"
	"strings"
	"testing"

	"recall/internal/hint"
	"recall/internal/llm"
)

// Whatever keeps a model from answering, what can be done about it is said, and
// names what is to be changed.
func TestWayOut(t *testing.T) {
	fault := func(f llm.Fault) error { return &llm.Error{Fault: f} }
	for _, c := range []struct {
		text string
		err  error
		want string
	}{
		{"llm: {provider: anthropic}", fault(llm.Unauthorized), "ANTHROPIC_API_KEY or RECALL_LLM_KEY"},
		{"llm: {provider: openai, url: 'https://llm.example.com/v1', model: m}", fault(llm.Unauthorized), "(RECALL_LLM_KEY)"},
		{"llm: {provider: claude-cli}", fault(llm.Unauthorized), "log in"},
		{"llm: {provider: anthropic}", fault(llm.NotFound),
			"claude-haiku-5-5 (llm.model) is a model that api.anthropic.com knows"},
		{"llm: {provider: ollama, model: 'gemma4:4b'}", fault(llm.NotFound), "ollama pull gemma4:4b"},
		{"llm: {provider: ollama}", fault(llm.Unreachable), "ollama serve"},
		{"llm: {provider: openai}", fault(llm.Unreachable), "llm.url"},
		{"llm: {provider: openai}", fault(llm.NoCredit), "credit"},
		{"llm: {provider: openai}", fault(llm.RateLimited), "the next recall sync asks again"},
		{"llm: {provider: openai}", fault(llm.TimedOut), "llm.timeout"},
		{"llm: {provider: openai}", fault(llm.TooLong), "llm.context"},
		{"llm: {provider: openai}", fault(llm.Nonsense), "llm.model"},
		{"", &llm.Capped{Cap: "night", Limit: "$1.00"}, "distill.budget.night_cost"},
		{"", &llm.Capped{Cap: "month", Limit: "500 tokens"}, "distill.budget.month_tokens"},
		{"", &llm.Capped{Cap: "session", Limit: "$0.25"}, "recall redistill"},
		{"", hint.With(errors.New("no key"), "put it there"), "put it there"},
		{"", nil, ""},
		{"", errors.New("a fault of ours"), ""},
	} {
		at := standIn(t)
		cfg, err := load(t, nil, put(t, c.text, at.Working, "c.yaml"), nil, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.WayOut(c.err); !strings.Contains(got, c.want) || c.want == "" && got != "" ||
			strings.Contains(got, "\n") {
			t.Errorf("%s: %v: got %q, want %q in it", c.text, c.err, got, c.want)
		}
	}
}
