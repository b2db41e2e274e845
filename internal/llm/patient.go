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

// downTime is how long a service isn't asked again that is down.
const downTime = 10 * time.Minute

// Patient wraps a model with a queue: it limits concurrent requests and the time of each, and retries those with
// passing faults after a pause. Pauses double, are randomized so that many requests don't return at the same
// moment, and are as long as the service asks for.
//
// A service that answered nothing while one request was tried to the last, or that won't answer until something is
// fixed (see Error.Ends), isn't asked again for a while: all requests fail immediately with that error, so that an
// outage costs a nightly run only seconds.
func Patient(m Model, p Patience) Model { return newPatient(m, p) }

func newPatient(m Model, p Patience) *patient {
	p = p.withDefaults()
	return &patient{Model: m, p: p, slots: make(chan struct{}, p.AtOnce)}
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
	answeredAt time.Time // when it last answered anything
	fault      *Error    // returned to everyone until downUntil; nil: none yet
	downUntil  time.Time
	quietUntil time.Time // no request before this time: they share its limit
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
	pause, begun := q.p.Pause, time.Now()
	for try := 1; ; try++ {
		if err := q.waitTurn(ctx); err != nil {
			return err
		}
		err := do()
		if ctx.Err() != nil && err != nil {
			return ctx.Err()
		}
		var e *Error
		if err != nil && !errors.As(err, &e) {
			return err
		}
		tries := q.p.Tries
		if e != nil && e.Fault == TimedOut {
			tries = min(tries, 2) // a second timeout means that it is just slow
		}
		last := e == nil || !e.Passing() || try >= tries || e.After > q.p.Longest
		q.heard(e, last, begun)
		if last {
			return err
		}
		if err := sleep(ctx, max(e.After, pause/2+rand.N(pause/2+1))); err != nil {
			return err
		}
		pause = min(2*pause, q.p.Longest)
	}
}

// waitTurn waits until a request may be sent. The error is the context's, or that of a service that is down.
func (q *patient) waitTurn(ctx context.Context) error {
	for {
		q.mu.Lock()
		now := time.Now()
		down, wait := q.fault != nil && now.Before(q.downUntil), q.quietUntil.Sub(now)
		fault := q.fault
		q.mu.Unlock()
		if down {
			return fault
		}
		if err := sleep(ctx, wait); err != nil || wait <= 0 {
			return err
		}
	}
}

// heard notes what became of a try, nil for an answer, of a request that was begun then.
func (q *patient) heard(e *Error, last bool, begun time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	silent := last && !q.answeredAt.After(begun)
	switch {
	case e == nil || !e.Passing() && !e.Ends():
		q.answeredAt = now
	case !last && e.Fault == RateLimited:
		q.quietUntil = now.Add(e.After)
	case e.Ends() || e.After > q.p.Longest || silent && e.Fault != TimedOut:
		same := *e
		same.Usage = Usage{} // paid only once
		q.fault, q.downUntil = &same, now.Add(max(downTime, e.After))
	}
}

// sleep waits for a duration, which may be none.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return ctx.Err()
	}
}
