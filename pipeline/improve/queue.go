package improve

import (
	"context"
	"errors"
	"slices"
	"time"

	"recall/distill"
	"recall/ingest"
	"recall/library"
	"recall/library/calls"
	"recall/pipeline"
)

// queue holds the sessions that are due according to their metadata: some may turn out to say too little.
type queue struct {
	options Options
	work    []*pipeline.Family // families with a session that is due, newest first
	due     map[ingest.SessionID]bool
	tries   map[ingest.SessionID]calls.Try
	asked   int // sessions that are due
	resting int // sessions that failed before and are left alone for a while
}

// queueOf finds the sessions that are due. Forks are read together with what they were forked from.
func queueOf(p *pipeline.Pipeline, o Options) (*queue, error) {
	entries, err := p.Library.Sessions()
	if err != nil {
		return nil, err
	}
	q := &queue{options: o, due: map[ingest.SessionID]bool{}}
	if q.tries, err = calls.Tries(p.Library); err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	for _, e := range entries {
		if !e.Behind() { // else rules distill first
			q.due[e.ID] = q.isDue(e, p.Time())
		}
	}
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return a.Start.Compare(b.Start) })
	newest := map[*pipeline.Family]time.Time{}
	for _, f := range pipeline.Families(entries) {
		for _, m := range f.Members {
			if !q.due[m.Entry.ID] {
				continue
			}
			q.asked++
			if last, any := newest[f]; !any || m.Entry.End.After(last) {
				newest[f] = m.Entry.End
			}
		}
		if _, any := newest[f]; any {
			q.work = append(q.work, f)
		}
	}
	slices.SortStableFunc(q.work, func(a, b *pipeline.Family) int { return newest[b].Compare(newest[a]) })
	return q, nil
}

// isDue decides by metadata alone whether to ask the model about a session.
func (q *queue) isDue(e library.Entry, now time.Time) bool {
	if q.options.Only != nil {
		return slices.Contains(q.options.Only, e.ID)
	}
	try, tried := q.tries[e.ID]
	switch {
	case e.Helper || e.Distilled != nil && e.Distilled.Model.Input == e.Input:
		return false
	case e.Quiet(now) < q.options.Quiet:
		return false
	case tried && try.Unripe:
		return try.Input != e.Input
	case tried && isResting(try, now):
		q.resting++
		return false
	}
	return true
}

// Waiting is which sessions wait for the model, according to their metadata: some may turn out to say too little.
type Waiting struct {
	Sessions int       `json:"waiting"`
	Failed   int       `json:"failed"`         // of those, the ones it failed at before
	Resting  int       `json:"resting"`        // of those, left alone for a while
	Again    time.Time `json:"again,omitzero"` // when the first of the resting is asked about again
}

// WaitingIn counts what waits in a library.
func WaitingIn(p *pipeline.Pipeline, quiet time.Duration) (w Waiting, err error) {
	q, err := queueOf(p, Options{Quiet: quiet})
	if err != nil {
		return w, err
	}
	w.Sessions, w.Resting, w.Failed = q.asked+q.resting, q.resting, q.resting
	for id, due := range q.due {
		switch try := q.tries[id]; {
		case due && try.Failed > 0:
			w.Failed++
		case isResting(try, p.Time()):
			w.Again = pipeline.Earlier(w.Again, restsUntil(try).UTC())
		}
	}
	return w, nil
}

// A session that is continued day after day is asked about when what is new justifies the cost of a request's
// instructions, or when it has come to rest: otherwise thirty nights would cost seven times the whole. Until then
// rules add what is new. A session of a single day is asked about as soon as it is quiet.
const (
	growthWorth = 23_000 // tokens of the request, with instructions: see TestThirtyNightsOfGrowth
	atRest      = 3 * 24 * time.Hour
	overnight   = 6 * time.Hour // a pause this long counts as a night
)

// tooSoon reports whether too little is new in a session that the model has seen, or that was continued after a
// night.
func (a *Asker) tooSoon(ctx context.Context, o Options, e library.Entry, s *ingest.Session) bool {
	seen := e.Distilled != nil && e.Distilled.Model.Name != ""
	notYet := o.Only != nil || e.Quiet(a.Time()) >= atRest || !seen && !wentOn(s)
	if notYet {
		return false
	}
	var take distill.Estimate
	err := pipeline.Safely("estimate", func() (err error) {
		take, err = a.Improver.Estimate(ctx, s)
		return err
	})
	return err == nil && take.Requests > 0 && take.In < growthWorth
}

// wentOn reports whether a session was continued after a night.
func wentOn(s *ingest.Session) bool {
	var last time.Time
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Aside() || t.At.IsZero() {
			continue
		}
		if !last.IsZero() && t.At.Sub(last) >= overnight {
			return true
		}
		last = t.At
	}
	return false
}

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
	q, err := queueOf(a.Pipeline, o)
	if err != nil {
		return Foreseen{}, err
	}
	f := Foreseen{Resting: q.resting}
	for id, try := range q.tries { // asked about before, but not compared yet
		if try.Unlinked && !q.due[id] {
			a.bears(&f)
		}
	}
	for i, family := range q.work {
		if ctx.Err() != nil {
			return Foreseen{}, ctx.Err()
		}
		a.ReadFamily(ctx, family)
		for _, m := range family.Members {
			if !q.due[m.Entry.ID] {
				continue
			}
			err := m.Fault
			if err == nil {
				err = a.foresee(ctx, &f, o, m, family.IDs())
			}
			if err != nil {
				f.Problems = append(f.Problems, ingest.Problem{Path: m.Entry.Folder, Err: err})
			}
		}
		family.Members = nil // free the memory
		a.Tell(pipeline.Progress{Stage: "look", Done: i + 1, Total: len(q.work)})
	}
	slices.SortFunc(f.Sessions, func(a, b ForeseenSession) int { return b.End.Compare(a.End) })
	return f, nil
}

// bears adds the estimate for asking how the items of a session relate to others.
func (a *Asker) bears(f *Foreseen) {
	if a.Reconciler != nil {
		f.Bearing.Requests++
		f.Bearing.In, f.Bearing.Out = f.Bearing.In+pairsIn, f.Bearing.Out+pairsOut
	}
}

// foresee adds the estimate for a session that is due.
func (a *Asker) foresee(ctx context.Context, f *Foreseen, o Options, m *pipeline.Member, family []string) error {
	s := m.Session
	if a.Index != nil {
		a.MarkPasted(ctx, s, family)
	}
	if o.Only == nil && !a.Improver.Ripe(s) {
		f.Unripe++
		return nil
	}
	if a.tooSoon(ctx, o, m.Entry, s) {
		return nil
	}
	return pipeline.Safely("estimate", func() error {
		e, err := a.Improver.Estimate(ctx, s)
		if err != nil {
			return err
		}
		if e.Requests > 0 {
			a.bears(f)
		}
		f.Sessions = append(f.Sessions, ForeseenSession{ID: s.ID, Title: s.Title, End: s.End, Estimate: e})
		return nil
	})
}
