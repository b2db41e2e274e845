package pipeline

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/distill"
	"recall/ingest"
)

// Foreseen is what a Sync and an Improve after it would ask of the model.
type Foreseen struct {
	Sessions []ForeseenSession `json:"sessions"` // that it would be asked about, the newest first
	Unripe   int               `json:"unripe"`   // sessions that say too little to be asked about
	Pending  int               `json:"pending"`  // sessions whose answers come with a batch
	Resting  int               `json:"resting"`  // sessions that the model failed at before, that would be left alone for a while
	Fresh    int               `json:"new"`      // sessions at the sources that aren't in the library as they are
	Bearing  distill.Estimate  `json:"bearing"`  // asking how items bear on those of other sessions; this is never part of a batch
	Problems []ingest.Problem  `json:"-"`        // sessions that can't be read
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
func (p *Pipeline) Foresee(ctx context.Context, from []string, o ImproveOptions) (Foreseen, error) {
	f := foreseeing{improving: newImproving(p, o), changed: map[ingest.SessionID]ingest.Found{}}
	f.ahead = true
	if o.Only == nil {
		f.lookAtSources(ctx, from)
	}
	if err := f.list(); err != nil {
		return Foreseen{}, err
	}
	if err := f.leaveOutPending(); err != nil {
		return Foreseen{}, err
	}
	for id, try := range f.tries { // asked about before, and compared with nothing yet
		if _, fresh := f.changed[id]; try.Unlinked && !fresh && !f.due[id] {
			f.bears(1)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	total, done := len(f.changed)+len(f.work), 0
	each := func(do func()) {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			do()
			f.mu.Lock()
			defer f.mu.Unlock()
			done++
			f.progress(Progress{Stage: "look", Done: done, Total: total})
			return nil
		})
	}
	for _, found := range f.changed {
		each(func() { f.source(ctx, found) })
	}
	for _, family := range f.work {
		each(func() { f.archived(ctx, family) })
	}
	if err := group.Wait(); err != nil {
		return Foreseen{}, err
	}
	slices.SortFunc(f.seen.Sessions, func(a, b ForeseenSession) int { return b.End.Compare(a.End) })
	f.seen.Fresh, f.seen.Resting = len(f.changed), f.out.Resting
	f.seen.Problems = f.report.Problems
	return f.seen, nil
}

// bears adds what it takes to ask how the items of so many sessions bear on
// others. The caller holds seenMu, or is alone.
func (f *foreseeing) bears(sessions int) {
	if f.Reconciler != nil {
		b := &f.seen.Bearing
		b.Requests, b.In, b.Out = b.Requests+sessions, b.In+sessions*pairsIn, b.Out+sessions*pairsOut
	}
}

// leaveOutPending leaves out the sessions of which something is on its way: what
// they will ask after that isn't known.
func (f *foreseeing) leaveOutPending() error {
	if f.post == nil {
		return nil
	}
	batches, err := outstanding(f.Library)
	if err != nil {
		return err
	}
	for _, b := range batches {
		for key, line := range b.asks {
			if id := ingest.SessionID(line.Session); !b.got[key] && f.due[id] {
				f.due[id] = false
				f.seen.Pending++
			}
		}
	}
	return nil
}

type foreseeing struct {
	*improving
	changed map[ingest.SessionID]ingest.Found // at the sources, not in the library as they are

	seenMu sync.Mutex // guards what follows
	seen   Foreseen
}

// lookAtSources finds what a sync would archive.
func (f *foreseeing) lookAtSources(ctx context.Context, from []string) {
	r := &run{Pipeline: f.Pipeline, options: Options{From: from}, start: time.Now(), seen: openSeen(f.seenPath(), f.version()),
		found: map[ingest.SessionID]bool{}, gone: map[ingest.SessionID][]string{}, touched: map[ingest.SessionID][]ingest.Found{}}
	for _, found := range r.discover(ctx) {
		if gone, err := f.Library.Forgotten(found.ID); err != nil || gone || r.gone[found.ID] != nil {
			continue
		}
		f.changed[found.ID] = found
		f.elsewhere[found.ID] = true
	}
	f.run.report.Problems = append(f.run.report.Problems, r.report.Problems...)
}

// source looks at a session where its client keeps it.
func (f *foreseeing) source(ctx context.Context, found ingest.Found) {
	if try, ok := f.tries[found.ID]; ok && resting(try, f.now()) {
		return
	}
	reader, err := f.reader(found.Source)
	var s *ingest.Session
	if err == nil {
		err = safely("parse", func() (err error) {
			if s, err = reader.Parse(ctx, found); err == nil {
				Redact(f.Rules, s)
			}
			return err
		})
	}
	if err != nil {
		f.problem(pathOf(found), err)
		return
	}
	s.ID = found.ID
	if quiet := f.now().Sub(s.End); !s.Helper && (f.o.Live || quiet >= f.o.Quiet || quiet < 0) {
		f.estimate(ctx, s, []string{string(s.ID)})
	}
}

// archived looks at sessions in the library.
func (f *foreseeing) archived(ctx context.Context, family *family) {
	family.beside = beside(family.members)
	f.parse(ctx, family)
	for i, m := range family.members {
		switch {
		case !f.due[m.ID]:
		case family.faults[i] != nil:
			f.problem(m.Folder, family.faults[i])
		default:
			f.estimate(ctx, family.sessions[i], family.ids())
		}
	}
	family.sessions = nil
}

func (f *foreseeing) estimate(ctx context.Context, s *ingest.Session, family []string) {
	if f.Index != nil {
		s.MarkPasted(f.pasted(ctx, family))
	}
	if f.o.Only == nil && !f.Improver.Ripe(s) {
		f.seenMu.Lock()
		defer f.seenMu.Unlock()
		f.seen.Unripe++
		return
	}
	var e distill.Estimate
	soon := false
	err := safely("estimate", func() error {
		rules, err := f.Distiller.Distill(ctx, s)
		if err != nil {
			return err
		}
		if e, err := f.Library.Session(s.ID); err == nil {
			soon = f.tooSoon(ctx, e, s, rules)
		}
		e, err = f.Improver.Estimate(ctx, s, rules)
		return err
	})
	if soon {
		return
	}
	if err != nil {
		f.problem(string(s.ID), err)
		return
	}
	f.seenMu.Lock()
	defer f.seenMu.Unlock()
	if e.Requests > 0 {
		f.bears(1)
	}
	f.seen.Sessions = append(f.seen.Sessions, ForeseenSession{ID: s.ID, Title: s.Title, End: s.End, Estimate: e})
}
