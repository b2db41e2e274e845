package llm

import (
	"math"
	"testing"
)

func TestCost(t *testing.T) {
	m := Usage{In: 1_000_000, Out: 1_000_000}
	own := Prices{{Model: "my-model", In: 1, Out: 2}, {Model: "my-model-xl", In: 10, Out: 20, CacheRead: 1},
		{Model: "openai/gpt-5-mini", In: 7}}
	for _, c := range []struct {
		name  string
		model string
		u     Usage
		usd   float64
		known bool
	}{
		{"plain", "anthropic/claude-haiku-4-5", m, 6, true},
		{"a snapshot", "anthropic/claude-haiku-4-5-20251001", m, 6, true},
		{"as OpenRouter names it", "openai/anthropic/claude-haiku-4.5", m, 6, true},
		{"cache read and written are of In", "anthropic/claude-haiku-4-5",
			Usage{In: 3_000_000, CacheRead: 1_000_000, CacheWrite: 1_000_000}, 1 + 0.1 + 1.25, true},
		{"cache without a price of its own", "openai/gpt-5.4-mini", Usage{In: 1_000_000, CacheWrite: 1_000_000}, 0.75,
			true},
		{"more than all was cached", "openai/gpt-5.4-nano", Usage{In: 10, CacheRead: 1_000_000}, 0.02, true},
		{"long requests cost more", "anthropic/claude-haiku-5-5", Usage{In: 200_000}, 0.1, true},
		{"short ones don't", "anthropic/claude-haiku-5-5", Usage{In: 100_000}, 0.01, true},
		{"another of the family isn't it", "openai/gpt-5-pro", m, 0, false},
		{"nor a later one", "openai/gpt-5.9", m, 0, false},
		{"unknown", "openai/qwen3", m, 0, false},
		{"on this machine", "ollama/qwen3:8b", m, 0, true},
		{"by subscription", "claude-cli/haiku", m, 0, true},
		{"recordings are no provider", "replay/recorded", m, 0, false},
		{"own", "openai/my-model-2", m, 3, true},
		{"the longest own", "openai/my-model-xl", m, 30, true},
		{"own before built-in", "openai/gpt-5-mini", m, 7, true},
		{"nothing", "", m, 0, false},
	} {
		usd, known := own.Cost(c.model, c.u)
		if known != c.known || math.Abs(usd-c.usd) > 1e-9 {
			t.Errorf("%s: Prices(nil).Cost(%s, %+v) = %v, %v; want %v, %v", c.name, c.model, c.u, usd, known, c.usd, c.known)
		}
	}
	if usd, known := Prices(nil).Cost("openai/gpt-4.1-mini", m); !known || usd != 2 {
		t.Errorf("built-in gpt-4.1-mini: got %v, %v; want 2, true", usd, known)
	}
	for _, p := range append([]Price{{Model: "x", In: 1}}, builtinPrices().Prices...) {
		if err := p.Check(); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []Price{{}, {Model: "x", In: -1}, {Model: "x", Times: -1}} {
		if p.Check() == nil {
			t.Errorf("Check(%+v): got no error", p)
		}
	}
}
