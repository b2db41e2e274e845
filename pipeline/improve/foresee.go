package improve

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/distill"
	"recall/ingest"
	"recall/pipeline"
)

// Foreseen is what a Sync and an Improve after it would ask of the model.
type Foreseen struct {
	Sessions []ForeseenSession `json:"sessions"` // that it would be asked about, the newest first
	Unripe   int               `json:"unripe"`   // sessions that say too little to be asked about
	Pending  int               `json:"pending"`  // sessions whose answers come with a batch
	// sessions that the model failed at before, that would be left alone for a while
	Resting int `json:"resting"`
	Fresh   int `json:"new"` // sessions at the sources that aren't in the library as they are
	// asking how items bear on those of other sessions; this is never part of a batch
	Bearing  distill.Estimate `json:"bearing"`
	Problems []ingest.Problem `json:"-"` // sessions that can't be read
}

// ForeseenSession is one of them.
type ForeseenSession struct {
	ID    ingest.SessionID `json:"id"`
	Title string           `json:"title"`
	End   time.Time        `json:"end,omitzero"`
	distill.Estimate
}

// Sum adds up what all would take.
func (f Foreseen) Sum() (all distill.Estimate) {
	all = f.Bearing
	for _, s := range f.Sessions {
		all.Requests += s.Requests
		all.In += s.In
		all.Out += s.Out
	}
	return all
}

// Foresee says what would be asked, and writes nothing: sessions that aren't in
// the library yet are read where they are. The index may be nil; then what was
// pasted from a payload counts as said.
func (a *Asker) Foresee(ctx context.Context, from []string, o Options) (Foreseen, error) {
	f := foreseeing{Asker: a, options: o}
	changed := map[ingest.SessionID]ingest.Found{} // at the sources, not in the library as they are
	if o.Only == nil {
		found, problems := a.Unarchived(ctx, from)
		f.seen.Problems = problems
		for _, s := range found {
			changed[s.ID] = s
		}
	}
	q, err := queueOf(a.Pipeline, o, changed)
	if err != nil {
		return Foreseen{}, err
	}
	if err := f.leaveOutPending(q); err != nil {
		return Foreseen{}, err
	}
	for id, try := range q.tries { // asked about before, and compared with nothing yet
		if _, fresh := changed[id]; try.Unlinked && !fresh && !q.due[id] {
			f.bears(1)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	total, done := len(changed)+len(q.work), 0
	each := func(do func()) {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			do()
			f.mu.Lock()
			defer f.mu.Unlock()
			done++
			f.Tell(pipeline.Progress{Stage: "look", Done: done, Total: total})
			return nil
		})
	}
	for id, found := range changed {
		if try, ok := q.tries[id]; !ok || !resting(try, f.Time()) {
			each(func() { f.source(ctx, found) })
		}
	}
	for _, family := range q.work {
		each(func() { f.archived(ctx, q, family) })
	}
	if err := group.Wait(); err != nil {
		return Foreseen{}, err
	}
	slices.SortFunc(f.seen.Sessions, func(a, b ForeseenSession) int { return b.End.Compare(a.End) })
	f.seen.Fresh, f.seen.Resting = len(changed), q.resting
	return f.seen, nil
}

type foreseeing struct {
	*Asker
	options Options

	mu   sync.Mutex // guards what follows
	seen Foreseen
}

// bears adds what it takes to ask how the items of so many sessions bear on
// others. The caller holds mu, or is alone.
func (f *foreseeing) bears(sessions int) {
	if f.Reconciler != nil {
		b := &f.seen.Bearing
		b.Requests, b.In, b.Out = b.Requests+sessions, b.In+sessions*pairsIn, b.Out+sessions*pairsOut
	}
}

// leaveOutPending leaves out the sessions of which something is on its way: what
// they will ask after that isn't known.
func (f *foreseeing) leaveOutPending(q *queue) error {
	if f.posting() == nil {
		return nil
	}
	batches, err := outstanding(f.Library)
	if err != nil {
		return err
	}
	for _, b := range batches {
		for key, line := range b.asks {
			if id := ingest.SessionID(line.Session); !b.got[key] && q.due[id] {
				q.due[id] = false
				f.seen.Pending++
			}
		}
	}
	return nil
}

// source looks at a session where its client keeps it.
func (f *foreseeing) source(ctx context.Context, found ingest.Found) {
	s, _, err := f.ReadSource(ctx, found)
	if err != nil {
		f.problem(pipeline.PathOf(found), cmp.Or(errors.Unwrap(err), err))
		return
	}
	s.ID = found.ID
	if quiet := f.Time().Sub(s.End); !s.Helper && (f.options.Live || quiet >= f.options.Quiet || quiet < 0) {
		f.estimate(ctx, s, []string{string(s.ID)})
	}
}

// archived looks at sessions in the library.
func (f *foreseeing) archived(ctx context.Context, q *queue, family *pipeline.Family) {
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
	family.Members = nil // what was read is let go
}

func (f *foreseeing) problem(path string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen.Problems = append(f.seen.Problems, ingest.Problem{Path: path, Reason: err.Error()})
}

func (f *foreseeing) estimate(ctx context.Context, s *ingest.Session, family []string) {
	if f.Index != nil {
		f.MarkPasted(ctx, s, family)
	}
	if f.options.Only == nil && !f.Improver.Ripe(s) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.seen.Unripe++
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
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Requests > 0 {
		f.bears(1)
	}
	f.seen.Sessions = append(f.seen.Sessions, ForeseenSession{ID: s.ID, Title: s.Title, End: s.End, Estimate: e})
}
