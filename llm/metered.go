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
	// Reserve asks whether a call may be made that takes as much as c says. What
	// it grants counts as spent until Settle. The error is a *Capped where a cap
	// would be passed.
	Reserve(c Call) error
	// Settle says what a reserved call took in the end; with the zero Call that
	// it wasn't made. An error means that it couldn't be written down.
	Settle(reserved, took Call) error
}

// Call is one request to a model as an account sees it.
type Call struct {
	At      time.Time
	Account Account
	Task    string
	Model   string
	Usage   Usage
	Cost    float64 // USD
	Priced  bool    // false: nobody knows the price, Cost is nothing
	Batch   bool
	Fault   Fault // "" if it was answered
	Guessed bool  // nobody said what it took: Usage and Cost are the estimate

	Lasted time.Duration // until it was answered, or failed; 0 in a batch
}

// Capped is the error of a request that isn't made because it would pass a cap.
type Capped struct {
	Cap   string // "session", "night" or "month"
	Limit string // "$1.00", "200000 tokens"
}

func (e *Capped) Error() string {
	return fmt.Sprintf("the %s's budget of %s is used up", e.Cap, e.Limit)
}

// Stopped is the fault of a call whose caller gave up before an answer came.
const Stopped Fault = "stopped"

// Metered has each request to a model paid from a purse: it is estimated and
// reserved before, and settled after with what it took, as the service counts.
// One that was sent and broke off counts as estimated, since the service may
// have worked on it: caps hold all the same. The error of a request that a cap keeps
// from being made is a *Capped. Put it below Patient: what is tried again is paid again.
//
// What is returned is no Batcher: whoever submits a batch pays for it, as only they
// know what its requests are for.
func Metered(m Model, purse Purse, prices Prices) Model { return &metered{m, purse, prices} }

type metered struct {
	Model
	purse  Purse
	prices Prices
}

// Complete implements Model.
func (m *metered) Complete(ctx context.Context, r Request) (Response, error) {
	call := m.prices.Estimate(m.Name(), r, false)
	call.Account = AccountOf(ctx)
	call.At = time.Now()
	if err := m.purse.Reserve(call); err != nil {
		return Response{}, err
	}
	settled := false
	defer func() {
		if !settled { // a panic below
			m.purse.Settle(call, call.guessed(""))
		}
	}()
	ctx, sent := Watched(ctx)
	answer, err := m.Model.Complete(ctx, r)
	settled = true
	took := m.prices.Took(call, answer.Usage, err)
	if sent.Load() && brokeOff(took) {
		took = call.guessed(took.Fault)
	}
	took.At = time.Now()
	took.Lasted = took.At.Sub(call.At)
	// An answer that is paid for is handed on whatever became of the ledger: the
	// purse remembers that it can't write, and grants nothing more.
	_ = m.purse.Settle(call, took)
	return answer, err
}

// usualOut is how many tokens an answer has, as a guess before it is given:
// prompts ask for little of much.
const usualOut = 1500

// Estimate is what a request may take.
func (ps Prices) Estimate(model string, r Request, batch bool) Call {
	out := usualOut
	if r.Max > 0 {
		out = min(out, r.Max)
	}
	schema := 0
	if r.Schema != nil {
		schema = len(r.Schema.JSON)
	}
	c := Call{Task: r.Task, Model: model, Batch: batch, Usage: Usage{In: Tokens(len(r.System)+len(r.Prompt)+schema) + 20,
		Out: out}}
	c.Cost, c.Priced = ps.Cost(model, c.Usage, batch)
	return c
}

// Took is what a reserved call took in the end, with the error it ended in. A
// service that doesn't say what an answer took, good or not, leaves it at the
// estimate.
func (ps Prices) Took(reserved Call, u Usage, err error) Call {
	c := reserved
	answered := err == nil
	var fault *Error
	switch {
	case answered:
	case errors.As(err, &fault):
		c.Fault, u = fault.Fault, fault.Usage
		answered = fault.Status == http.StatusOK && !fault.Passing() && !fault.Ends() // one that can't be used
	default:
		c.Fault = Stopped
	}
	if answered && u.In <= 0 && u.Out <= 0 {
		return reserved.guessed(c.Fault)
	}
	c.Usage = u.possible()
	c.Cost, c.Priced = ps.Cost(c.Model, c.Usage, c.Batch)
	return c
}

func (c Call) guessed(f Fault) Call {
	c.Fault, c.Guessed = f, true
	return c
}

// brokeOff reports whether a call ended without an answer of any kind, and nobody
// said what it took.
func brokeOff(c Call) bool {
	switch c.Fault {
	case TimedOut, Unreachable, Stopped:
		return c.Usage == Usage{}
	}
	return false
}

// Watched is a context by which it is seen whether a request has left: one by
// HTTP whose head is written, or what Sent was told of.
func Watched(ctx context.Context) (context.Context, *atomic.Bool) {
	left := new(atomic.Bool)
	ctx = context.WithValue(ctx, sentKey{}, left)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { left.Store(true) }}), left
}

type sentKey struct{}

// Sent is called by providers that don't speak HTTP themselves, when a request
// is out of their hands.
func Sent(ctx context.Context) {
	if left, ok := ctx.Value(sentKey{}).(*atomic.Bool); ok {
		left.Store(true)
	}
}

// possible is usage as far as a request can have it: a ledger that adds up what
// a service makes up, less than nothing or more than fits a number, caps nothing.
func (u Usage) possible() Usage {
	const most = 1 << 30
	within := func(n int) int { return min(max(n, 0), most) }
	u.In, u.Out = within(u.In), within(u.Out)
	u.CacheRead = min(within(u.CacheRead), u.In)
	u.CacheWrite = min(within(u.CacheWrite), u.In-u.CacheRead)
	u.CacheHour = min(within(u.CacheHour), u.CacheWrite)
	return u
}

// Tokens guesses how many tokens so many bytes of text are: four bytes of
// English prose, three of code and paths.
func Tokens(bytes int) int { return (bytes*10 + 34) / 35 }
