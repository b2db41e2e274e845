package llm

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"recall/text"
)

// Price is what a model's tokens cost, in USD for a million.
type Price struct {
	Model      string  `yaml:"model" json:"model"` // how its name begins, with or without the provider before it
	In         float64 `yaml:"in" json:"in"`
	Out        float64 `yaml:"out" json:"out"`
	CacheRead  float64 `yaml:"cache_read" json:"cache_read,omitempty"`   // 0: as In
	CacheWrite float64 `yaml:"cache_write" json:"cache_write,omitempty"` // 0: as In
	CacheHour  float64 `yaml:"cache_hour" json:"cache_hour,omitempty"`   // what is kept for an hour; 0: as CacheWrite
	// what a batch pays of it, 0.5 for half; 0: all of it
	Batch float64 `yaml:"batch" json:"batch,omitempty"`
	// a request of more tokens than these pays Times as much; 0: none does
	Over  int     `yaml:"over" json:"over,omitempty"`
	Times float64 `yaml:"times" json:"times,omitempty"`
}

// Check tells what is wrong with a price.
func (p Price) Check() error {
	switch {
	case p.Model == "":
		return fmt.Errorf("a price without a model")
	case min(p.In, p.Out, p.CacheRead, p.CacheWrite, p.CacheHour, p.Times, float64(p.Over)) < 0:
		return fmt.Errorf("price of %s: less than nothing", p.Model)
	case p.Batch < 0 || p.Batch > 1:
		return fmt.Errorf("price of %s: batch is a share from 0 to 1", p.Model)
	}
	return nil
}

// Prices are looked through before the built-in ones.
type Prices []Price

// Cost is what usage of a model's costs in USD; known is false where there is no price,
// and the cost then nothing. The usage is that of one request, as some models take
// more for long ones.
func (ps Prices) Cost(model string, u Usage, batch bool) (usd float64, known bool) {
	p, known := ps.Of(model)
	return p.Cost(u, batch), known
}

// Cost is what one request costs in USD.
func (p Price) Cost(u Usage, batch bool) float64 {
	plain := max(u.In-u.CacheRead-u.CacheWrite, 0)
	short := max(u.CacheWrite-u.CacheHour, 0)
	usd := float64(plain)*p.In + float64(u.CacheRead)*cmp.Or(p.CacheRead, p.In) +
		float64(short)*cmp.Or(p.CacheWrite, p.In) + float64(u.CacheHour)*cmp.Or(p.CacheHour, p.CacheWrite, p.In) +
		float64(u.Out)*p.Out
	if batch {
		usd *= cmp.Or(p.Batch, 1)
	}
	if p.Over > 0 && u.In > p.Over {
		usd *= cmp.Or(p.Times, 1)
	}
	return usd / 1e6
}

// Of finds a model's price: the longest of the own rows that its name begins
// with, else the built-in one. What runs on this machine or is paid by
// subscription costs nothing.
func (ps Prices) Of(model string) (Price, bool) {
	var best Price
	for _, p := range ps {
		name := plainName(p.Model)
		if (strings.HasPrefix(plainName(model), name) || strings.HasPrefix(bareName(model), name)) &&
			len(p.Model) > len(best.Model) {
			best = p
		}
	}
	if best.Model != "" {
		return best, true
	}
	provider, _, _ := strings.Cut(model, "/")
	if free[provider] {
		return Price{Model: provider}, true
	}
	bare := bareName(model)
	for _, p := range builtin() {
		if rest, ok := strings.CutPrefix(bare, plainName(p.Model)); ok && dated().MatchString(rest) {
			return p, true
		}
	}
	return Price{}, false
}

// bareName is a model's name without those before it that say who serves it:
// openai/anthropic/claude-haiku-4.5 is claude-haiku-4-5.
func bareName(model string) string { return plainName(model[strings.LastIndex(model, "/")+1:]) }

func plainName(s string) string { return strings.ReplaceAll(strings.ToLower(s), ".", "-") }

// dated is what may follow a built-in name: the day of a snapshot. Anything
// else is another model, gpt-5-pro not gpt-5.
var dated = text.Pattern(`^([-@](20\d{6}|20\d\d-\d\d-\d\d|latest|v\d+-\d+))?(:[a-z]+)?$`)

var free = map[string]bool{"ollama": true, "claude-cli": true, "relay": true, "replay": true}

// prices.json holds the makers' list prices, and of which day: platform.claude.com/docs
// (about-claude/pricing; models/haiku-5-5/overview) and developers.openai.com
// (api/docs/models, api/docs/pricing). Cache writes are those that last five
// minutes, or an hour; where long requests have two factors, it is the larger. Gemini's are of
// ai.google.dev/gemini-api/docs/pricing. Of models that are no longer sold it is the last price.
//
//go:embed prices.json
var pricesJSON []byte

var listed = sync.OnceValue(func() (all struct {
	Of     string
	Prices []Price
}) {
	if err := json.Unmarshal(pricesJSON, &all); err != nil {
		panic(fmt.Sprintf("llm: prices.json: %v", err))
	}
	return all
})

// PricesOf is the day of the built-in prices.
func PricesOf() string { return listed().Of }

func builtin() []Price { return listed().Prices }
