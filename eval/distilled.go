package eval

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
)

type distillation struct {
	payload *payload.Payload // with ids
	err     error
	seconds float64
	cost    float64
}

// distillEach distills sessions, as many at once as the options say, each on its own account. A session that
// can't be distilled carries its error; the returned error is one that stops all of them, such as a missing API
// key.
func distillEach(ctx context.Context, sessions []*ingest.Session, o Options) ([]distillation, error) {
	out := make([]distillation, len(sessions))
	err := o.each(ctx, len(sessions), func(ctx context.Context, i int) (what string, err error) {
		s, d := sessions[i], &out[i]
		begun := time.Now()
		d.payload, d.err = o.distiller().Distill(llm.WithAccount(ctx, llm.Account{Session: string(s.ID)}), s)
		d.seconds = time.Since(begun).Seconds()
		if o.Spent != nil {
			d.cost = o.Spent(string(s.ID))
		}
		if d.err == nil {
			payload.Inherit(nil, d.payload)
		}
		return s.Title, fatal(d.err)
	})
	return out, err
}

// fatal returns err if nothing else would be answered after it, else nil.
func fatal(err error) error {
	var fault *llm.Error
	var capped *llm.Capped
	if errors.As(err, &fault) && fault.Ends() || errors.As(err, &capped) {
		return err
	}
	return nil
}

// each runs do n times, as many at once as the options allow, and reports progress after each.
func (o Options) each(ctx context.Context, n int, do func(ctx context.Context, i int) (what string, err error)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, o.AtOnce))
	var mu sync.Mutex
	done := 0
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			what, err := do(ctx, i)
			if err == nil {
				err = ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; err == nil && o.Progress != nil {
				o.Progress(done, n, what)
			}
			return err
		})
	}
	return g.Wait()
}
