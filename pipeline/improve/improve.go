// Package improve asks a model about sessions, after everything that needs none is done: within caps, and at
// growing intervals about sessions that failed. It also estimates what that would cost.
package improve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/internal/llm"
	"recall/library"
	"recall/library/calls"
	"recall/payload"
	"recall/pipeline"
)

// An Asker asks about the sessions of a library.
type Asker struct {
	*pipeline.Pipeline
	Improver   distill.Improver
	Reconciler Reconciler // nil: only rules find links
}

// Options says which sessions to ask a model about.
type Options struct {
	Quiet  time.Duration      // skip sessions in which something was said within this time
	AtOnce int                // sessions in parallel; 0 means 4
	Only   []ingest.SessionID // ask about these, due or not; nil: all that are due
}

// Report is the outcome of a Run.
type Report struct {
	Asked    int    `json:"asked"`          // sessions it was, or was to be, asked about
	Improved int    `json:"improved"`       // of those: now have its payload
	Unripe   int    `json:"unripe"`         // of those: say too little to be asked about
	Waiting  int    `json:"waiting"`        // of those: keep their payload and are asked about again
	Why      string `json:"why,omitempty"`  // the reason for Waiting, in short: what ended the asking, else the first
	Hint     string `json:"hint,omitempty"` // what to do about it; filled in by the caller
	// sessions continued day by day with too little new to be worth asking yet
	Growing  int     `json:"growing"`
	Resting  int     `json:"resting"` // sessions that failed before and are left alone for a while
	Links    int     `json:"links"`   // links between decisions found
	Tokens   int     `json:"tokens"`  // in and out
	Cost     float64 `json:"cost"`    // USD
	Unpriced bool    `json:"unpriced,omitempty"`

	By       string           `json:"-"` // which model was asked; filled in by the caller
	Cause    error            `json:"-"` // the error behind Why; nil for an interrupt
	Busy     bool             `json:"-"` // another recall is asking: nothing was done
	Problems []ingest.Problem `json:"-"` // sessions skipped because of a fault of recall's own
	Refused  int              `json:"-"` // items that the model gave and that don't stand
	Because  string           `json:"-"` // the main reason for Refused
}

// Failed reports whether sessions wait because of a fault, rather than because the budget is used up or the run was
// interrupted.
func (r *Report) Failed() bool {
	return r.Waiting > 0 && r.Cause != nil && !errors.As(r.Cause, new(*llm.Capped))
}

// Run asks the model about the sessions that are due: quiet ones whose payload it hasn't made, or made of other
// bytes, newest first. Each is saved and indexed as soon as it is answered. It comes after a sync, which needs no
// model, so every session has a payload in any case. Meanwhile only other processes' asking is locked out.
//
// A fault of the model isn't an error but part of the report; one that concerns every session ends the run.
func (a *Asker) Run(ctx context.Context, o Options) (Report, error) {
	if err := a.Library.ReadOnly(); err != nil {
		return Report{}, err
	}
	done, err := calls.Alone(a.Library)
	if errors.Is(err, library.ErrBusy) {
		return Report{Busy: true}, nil
	}
	if err != nil {
		return Report{}, err
	}
	defer done()
	g := &asking{Asker: a, begun: time.Now(), claims: map[string][]claim{},
		room: semaphore.NewWeighted(pipeline.InHand)}
	if g.queue, err = queueOf(a.Pipeline, o); err != nil {
		return g.out, err
	}
	g.out.Asked, g.out.Resting = g.asked, g.resting
	err = g.all(ctx)
	err = cmp.Or(err, g.damage)
	if err == nil && g.stopping == nil {
		err = g.reconcile(ctx)
	}
	if g.out.Improved+g.out.Links > 0 && g.damage == nil {
		problems, fault := a.Relate(context.WithoutCancel(ctx))
		g.out.Problems = append(g.out.Problems, problems...)
		err = cmp.Or(err, fault)
	}
	if g.out.Cause = cmp.Or(g.stopping, g.out.Cause); g.out.Cause != nil || g.out.Waiting > 0 {
		g.out.Why = inWords(g.out.Cause)
	}
	took := TookSince(g.Library, g.begun)
	g.out.Tokens, g.out.Cost, g.out.Unpriced = took.Tokens, took.Cost, took.Unpriced
	r := g.out
	queued := r.Waiting + r.Resting
	if r.Asked+queued == 0 {
		return r, err
	}
	return r, cmp.Or(err, g.Library.Journal("improve", map[string]any{"asked": r.Asked, "improved": r.Improved,
		"queued": queued, "skipped": len(r.Problems), "ms": time.Since(g.begun).Milliseconds()}))
}

// asking is a Run in progress.
type asking struct {
	*Asker
	*queue
	room   *semaphore.Weighted // bounds what is parsed and held in memory
	claims map[string][]claim  // by project; see reconcile
	stop   func(cause error)
	begun  time.Time

	saving sync.Mutex // sessions are saved one at a time

	mu       sync.Mutex // guards what follows
	out      Report
	silent   int   // sessions in a row that met only temporary faults
	stopping error // why the asking ended early
	damage   error // an index.ErrRebuild; the library has what the index lacks
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

// family reads a family and asks about those of its sessions that are due, until within ends, and counts the rest as
// unasked. What is in progress by then is paid for, so it is waited for.
func (g *asking) family(ctx, within context.Context, f *pipeline.Family) {
	if within.Err() == nil {
		g.ReadFamily(ctx, f)
	}
	for _, m := range f.Members {
		switch {
		case !g.due[m.Entry.ID]:
		case within.Err() != nil:
			g.waits(nil)
		case m.Fault != nil:
			g.skip(m.Entry, m.Fault)
		default:
			g.one(ctx, f, m)
		}
	}
	f.Members = nil // free the memory
}

// one asks about one session and saves the result.
func (g *asking) one(ctx context.Context, f *pipeline.Family, m *pipeline.Member) {
	e, s := m.Entry, m.Session
	g.MarkPasted(ctx, s, f.IDs())
	if g.options.Only == nil && !g.Improver.Ripe(s) {
		g.tally(func() { g.out.Unripe++ })
		g.note(calls.Try{Session: e.ID, Input: e.Input, Unripe: true})
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
	var fresh *payload.Payload
	err = pipeline.Safely("ask", func() (err error) {
		of := llm.Account{Session: string(e.ID), Project: e.Project}
		fresh, err = g.Improver.Improve(llm.WithAccount(ctx, of), s, rules)
		return err
	})
	if gone, _ := g.Library.Forgotten(e.ID); gone { // so must its answers be
		if err := g.Library.DropAnswers([]ingest.SessionID{e.ID}, nil); err != nil {
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
	// It is paid for, so save it even if interrupted.
	g.saving.Lock()
	err = g.Keep(context.WithoutCancel(ctx), m, fresh, asked)
	g.saving.Unlock()
	if errors.Is(err, index.ErrRebuild) {
		g.tally(func() { g.damage = err })
		if now, fault := g.Library.Session(e.ID); fault == nil && now.Distilled != nil && now.Distilled.Model == asked {
			err = nil // the library has it, and so will the rebuilt index
		}
	}
	if err != nil {
		g.skip(e, err)
		return
	}
	// It has the model's payload, whose items aren't compared with others' yet; earlier failures don't count any more.
	if _, tried := g.tries[e.ID]; tried || g.Reconciler != nil {
		g.note(calls.Try{Session: e.ID, Input: e.Input, Unlinked: g.Reconciler != nil})
	}
	refused, because := distill.Refused(fresh)
	g.tally(func() {
		g.out.Improved, g.silent = g.out.Improved+1, 0
		g.out.Refused, g.out.Because = g.out.Refused+refused, cmp.Or(g.out.Because, because)
	})
}

func (g *asking) tally(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

func (g *asking) problem(path string, err error) {
	g.tally(func() { g.out.Problems = append(g.out.Problems, ingest.Problem{Path: path, Err: err}) })
}

// restsUntil returns until when a session that failed is to be left alone: for one night after the first failure, then
// twice as long each time, up to four weeks.
func restsUntil(t calls.Try) time.Time {
	if t.Failed == 0 {
		return t.At
	}
	nights := 1 << min(t.Failed-1, 5)
	wait := time.Duration(min(nights, 28))*24*time.Hour - 4*time.Hour // nightly runs don't start at the exact minute
	return t.At.Add(wait)
}

func isResting(t calls.Try, now time.Time) bool {
	return now.Before(restsUntil(t)) && !now.Before(t.At)
}

// downAfter is how many sessions in a row may go unanswered, despite retries, before the service counts as down.
const downAfter = 3

// fault handles a session that got no payload from the model; it keeps the one it has. Temporary faults are retried
// on the next run, others after longer and longer waits; if no session would be answered, the asking ends.
func (g *asking) fault(ctx context.Context, e library.Entry, err error) {
	var fault *llm.Error
	var capped *llm.Capped
	switch {
	case ctx.Err() != nil:
		g.waits(nil)
	case errors.As(err, &capped):
		g.waits(err)
		if capped.Cap != "session" {
			g.stop(err)
			return
		}
		g.failedAgain(e, "budget used up")
	case errors.As(err, &fault):
		g.waits(err)
		down := false
		if fault.Passing() {
			g.tally(func() { g.silent++; down = g.silent >= downAfter })
		}
		switch {
		case fault.Ends() || down:
			g.stop(err)
		case fault.Fault == llm.TimedOut || !fault.Passing():
			g.failedAgain(e, inShort(fault))
		}
	default:
		g.skip(e, err)
	}
}

// skip handles a fault of recall's own.
func (g *asking) skip(e library.Entry, err error) {
	g.problem(e.Folder, err)
	g.waits(err)
	g.failedAgain(e, "a fault of recall's")
}

func (g *asking) failedAgain(e library.Entry, why string) {
	g.note(calls.Try{Session: e.ID, Input: e.Input, Failed: g.tries[e.ID].Failed + 1, Fault: why})
}

func (g *asking) note(t calls.Try) {
	t.At = g.Time()
	if err := calls.NoteTry(g.Library, t); err != nil {
		g.problem(g.Library.Dir(), err)
	}
}

// waits counts a session that keeps its payload; why is nil for one left over when the asking ended.
func (g *asking) waits(why error) {
	g.tally(func() { g.out.Waiting++; g.out.Cause = cmp.Or(g.out.Cause, why) })
}

// inShort describes a fault without anything of what was asked.
func inShort(e *llm.Error) string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (%d)", e.Fault, e.Status)
	}
	return string(e.Fault)
}

// inWords describes why sessions wait, nil for an interrupt, in short.
func inWords(why error) string {
	if why == nil {
		return "interrupted"
	}
	if fault, ok := errors.AsType[*llm.Error](why); ok {
		return inShort(fault)
	}
	if capped, ok := errors.AsType[*llm.Capped](why); ok {
		return capped.Error()
	}
	return why.Error()
}
