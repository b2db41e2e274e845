// Package improve asks a model about sessions, after all that needs none: at once or with
// batches, within caps, and later and later about those that it failed at. It also foresees
// what that would take.
package improve

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/llm"
	"recall/payload"
	"recall/pipeline"
)

// An Asker asks about the sessions of a library.
type Asker struct {
	*pipeline.Pipeline
	Improver   distill.Improver
	Batch      *Batching  // nil: the model is asked at once
	Reconciler Reconciler // nil: rules alone find what bears on what
}

// Options say about which sessions a model is asked.
type Options struct {
	Live   bool               // ask also about sessions that are going on, and about whatever is new of them
	Quiet  time.Duration      // leave sessions alone in which something was said within this time
	AtOnce int                // sessions; 0 for 4; of a batch they are gathered one by one
	Only   []ingest.SessionID // ask about these, whether they are due or not; nil: all that are due
}

// Report is what asking a model came to.
type Report struct {
	Asked    int    `json:"asked"`          // sessions that it was asked about, or was to be
	Improved int    `json:"improved"`       // of those: have its payload now
	Unripe   int    `json:"unripe"`         // of those: say too little to be asked about
	Pending  int    `json:"pending"`        // of those: their answers come with a batch
	Waiting  int    `json:"waiting"`        // of those: keep the payload that they have, and are asked about again
	Why      string `json:"why,omitempty"`  // why most of Waiting do, in short
	Hint     string `json:"hint,omitempty"` // what can be done about it, for the caller to fill in
	// sessions that go on from day to day, of which too little is new to be worth asking yet
	Growing  int     `json:"growing"`
	Resting  int     `json:"resting"` // sessions it failed at before, that are left alone for a while
	Links    int     `json:"links"`   // links between decisions that it found
	Tokens   int     `json:"tokens"`  // in and out
	Cost     float64 `json:"cost"`    // USD
	Unpriced bool    `json:"unpriced,omitempty"`

	By       string           `json:"-"` // what was asked, for the caller to fill in
	Cause    error            `json:"-"` // the error behind Why; nil for an interrupt
	Busy     bool             `json:"-"` // another recall is asking: nothing was done
	Problems []ingest.Problem `json:"-"` // sessions skipped for a fault of ours
}

// Run asks the model about the sessions that are due: those whose payload it
// hasn't made, or made of other bytes, in which nothing was said for a while,
// the newest first. Each is saved and indexed as soon as it is there. It comes
// after a sync, which needs no model: whatever becomes of it, a session has a
// payload. Nothing is locked meanwhile but other processes' asking.
//
// A fault of the model isn't an error, it is told in the report; one that
// concerns every session ends the asking.
func (a *Asker) Run(ctx context.Context, o Options) (Report, error) {
	if err := a.Library.ReadOnly(); err != nil {
		return Report{}, err
	}
	done, err := a.Library.AskAlone()
	if errors.Is(err, library.ErrBusy) {
		return Report{Busy: true}, nil
	}
	if err != nil {
		return Report{}, err
	}
	defer done()
	g := &asking{Asker: a, post: a.posting(), begun: time.Now(), claims: map[string][]claim{},
		room: semaphore.NewWeighted(pipeline.InHand), why: reasons{}}
	var fault error
	if g.post != nil {
		if fault = g.post.collect(ctx); ctx.Err() != nil {
			return g.out, ctx.Err()
		}
	}
	if g.queue, err = queueOf(a.Pipeline, o, nil); err != nil {
		return g.out, err
	}
	g.out.Asked, g.out.Resting = g.asked, g.resting
	err = g.all(ctx)
	g.send(ctx, fault)
	err = cmp.Or(err, g.damage)
	if err == nil && g.stopping == nil {
		err = g.reconcile(ctx)
	}
	if g.out.Improved+g.out.Links > 0 && g.damage == nil {
		problems, fault := a.Relate(context.WithoutCancel(ctx))
		g.out.Problems = append(g.out.Problems, problems...)
		err = cmp.Or(err, fault)
	}
	g.out.Why, g.out.Cause = g.why.most()
	took := TookSince(g.Library, g.begun)
	g.out.Tokens, g.out.Cost, g.out.Unpriced = took.Tokens, took.Cost, took.Unpriced
	r := g.out
	queued := r.Waiting + r.Pending + r.Resting
	if r.Asked+queued == 0 {
		return r, err
	}
	return r, cmp.Or(err, g.Library.Journal("improve", map[string]any{"asked": r.Asked, "improved": r.Improved,
		"queued": queued, "skipped": len(r.Problems), "ms": time.Since(g.begun).Milliseconds()}))
}

// asking is a Run at work.
type asking struct {
	*Asker
	*queue
	room   *semaphore.Weighted // for what is parsed
	post   *posting            // nil: the model is asked at once
	claims map[string][]claim  // by project; see reconcile
	stop   func(cause error)
	begun  time.Time

	saving sync.Mutex // one session is saved at a time

	mu       sync.Mutex // guards what follows
	out      Report
	why      reasons
	silent   int   // sessions that got nothing but faults that pass, since the last one that was answered
	stopping error // why nobody is asked about any more
	damage   error // of the index, an index.ErrRebuild: what it lacks is in the library
}

// all goes through the families, several at once.
func (g *asking) all(ctx context.Context) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g.stop = func(cause error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.stopping == nil {
			g.stopping = cause
			cancel(cause)
		}
	}
	var group errgroup.Group
	group.SetLimit(cmp.Or(max(g.options.AtOnce, 0), 4))
	if g.post != nil {
		group.SetLimit(1) // it waits for nothing, and what is put out is one session's
	}
	done := 0
	for _, f := range g.work {
		weight := f.Weight()
		if g.room.Acquire(within, weight) != nil {
			g.family(ctx, within, f)
			continue
		}
		group.Go(func() error {
			defer g.room.Release(weight)
			g.family(ctx, within, f)
			g.mu.Lock()
			defer g.mu.Unlock()
			done++
			g.Tell(pipeline.Progress{Stage: "ask", Done: done, Total: len(g.work)})
			return nil
		})
	}
	group.Wait()
	return ctx.Err()
}

// family reads a family and asks about those of it that are due, within the time
// until the asking ends, and counts those that nobody was asked about any more. What is
// asked by then is paid for, and is waited for.
func (g *asking) family(ctx, within context.Context, f *pipeline.Family) {
	if within.Err() == nil {
		g.ReadFamily(ctx, f)
	}
	for _, m := range f.Members {
		switch {
		case !g.due[m.Entry.ID]:
		case within.Err() != nil:
			g.unasked()
		case m.Fault != nil:
			g.skip(m.Entry, m.Fault)
		default:
			g.one(ctx, f, m)
		}
	}
	f.Members = nil // what was read is let go
}

// one asks about one session and saves what came of it.
func (g *asking) one(ctx context.Context, f *pipeline.Family, m *pipeline.Member) {
	e, s := m.Entry, m.Session
	g.MarkPasted(ctx, s, f.IDs())
	if g.options.Only == nil && !g.Improver.Ripe(s) {
		g.tally(func() { g.out.Unripe++ })
		g.note(library.Try{Session: e.ID, Input: e.Input, Unripe: true})
		return
	}
	rules, err := g.Distiller.Distill(ctx, s)
	if err != nil {
		g.fault(ctx, e, err)
		return
	}
	if g.tooSoon(ctx, g.options, e, s) {
		g.tally(func() { g.out.Asked--; g.out.Growing++ })
		return
	}
	fresh, err := g.ask(ctx, e, s, rules)
	if g.post != nil {
		g.post.gather(e)
	}
	if gone, _ := g.Library.Forgotten(e.ID); gone { // and so must be what was answered
		if err := g.Library.DropAnswers(e.ID); err != nil {
			g.skip(e, err)
		}
		return
	}
	if err != nil {
		g.fault(ctx, e, err)
		return
	}
	asked := payload.Asked{Name: g.Improver.Name(), Prompt: g.Improver.Prompt(), Input: e.Input, Turns: len(s.Turns)}
	if n := len(s.Turns); n > 0 {
		asked.Last = string(s.Turns[n-1].ID)
	}
	// It is paid for: nothing keeps it from being saved.
	g.saving.Lock()
	err = g.Keep(context.WithoutCancel(ctx), m, fresh, asked)
	g.saving.Unlock()
	if errors.Is(err, index.ErrRebuild) {
		g.tally(func() { g.damage = err })
		if now, fault := g.Library.Session(e.ID); fault == nil && now.Distilled != nil && now.Distilled.Model == asked {
			err = nil // the library has it, and so will the index that is made again
		}
	}
	if err != nil {
		g.skip(e, err)
		return
	}
	g.answered(e)
	g.tally(func() { g.out.Improved++; g.silent = 0 })
}

func (g *asking) ask(ctx context.Context, e library.Entry, s *ingest.Session,
	rules *payload.Payload) (fresh *payload.Payload, err error) {
	err = pipeline.Safely("ask", func() (err error) {
		of := llm.Account{Session: string(e.ID), Project: e.Project}
		fresh, err = g.Improver.Improve(llm.WithAccount(ctx, of), s, rules)
		return err
	})
	return fresh, err
}

func (g *asking) tally(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

func (g *asking) problem(path string, err error) {
	g.tally(func() { g.out.Problems = append(g.out.Problems, ingest.Problem{Path: path, Reason: err.Error()}) })
}
