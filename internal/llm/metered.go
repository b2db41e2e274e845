package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
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
	switch c.Fault {
	case TimedOut, Unreachable, Stopped:
		return c.Usage == Usage{}
	}
	return false
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
