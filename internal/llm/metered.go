package llm

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"recall/internal/text"
)

// A Purse pays for requests. Safe for concurrent use.
type Purse interface {
	// Reserve asks whether a call may be made that takes as much as c says. A granted amount counts as spent until
	// Settle. The error is a *Capped if a cap would be exceeded.
	Reserve(c Call) error
	// Settle reports what a reserved call took in the end; the zero Call means it wasn't made. An error means that
	// this couldn't be recorded.
	Settle(reserved, took Call) error
}

// Call is the account of one request to a model.
type Call struct {
	At      time.Time
	Account Account
	Task    string
	Model   string
	Usage   Usage
	Cost    float64 // USD
	Priced  bool    // false if the price is unknown; Cost is then 0
	Fault   Fault   // "" if it was answered
	Guessed bool    // the service didn't say what it took: Usage and Cost are the estimate

	Lasted time.Duration // until it was answered or failed
}

// Capped is the error of a request that isn't made because it would exceed a cap.
type Capped struct {
	Cap   string // "session", "night" or "month"
	Limit string // "$1.00", "200000 tokens"
}

func (e *Capped) Error() string {
	return fmt.Sprintf("the %s's budget of %s is used up", e.Cap, e.Limit)
}

// Stopped is the fault of a call whose caller gave up before the answer.
const Stopped Fault = "stopped"

// Metered pays for each request to a model from a purse: an estimate is reserved before, and settled afterwards
// with what the service counted. A request that was sent and then failed costs the estimate, since the service may
// have worked on it; so caps hold in any case. A request that a cap prevents has a *Capped as its error. Patient
// goes around Metered, because every retry is charged.
func Metered(m Model, purse Purse, prices Prices) Model { return &metered{m, purse, prices} }

type metered struct {
	Model
	purse  Purse
	prices Prices
}

// Complete implements Model.
func (m *metered) Complete(ctx context.Context, r Request) (Response, error) {
	call := m.prices.Estimate(m.Name(), r)
	call.Account = AccountOf(ctx)
	call.At = time.Now()
	if err := m.purse.Reserve(call); err != nil {
		return Response{}, err
	}
	settled := false
	defer func() {
		if !settled { // the model panicked
			m.purse.Settle(call, call.asEstimated(""))
		}
	}()
	ctx, sent := Watched(ctx)
	answer, err := m.Model.Complete(ctx, r)
	settled = true
	took := m.prices.Took(call, answer.Usage, err)
	if sent.Load() && gotNoAnswer(took) {
		took = call.asEstimated(took.Fault)
	}
	took.At = time.Now()
	took.Lasted = took.At.Sub(call.At)
	// A paid answer is returned even if the ledger failed: the purse remembers that it can't write, and grants
	// nothing more.
	_ = m.purse.Settle(call, took)
	return answer, err
}

// usualOut is a guess of an answer's tokens; prompts ask for short answers to long texts.
const usualOut = 1500

// Estimate returns what a request may take.
func (ps Prices) Estimate(model string, r Request) Call {
	out := usualOut
	if r.Max > 0 {
		out = min(out, r.Max)
	}
	schema := 0
	if r.Schema != nil {
		schema = len(r.Schema.JSON)
	}
	c := Call{Task: r.Task, Model: model, Usage: Usage{In: Tokens(len(r.System)+len(r.Prompt)+schema) + 20,
		Out: out}}
	c.Cost, c.Priced = ps.Cost(model, c.Usage)
	return c
}

// Took returns what a reserved call took in the end, given the error it ended with. If the
// service doesn't say, even for an unusable answer, it is the estimate.
func (ps Prices) Took(reserved Call, u Usage, err error) Call {
	c := reserved
	answered := err == nil
	var fault *Error
	switch {
	case answered:
	case errors.As(err, &fault):
		c.Fault, u = fault.Fault, fault.Usage
		answered = fault.Status == http.StatusOK && !fault.Passing() && !fault.Ends() // an unusable answer
	default:
		c.Fault = Stopped
	}
	if answered && u.In <= 0 && u.Out <= 0 {
		return reserved.asEstimated(c.Fault)
	}
	c.Usage = u.plausible()
	c.Cost, c.Priced = ps.Cost(c.Model, c.Usage)
	return c
}

func (c Call) asEstimated(f Fault) Call {
	c.Fault, c.Guessed = f, true
	return c
}

// gotNoAnswer reports whether a call ended without any kind of answer or usage.
func gotNoAnswer(c Call) bool {
	return c.Usage == Usage{} && slices.Contains([]Fault{TimedOut, Unreachable, Stopped}, c.Fault)
}

// Watched returns a context and a flag that is set once a request has left: when HTTP
// headers are written, or when Sent is called.
func Watched(ctx context.Context) (context.Context, *atomic.Bool) {
	left := new(atomic.Bool)
	ctx = context.WithValue(ctx, sentKey{}, left)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}), left
}

type sentKey struct{}

// Sent is called by providers that don't use HTTP themselves when a request has left.
func Sent(ctx context.Context) {
	if left, ok := ctx.Value(sentKey{}).(*atomic.Bool); ok {
		left.Store(true)
	}
}

// plausible clamps usage to plausible values, because a ledger that adds up negative or huge
// numbers from a service no longer enforces caps.
func (u Usage) plausible() Usage {
	const most = 1 << 30
	within := func(n int) int { return min(max(n, 0), most) }
	u.In, u.Out = within(u.In), within(u.Out)
	u.CacheRead = min(within(u.CacheRead), u.In)
	u.CacheWrite = min(within(u.CacheWrite), u.In-u.CacheRead)
	u.CacheHour = min(within(u.CacheHour), u.CacheWrite)
	return u
}

// Tokens estimates the number of tokens in a text of so many bytes: four bytes each in
// English prose, three in code and paths.
func Tokens(bytes int) int { return (bytes*10 + 34) / 35 }

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
