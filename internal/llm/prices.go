package llm

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"recall/internal/text"
)

// Price is what a model's tokens cost, in USD per million.
type Price struct {
	Model      string  `yaml:"model" json:"model"` // prefix of its name, with or without the provider
	In         float64 `yaml:"in" json:"in"`
	Out        float64 `yaml:"out" json:"out"`
	CacheRead  float64 `yaml:"cache_read" json:"cache_read,omitempty"`   // 0: same as In
	CacheWrite float64 `yaml:"cache_write" json:"cache_write,omitempty"` // 0: same as In
	CacheHour  float64 `yaml:"cache_hour" json:"cache_hour,omitempty"`   // cached for an hour; 0: same as CacheWrite
	// requests with more tokens than Over cost Times as much; 0: no such limit
	Over  int     `yaml:"over" json:"over,omitempty"`
	Times float64 `yaml:"times" json:"times,omitempty"`
}

// Check returns what is wrong with a price, or nil.
func (p Price) Check() error {
	switch {
	case p.Model == "":
		return fmt.Errorf("a price without a model")
	case min(p.In, p.Out, p.CacheRead, p.CacheWrite, p.CacheHour, p.Times, float64(p.Over)) < 0:
		return fmt.Errorf("price of %s: negative number", p.Model)
	}
	return nil
}

// Prices are the user's own, which take precedence over the built-in ones.
type Prices []Price

// Cost returns what one request's usage costs in USD; without a price, known is false and
// the cost 0. It must be a single request, because some models charge more for long ones.
func (ps Prices) Cost(model string, u Usage) (usd float64, known bool) {
	p, known := ps.Of(model)
	return p.Cost(u), known
}

// Cost returns the cost of one request in USD.
func (p Price) Cost(u Usage) float64 {
	plain := max(u.In-u.CacheRead-u.CacheWrite, 0)
	short := max(u.CacheWrite-u.CacheHour, 0)
	usd := float64(plain)*p.In + float64(u.CacheRead)*cmp.Or(p.CacheRead, p.In) +
		float64(short)*cmp.Or(p.CacheWrite, p.In) + float64(u.CacheHour)*cmp.Or(p.CacheHour, p.CacheWrite, p.In) +
		float64(u.Out)*p.Out
	if p.Over > 0 && u.In > p.Over {
		usd *= cmp.Or(p.Times, 1)
	}
	return usd / 1e6
}

// Of returns a model's price: the user's row with the longest matching prefix, or else the
// built-in one. Models that run locally or are paid by subscription are free.
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
	for _, p := range builtinPrices().Prices {
		if rest, ok := strings.CutPrefix(bare, plainName(p.Model)); ok && snapshotSuffix().MatchString(rest) {
			return p, true
		}
	}
	return Price{}, false
}

// bareName removes the names of providers and dots from a model's name:
// openai/anthropic/claude-haiku-4.5 becomes claude-haiku-4-5.
func bareName(model string) string { return plainName(model[strings.LastIndex(model, "/")+1:]) }

func plainName(s string) string { return strings.ReplaceAll(strings.ToLower(s), ".", "-") }

// snapshotSuffix matches what may follow a built-in name: a snapshot's date. Anything else is
// another model: gpt-5-pro isn't gpt-5.
var snapshotSuffix = text.Pattern(`^([-@](20\d{6}|20\d\d-\d\d-\d\d|latest|v\d+-\d+))?(:[a-z]+)?$`)

var free = map[string]bool{"ollama": true, "claude-cli": true}

// prices.json holds the makers' list prices with their date, from platform.claude.com/docs (about-claude/pricing;
// models/haiku-5-5/overview), developers.openai.com (api/docs/models, api/docs/pricing) and
// ai.google.dev/gemini-api/docs/pricing. Cache writes last five minutes or an hour. If long requests have two
// factors, the larger is used. Discontinued models have their last price.
//
//go:embed prices.json
var pricesJSON []byte

var builtinPrices = sync.OnceValue(func() (all struct {
	Of     string
	Prices []Price
}) {
	if err := json.Unmarshal(pricesJSON, &all); err != nil {
		panic(fmt.Sprintf("llm: prices.json: %v", err))
	}
	return all
})

// PricesOf returns the date of the built-in prices.
func PricesOf() string { return builtinPrices().Of }
