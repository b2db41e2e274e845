package improve

import (
	"context"
	"slices"
	"time"

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
		f.Bearing.Requests, f.Bearing.In, f.Bearing.Out = f.Bearing.Requests+1, f.Bearing.In+pairsIn, f.Bearing.Out+pairsOut
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
