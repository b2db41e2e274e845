package llm

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Patience limits how often and how long to ask. Zero values mean the defaults given below.
type Patience struct {
	AtOnce  int           // most concurrent requests; 4
	Timeout time.Duration // for one answer; unlimited
	Tries   int           // of one request; 5
	Pause   time.Duration // maximum before the second try, doubled for each further one; 1 s
	Longest time.Duration // longest pause; a service that asks for a longer one isn't asked again until then; 90 s
}

// A service is down after maxFailures consecutive failures of any requests that lasted maxPauses pauses: several at
// once reach that number within a second, which ends no night. It is asked again after downTime.
const (
	maxFailures = 8
	maxPauses   = 10
	downTime    = 10 * time.Minute
)

// Patient wraps a model with a queue: it limits concurrent requests and the time of each, and retries those with
// passing faults after a pause. Pauses double, are randomized so that many requests don't return at the same
// moment, and are as long as the service asks for.
//
// A service that is down, or that won't answer until something is fixed (see Error.Ends), isn't asked again for a
// while: all requests fail immediately with that error, so that an outage costs a nightly run only seconds.
func Patient(m Model, p Patience) Model { return newPatient(m, p) }

func newPatient(m Model, p Patience) *patient {
	p = p.withDefaults()
	return &patient{Model: m, p: p, down: make(chan struct{}), slots: make(chan struct{}, p.AtOnce)}
}

// Try calls do and, after a pause, calls it again if the result is an *Error that may pass.
func (p Patience) Try(ctx context.Context, do func() error) error {
	return newPatient(nil, p).retry(ctx, do)
}

func (p Patience) withDefaults() Patience {
	p.AtOnce = cmp.Or(max(p.AtOnce, 0), 4)
	p.Tries = cmp.Or(max(p.Tries, 0), 5)
	p.Pause = cmp.Or(max(p.Pause, 0), time.Second)
	p.Longest = cmp.Or(max(p.Longest, 0), 90*time.Second)
	return p
}

type patient struct {
	Model
	p     Patience
	slots chan struct{}

	mu         sync.Mutex
	failures   int           // consecutive
	since      time.Time     // of the first of them
	fault      *Error        // returned to everyone until downUntil
	downUntil  time.Time     // when the service may be asked again
	down       chan struct{} // closed when fault is set
	quietUntil time.Time     // no request before this time
}

// Complete implements Model.
func (q *patient) Complete(ctx context.Context, r Request) (Response, error) {
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return Response{}, ctx.Err()
	}
	defer func() { <-q.slots }()
	var res Response
	err := q.retry(ctx, func() (err error) {
		ctx := ctx
		if q.p.Timeout > 0 {
			var cancel func()
			ctx, cancel = context.WithTimeout(ctx, q.p.Timeout)
			defer cancel()
		}
		res, err = q.Model.Complete(ctx, r)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && !errors.As(err, new(*Error)) {
			err = &Error{Fault: TimedOut, Model: q.Name(), Err: err}
		}
		return err
	})
	return res, err
}

// retry repeats a request until it succeeds, fails for good, or has been tried often enough.
func (q *patient) retry(ctx context.Context, do func() error) error {
	pause := q.p.Pause
	for try := 1; ; try++ {
		if err := q.waitTurn(ctx); err != nil {
			return err
		}
		err := do()
		if ctx.Err() != nil && err != nil {
			return ctx.Err()
		}
		var e *Error
		if !errors.As(err, &e) {
			if err == nil {
				q.answered()
			}
			return err
		}
		last := try >= q.p.Tries || e.Fault == TimedOut && try >= 2 // a second timeout means that it is just slow
		q.failed(e, last)
		if last || !e.Passing() || e.After > q.p.Longest {
			return err
		}
		if err := q.sleep(ctx, max(e.After, pause/2+rand.N(pause/2+1))); err != nil {
			return err
		}
		pause = min(2*pause, q.p.Longest)
	}
}

// waitTurn waits until a request may be sent. The error is the context's, or that of a service that is down.
func (q *patient) waitTurn(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait, err := q.turnDelay()
		if err != nil || wait <= 0 {
			return err
		}
		if err := q.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (q *patient) turnDelay() (time.Duration, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if q.fault != nil {
		if now.Before(q.downUntil) {
			return 0, q.fault
		}
		q.fault, q.failures, q.down = nil, maxFailures-1, make(chan struct{}) // one more failure, and it is down again
	}
	return q.quietUntil.Sub(now), nil
}

func (q *patient) answered() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failures = 0
}

// failed counts a fault and determines whether the service is down. Being rate limited
// doesn't count unless it persists to the last try.
func (q *patient) failed(e *Error, last bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if q.failures == 0 {
		q.since = now
	}
	ends := e.Ends() || e.Passing() && e.After > q.p.Longest
	switch {
	case ends:
		q.failures = maxFailures
	case e.Fault == RateLimited && !last:
		if until := now.Add(e.After); until.After(q.quietUntil) { // for all requests: they share the limit
			q.quietUntil = until
		}
	case e.Passing():
		q.failures++
	default:
		q.failures = 0 // it is up
	}
	if q.failures < maxFailures || q.fault != nil || !ends && now.Sub(q.since) < maxPauses*q.p.Pause {
		return
	}
	same := *e
	same.Usage = Usage{} // paid only once
	q.fault, q.downUntil = &same, now.Add(max(downTime, e.After))
	close(q.down)
}

// sleep waits for a duration, or until the service is found to be down.
func (q *patient) sleep(ctx context.Context, d time.Duration) error {
	q.mu.Lock()
	down := q.down
	q.mu.Unlock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-down: // waitTurn returns the error
	case <-t.C:
	}
	return nil
}
