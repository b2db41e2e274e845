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
	Settle time.Duration       // archive this long after the first of several writes: 1 second
	Poll   bool                // only poll, as if the system couldn't report changes
	Report func(Report, error) // called after each look that found something or failed; may be nil
	Say    func(string)        // called with messages for the user; may be nil

	Ask   func(context.Context) // asks the model, while watching continues; nil if there is none
	Every time.Duration         // how often to call Ask: 10 minutes
}

const (
	// To keep looks cheap overall, the next one starts at the earliest after
	// restFactor times the duration of the last.
	restFactor = 20
	// Everything is checked this often, even if no changes were reported.
	lookAnyway = 5 * time.Minute
	pollAtMost = 2 * time.Second
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
	o.Settle = cmp.Or(o.Settle, time.Second)
	o.Every = cmp.Or(o.Every, 10*time.Minute)
	w := &watch{Pipeline: p, options: o}
	defer w.asking.Wait()
	changes, stop := w.listen()
	defer stop()
	w.distill = time.Now() // whatever is outstanding
	w.next = time.Now()
	if o.Ask != nil {
		w.ask = time.Now().Add(o.Every)
	}
	for ctx.Err() == nil {
		timer := time.NewTimer(time.Until(Earlier(Earlier(w.next, w.distill), w.ask)))
		select {
		case <-ctx.Done():
		case <-changes:
			soon := time.Now().Add(o.Settle)
			if soon.Before(w.rested) {
				soon = w.rested
			}
			w.next = Earlier(w.next, soon)
		case <-timer.C:
			w.due(ctx)
		}
		timer.Stop()
	}
	return nil
}

// watch is a Watch in progress.
type watch struct {
	*Pipeline
	options WatchOptions
	polling bool
	next    time.Time // when to look for what is new
	rested  time.Time // earliest time for the next look
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
	w.rested = end.Add(restFactor * end.Sub(start))
	w.next = end.Add(lookAnyway)
	if w.polling {
		w.next = end.Add(max(pollAtMost, restFactor*end.Sub(start)))
	}
	if changed := r.New + r.Grown; changed > 0 {
		w.distill = Earlier(w.distill, end.Add(w.options.Quiet))
	}
	if w.fault(r.Problems) || r.New+r.Grown+r.Vanished+r.Packed > 0 || err != nil {
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
	if r.New+r.Grown+r.Distilled+r.Indexed > 0 || err != nil {
		w.report(ctx, r, err)
	}
}

func (w *watch) report(ctx context.Context, r Report, err error) {
	if w.options.Report != nil && ctx.Err() == nil {
		w.options.Report(r, err)
	}
}

// listen returns a channel of changes below the sources' folders, or nil if watch has to poll.
func (w *watch) listen() (changes <-chan struct{}, stop func()) {
	if !w.options.Poll {
		var dirs []string
		for _, reader := range w.Readers {
			for _, root := range w.RootsOf(reader) {
				dirs = append(dirs, ingest.WatchedIn(reader.Source(), RealOf(root))...)
			}
		}
		t, err := newNotifier(dirs)
		if err == nil {
			return t.changes, t.stop
		}
		if w.options.Say != nil {
			w.options.Say("this system can't watch so many folders (" + err.Error() +
				"); looking every few seconds instead")
		}
	}
	w.polling = true
	return nil, func() {}
}
