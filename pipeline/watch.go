package pipeline

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"recall/ingest"
)

// WatchOptions configures a Watch. Zero values mean the defaults given.
type WatchOptions struct {
	Quiet  time.Duration       // distill a session after this long without writes: 10 minutes
	Report func(Report, error) // called after each look that found something or failed; may be nil

	Ask   func(context.Context) // asks the model, while watching continues; nil if there is none
	Every time.Duration         // how often to call Ask: 10 minutes
}

const (
	// How often a watch looks: to keep that cheap, at most after restFactor times the duration of the last look.
	lookEvery  = 2 * time.Second
	restFactor = 20
	packAtOnce = 10 * time.Second
)

// Watch archives what is written within seconds, and distills a session once it is quiet, until ctx is done.
// Problems of one look are reported and don't affect later ones (index.ErrReplaced: what it wrote to the index is
// lost); the error is that of a library that can't be written at all.
func (p *Pipeline) Watch(ctx context.Context, o WatchOptions) error {
	if err := p.Library.ReadOnly(); err != nil {
		return err
	}
	o.Quiet = cmp.Or(o.Quiet, 10*time.Minute)
	o.Every = cmp.Or(o.Every, 10*time.Minute)
	w := &watch{Pipeline: p, options: o}
	defer w.asking.Wait()
	w.distill = time.Now() // whatever is outstanding
	w.next = time.Now()
	if o.Ask != nil {
		w.ask = time.Now().Add(o.Every)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(Earlier(Earlier(w.next, w.distill), w.ask))):
			w.due(ctx)
		}
	}
}

// watch is a Watch in progress.
type watch struct {
	*Pipeline
	options WatchOptions
	next    time.Time // when to look for what is new
	distill time.Time // when to distill what is quiet; zero if nothing waits
	ask     time.Time // when to ask the model; zero if there is none
	asking  sync.WaitGroup
	busy    atomic.Bool // asking
	faults  []string    // paths that the last look couldn't archive
}

// Earlier returns the earlier of two times, ignoring zero times.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// due does whatever is due.
func (w *watch) due(ctx context.Context) {
	now := time.Now()
	if !w.next.After(now) {
		w.look(ctx)
	}
	if ctx.Err() == nil && !w.distill.IsZero() && !w.distill.After(now) {
		w.make(ctx)
	}
	if ctx.Err() == nil && !w.ask.IsZero() && !w.ask.After(now) {
		w.ask = time.Now().Add(w.options.Every)
		if w.busy.CompareAndSwap(false, true) {
			w.asking.Go(func() {
				defer w.busy.Store(false)
				w.options.Ask(ctx)
			})
		}
	}
}

// look archives what is new.
func (w *watch) look(ctx context.Context) {
	start := time.Now()
	r, err := w.Archive(ctx, ArchiveOptions{Pack: packAtOnce})
	end := time.Now()
	w.next = end.Add(max(lookEvery, restFactor*end.Sub(start)))
	if changed := r.New + r.Grown + r.Shrunk + r.Again; changed > 0 {
		w.distill = Earlier(w.distill, end.Add(w.options.Quiet))
	}
	if w.fault(r.Problems) || r.New+r.Grown+r.Shrunk+r.Again+r.Vanished+r.Packed > 0 || err != nil {
		w.report(ctx, r, err)
	}
}

// fault reports whether there are problems with other paths than in the last look.
func (w *watch) fault(problems []ingest.Problem) bool {
	had := w.faults
	w.faults = nil
	for _, p := range problems {
		w.faults = append(w.faults, p.Path)
	}
	slices.Sort(w.faults)
	return len(problems) > 0 && !slices.Equal(had, w.faults)
}

// make distills what is quiet. Other sessions are checked again later.
func (w *watch) make(ctx context.Context) {
	r, err := Report{}, w.Index.Replaced()
	if err == nil {
		r, err = w.Sync(ctx, Options{Quiet: w.options.Quiet})
		err = cmp.Or(err, w.Index.Replaced()) // replaced meanwhile
	}
	w.distill = time.Time{}
	if r.Left > 0 || err != nil {
		w.distill = time.Now().Add(max(w.options.Quiet/10, time.Second))
	}
	if r.New+r.Grown+r.Shrunk+r.Again+r.Distilled+r.Indexed > 0 || err != nil {
		w.report(ctx, r, err)
	}
}

func (w *watch) report(ctx context.Context, r Report, err error) {
	if w.options.Report != nil && ctx.Err() == nil {
		w.options.Report(r, err)
	}
}
