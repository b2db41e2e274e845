package llm

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Patience is how long and how often to ask. Zero values mean what stands
// beside them.
type Patience struct {
	AtOnce  int           // most requests on their way; 4
	Timeout time.Duration // for one answer; as long as it takes
	Tries   int           // of one request; 5
	Pause   time.Duration // before the second try at most, doubled for each further; 1 s
	Longest time.Duration // pause; a service that asks for a longer one isn't asked any more for so long; 90 s
}

const (
	enough = 8                // failures in a row, of any requests, that mean the service is down
	rest   = 10 * time.Minute // until a service that was down is asked again
)

// Patient puts a model behind a queue: at most so many requests at once, each
// within a time, and again after a pause if its fault may pass. Pauses double,
// are drawn at random so that many don't come back at the same moment, and are
// as long as the service asks for.
//
// A service that is down, or that won't answer anybody before something is
// done about it (see Error.Ends), isn't asked any more: every request then gets
// that error at once, so that it costs a night seconds.
//
// What is returned is a Batcher if the model is one. Submit is only tried again
// if the service said that it didn't take the batch, as it would be paid twice.
func Patient(m Model, p Patience) Model {
	q := newPatient(m, p)
	if b, ok := m.(Batcher); ok {
		return &patientBatcher{q, b}
	}
	return q
}

func newPatient(m Model, p Patience) *patient {
	p = p.filled()
	return &patient{Model: m, p: p, down: make(chan struct{}), slots: make(chan struct{}, p.AtOnce)}
}

// Try does something, and again after a pause if what came of it is an *Error that
// may pass.
func (p Patience) Try(ctx context.Context, do func() error) error {
	return newPatient(nil, p).again(ctx, true, (*Error).Passing, do)
}

func (p Patience) filled() Patience {
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

	mu       sync.Mutex
	failures int           // in a row
	fault    *Error        // that everybody gets until rested
	rested   time.Time     // when the service is asked again
	down     chan struct{} // closed when fault is set
	quiet    time.Time     // no request before
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
	err := q.again(ctx, false, (*Error).Passing, func() (err error) {
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

// again does something, with a batch or else a request, until it succeeds, fails for
// good, or has been tried often enough.
func (q *patient) again(ctx context.Context, batch bool, passing func(*Error) bool, do func() error) error {
	pause := q.p.Pause
	for try := 1; ; try++ {
		if err := q.clear(ctx); err != nil {
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
		last := try >= q.p.Tries || e.Fault == TimedOut && try >= 2 // whoever is slow twice is slow
		q.failed(e, last, batch)
		if last || !passing(e) || e.After > q.p.Longest {
			return err
		}
		if err := q.sleep(ctx, max(e.After, rand.N(pause)+time.Millisecond)); err != nil {
			return err
		}
		pause = min(2*pause, q.p.Longest)
	}
}

// clear waits until a request may go out. The error is the context's, or that
// of a service that is down.
func (q *patient) clear(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait, err := q.turn()
		if err != nil || wait <= 0 {
			return err
		}
		if err := q.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// turn says how long a request must wait still.
func (q *patient) turn() (time.Duration, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	if q.fault != nil {
		if now.Before(q.rested) {
			return 0, q.fault
		}
		q.fault, q.failures, q.down = nil, enough-1, make(chan struct{}) // one more, and it is down again
	}
	return q.quiet.Sub(now), nil
}

func (q *patient) answered() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failures = 0
}

// failed counts a fault, and finds that the service is down. Being told to
// slow down isn't that, unless it goes on to the last try.
func (q *patient) failed(e *Error, last, batch bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	switch {
	case e.Fault == NotFound && batch: // the batch, not the model
	case e.Ends(), e.Passing() && e.After > q.p.Longest:
		q.failures = enough
	case e.Fault == RateLimited && !last:
		if until := now.Add(e.After); until.After(q.quiet) { // for all: the limit is everybody's
			q.quiet = until
		}
	case e.Passing():
		q.failures++
	default:
		q.failures = 0 // it is there
	}
	if q.failures < enough || q.fault != nil {
		return
	}
	same := *e
	same.Usage = Usage{} // paid once
	q.fault, q.rested = &same, now.Add(max(rest, e.After))
	close(q.down)
}

// sleep waits, but not for a service that is down.
func (q *patient) sleep(ctx context.Context, d time.Duration) error {
	q.mu.Lock()
	down := q.down
	q.mu.Unlock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-down: // clear says so
	case <-t.C:
	}
	return nil
}

type patientBatcher struct {
	*patient
	b Batcher
}

var _ Batcher = (*patientBatcher)(nil)

// Submit implements Batcher.
func (q *patientBatcher) Submit(ctx context.Context, name string, requests map[string]Request) (id string, err error) {
	refused := func(e *Error) bool { return e.Fault == RateLimited || e.Fault == Overloaded }
	err = q.again(ctx, true, refused, func() (err error) {
		id, err = q.b.Submit(ctx, name, requests)
		return err
	})
	return id, err
}

// Collect implements Batcher.
func (q *patientBatcher) Collect(ctx context.Context, id string) (b Batch, err error) {
	passing := func(e *Error) bool { return e.Passing() && !b.Ended }
	err = q.again(ctx, true, passing, func() (err error) {
		b, err = q.b.Collect(ctx, id)
		return err
	})
	return b, err
}

// Find implements Batcher.
func (q *patientBatcher) Find(ctx context.Context, b Lost) (id string, err error) {
	err = q.again(ctx, true, (*Error).Passing, func() (err error) {
		id, err = q.b.Find(ctx, b)
		return err
	})
	return id, err
}
