package improve

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/distill"
	"recall/ingest"
	"recall/pipeline"
)

// Foreseen is what a Run would ask the model.
type Foreseen struct {
	Sessions []ForeseenSession `json:"sessions"` // sessions it would be asked about, newest first
	Unripe   int               `json:"unripe"`   // sessions that say too little to be asked about
	// sessions that failed before and would be left alone for a while
	Resting int `json:"resting"`
	// asking how items relate to those of other sessions
	Bearing  distill.Estimate `json:"bearing"`
	Problems []ingest.Problem `json:"-"` // sessions that can't be read
}

// ForeseenSession is a session that the model would be asked about.
type ForeseenSession struct {
	ID    ingest.SessionID `json:"id"`
	Title string           `json:"title"`
	End   time.Time        `json:"end,omitzero"`
	distill.Estimate
}

// Sum adds up the estimates.
func (f Foreseen) Sum() (all distill.Estimate) {
	all = f.Bearing
	for _, s := range f.Sessions {
		all.Requests += s.Requests
		all.In += s.In
		all.Out += s.Out
	}
	return all
}

// Foresee estimates what would be asked about the sessions in the library, and writes nothing. The index may be nil;
// then what was pasted from a payload counts as said.
func (a *Asker) Foresee(ctx context.Context, o Options) (Foreseen, error) {
	f := foreseeing{Asker: a, options: o}
	q, err := queueOf(a.Pipeline, o)
	if err != nil {
		return Foreseen{}, err
	}
	for id, try := range q.tries { // asked about before, but not compared yet
		if try.Unlinked && !q.due[id] {
			f.bears(1)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	done := 0
	for _, family := range q.work {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f.family(ctx, q, family)
			f.tally(func() {
				done++
				f.Tell(pipeline.Progress{Stage: "look", Done: done, Total: len(q.work)})
			})
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Foreseen{}, err
	}
	slices.SortFunc(f.seen.Sessions, func(a, b ForeseenSession) int { return b.End.Compare(a.End) })
	f.seen.Resting = q.resting
	return f.seen, nil
}

type foreseeing struct {
	*Asker
	options Options

	mu   sync.Mutex // guards what follows
	seen Foreseen
}

// bears adds the estimate for asking how the items of this many sessions relate to others. The caller holds mu, or
// is alone.
func (f *foreseeing) bears(sessions int) {
	if f.Reconciler != nil {
		b := &f.seen.Bearing
		b.Requests, b.In, b.Out = b.Requests+sessions, b.In+sessions*pairsIn, b.Out+sessions*pairsOut
	}
}

// family estimates the sessions of a family.
func (f *foreseeing) family(ctx context.Context, q *queue, family *pipeline.Family) {
	f.ReadFamily(ctx, family)
	for _, m := range family.Members {
		switch {
		case !q.due[m.Entry.ID]:
		case m.Fault != nil:
			f.problem(m.Entry.Folder, m.Fault)
		default:
			f.estimate(ctx, m.Session, family.IDs())
		}
	}
	family.Members = nil // free the memory
}

func (f *foreseeing) problem(path string, err error) {
	f.tally(func() { f.seen.Problems = append(f.seen.Problems, ingest.Problem{Path: path, Err: err}) })
}

func (f *foreseeing) tally(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *foreseeing) estimate(ctx context.Context, s *ingest.Session, family []string) {
	if f.Index != nil {
		f.MarkPasted(ctx, s, family)
	}
	if f.options.Only == nil && !f.Improver.Ripe(s) {
		f.tally(func() { f.seen.Unripe++ })
		return
	}
	var e distill.Estimate
	soon := false
	err := pipeline.Safely("estimate", func() (err error) {
		if e, err := f.Library.Session(s.ID); err == nil {
			soon = f.tooSoon(ctx, f.options, e, s)
		}
		e, err = f.Improver.Estimate(ctx, s)
		return err
	})
	if soon {
		return
	}
	if err != nil {
		f.problem(string(s.ID), err)
		return
	}
	f.tally(func() {
		if e.Requests > 0 {
			f.bears(1)
		}
		f.seen.Sessions = append(f.seen.Sessions, ForeseenSession{ID: s.ID, Title: s.Title, End: s.End, Estimate: e})
	})
}
