package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
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
)

// ImproveOptions say about which sessions a model is asked.
type ImproveOptions struct {
	Live   bool               // ask also about sessions that are going on, and about whatever is new of them
	Quiet  time.Duration      // leave sessions alone in which something was said within this time
	AtOnce int                // sessions; 0 for 4; of a batch they are gathered one by one
	Only   []ingest.SessionID // ask about these, whether they are due or not; nil: all that are due
}

// Improved is what asking a model came to.
type Improved struct {
	Asked    int              // sessions that it was asked about, or was to be
	Improved int              // of those: have its payload now
	Unripe   int              // of those: say too little to be asked about
	Pending  int              // of those: their answers come with a batch
	Waiting  int              // of those: keep the payload that they have, and are asked about again
	Why      string           // why most of Waiting do, in short
	Cause    error            // the error behind Why; nil for an interrupt
	Growing  int              // sessions that go on from day to day, of which too little is new to be worth asking yet
	Resting  int              // sessions it failed at before, that are left alone for a while
	Busy     bool             // another recall is asking: nothing was done
	Links    int              // links between decisions that it found
	Problems []ingest.Problem // sessions skipped for a fault of ours
}

// Improve asks the model about the sessions that are due: those whose payload it
// hasn't made, or made of other bytes, in which nothing was said for a while,
// the newest first. Each is saved and indexed as soon as it is there. It comes
// after Sync, which needs no model: whatever becomes of it, a session has a
// payload. Nothing is locked meanwhile but other processes' asking.
//
// A fault of the model isn't an error, it is told in the report; one that
// concerns every session ends the asking.
func (p *Pipeline) Improve(ctx context.Context, o ImproveOptions) (Improved, error) {
	if p.Improver == nil {
		return Improved{}, nil
	}
	if err := p.Library.ReadOnly(); err != nil {
		return Improved{}, err
	}
	done, err := p.Library.AskAlone()
	if errors.Is(err, library.ErrBusy) {
		return Improved{Busy: true}, nil
	}
	if err != nil {
		return Improved{}, err
	}
	defer done()
	g := newImproving(p, o)
	var fault error
	if g.post != nil {
		if fault = g.post.collect(ctx); ctx.Err() != nil {
			return g.out, ctx.Err()
		}
	}
	if err := g.list(); err != nil {
		return g.out, err
	}
	err = g.all(ctx)
	g.send(ctx, fault)
	err = cmp.Or(err, g.damage)
	if err == nil && g.stopping == nil {
		err = g.reconcile(ctx)
	}
	if g.out.Improved+g.out.Links > 0 && g.damage == nil {
		problems, fault := p.Relate(context.WithoutCancel(ctx))
		g.out.Problems = append(g.out.Problems, problems...)
		err = cmp.Or(err, fault)
	}
	g.out.Why, g.out.Cause = g.why.most()
	return g.out, cmp.Or(err, g.journal(), p.Library.TidyTries(g.worthKeeping))
}

// journal notes what was done, with the wall clock's time.
func (g *improving) journal() error {
	r := g.out
	queued := r.Waiting + r.Pending + r.Resting
	if r.Asked+queued == 0 {
		return nil
	}
	return g.Library.Journal("improve", map[string]any{"asked": r.Asked, "improved": r.Improved, "queued": queued,
		"skipped": len(r.Problems), "ms": time.Since(g.begun).Milliseconds()})
}

// improving is an Improve at work.
type improving struct {
	*run
	o         ImproveOptions
	work      []*family
	due       map[ingest.SessionID]bool
	tries     map[ingest.SessionID]library.Try
	ahead     bool                      // only foreseen: sessions that a sync would distill first count as well
	elsewhere map[ingest.SessionID]bool // looked at where their clients keep them
	room      *semaphore.Weighted       // for what is parsed
	post      *posting                  // nil: the model is asked at once
	claims    map[string][]claim        // by project; see reconcile
	stop      func(cause error)
	begun     time.Time

	saving sync.Mutex // one session is saved at a time

	mu       sync.Mutex // guards what follows
	out      Improved
	why      reasons
	silent   int   // see inARow
	stopping error // why nobody is asked about any more
	damage   error // of the index, an index.ErrRebuild: what it lacks is in the library
}

func newImproving(p *Pipeline, o ImproveOptions) *improving {
	if o.AtOnce <= 0 {
		o.AtOnce = 4
	}
	post := p.posting()
	if post != nil {
		o.AtOnce = 1 // it waits for nothing, and what is put out is one session's
	}
	return &improving{run: &run{Pipeline: p}, o: o, post: post, begun: time.Now(),
		due: map[ingest.SessionID]bool{}, elsewhere: map[ingest.SessionID]bool{}, claims: map[string][]claim{}, room: semaphore.NewWeighted(inHand), why: reasons{}}
}

// list finds the sessions that are due. Forks are read together with what they
// were forked from.
func (g *improving) list() error {
	entries, err := g.Library.Sessions()
	if err != nil {
		return err
	}
	if g.tries, err = g.Library.Tries(); err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	for _, e := range entries {
		g.due[e.ID] = g.isDue(e)
	}
	slices.SortStableFunc(entries, func(a, b library.Entry) int { return a.Start.Compare(b.Start) })
	newest := map[*family]time.Time{}
	for _, members := range families(entries) {
		f := &family{members: members, beside: beside(members)}
		for _, m := range members {
			if g.due[m.ID] {
				g.out.Asked++
				newest[f] = later(newest[f], m.End)
			}
		}
		if _, any := newest[f]; any {
			f.weigh()
			g.work = append(g.work, f)
		}
	}
	slices.SortStableFunc(g.work, func(a, b *family) int { return newest[b].Compare(newest[a]) })
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// isDue tells by metadata alone whether a model is to be asked about a session.
func (g *improving) isDue(e library.Entry) bool {
	if e.Behind() && !g.ahead || g.elsewhere[e.ID] {
		return false // rules come first
	}
	if g.o.Only != nil {
		return slices.Contains(g.o.Only, e.ID)
	}
	try, tried := g.tries[e.ID]
	switch {
	case e.Helper || e.Distilled != nil && e.Distilled.Model.Input == e.Input:
		return false
	case !g.o.Live && e.Quiet(g.now()) < g.o.Quiet:
		return false
	case tried && try.Unripe:
		return try.Input != e.Input
	case tried && resting(try, g.now()):
		g.out.Resting++
		return false
	}
	return true
}

// worthKeeping tells the lines of tries.jsonl that still say something.
func (g *improving) worthKeeping(t library.Try) bool {
	e, err := g.Library.Session(t.Session)
	return err == nil && (t.Unlinked || e.Distilled == nil || e.Distilled.Model.Input != e.Input)
}

// all goes through the families, several at once.
func (g *improving) all(ctx context.Context) error {
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
	group.SetLimit(g.o.AtOnce)
	done := 0
	for _, f := range g.work {
		if g.room.Acquire(within, f.weight) != nil {
			g.leave(f)
			continue
		}
		group.Go(func() error {
			defer g.room.Release(f.weight)
			g.family(ctx, within, f)
			g.mu.Lock()
			defer g.mu.Unlock()
			done++
			g.progress(Progress{Stage: "ask", Done: done, Total: len(g.work)})
			return nil
		})
	}
	group.Wait()
	g.out.Problems = append(g.out.Problems, g.report.Problems...)
	return ctx.Err()
}

// leave counts the sessions of a family that nobody was asked about any more.
func (g *improving) leave(f *family) {
	for _, m := range f.members {
		if g.due[m.ID] {
			g.unasked()
		}
	}
}

// family reads a family and asks about those of it that are due, within the time
// until the asking ends. What is asked by then is paid for, and is waited for.
func (g *improving) family(ctx, within context.Context, f *family) {
	for i, m := range f.members {
		if now, err := g.Library.Session(m.ID); err == nil {
			f.members[i] = now // it may have grown
		}
	}
	f.beside = beside(f.members)
	if within.Err() == nil {
		g.parse(ctx, f)
	}
	for i, m := range f.members {
		switch {
		case !g.due[m.ID]:
		case within.Err() != nil:
			g.unasked()
		case f.faults[i] != nil:
			g.skip(m, f.faults[i])
		default:
			g.one(ctx, f, i)
		}
	}
	f.sessions, f.clean = nil, nil
}

// one asks about one session and saves what came of it.
func (g *improving) one(ctx context.Context, f *family, i int) {
	e, s := f.members[i], f.sessions[i]
	s.MarkPasted(g.pasted(ctx, f.ids()))
	if g.o.Only == nil && !g.Improver.Ripe(s) {
		g.tally(func() { g.out.Unripe++ })
		g.note(library.Try{Session: e.ID, Input: e.Input, Unripe: true})
		return
	}
	rules, err := g.Distiller.Distill(ctx, s)
	if err != nil {
		g.fault(ctx, e, err)
		return
	}
	if g.tooSoon(ctx, e, s, rules) {
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
	m := &made{entry: e, session: s, fresh: fresh, made: g.made(e, f.beside[i]), ran: f.ran[i], clean: f.clean[i], improved: true}
	m.entry.Heads = withPlanKeys(e.Heads, f.planKeys[i])
	m.made.Model = payload.Asked{Name: g.Improver.Name(), Prompt: g.Improver.Prompt(), Input: e.Input, Turns: len(s.Turns)}
	if n := len(s.Turns); n > 0 {
		m.made.Model.Last = string(s.Turns[n-1].ID)
	}
	// It is paid for: nothing keeps it from being saved.
	err = g.keep(context.WithoutCancel(ctx), m)
	if errors.Is(err, index.ErrRebuild) {
		g.tally(func() { g.damage = err })
		if now, fault := g.Library.Session(e.ID); fault == nil && now.Distilled != nil && now.Distilled.Model == m.made.Model {
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

func (g *improving) ask(ctx context.Context, e library.Entry, s *ingest.Session, rules *payload.Payload) (fresh *payload.Payload, err error) {
	err = safely("ask", func() (err error) {
		fresh, err = g.Improver.Improve(llm.WithAccount(ctx, llm.Account{Session: string(e.ID), Project: e.Project}), s, rules)
		return err
	})
	return fresh, err
}

// keep saves and indexes a payload, merged with what people did to the one
// before. The session may have grown meanwhile: then the next sync adds what
// rules find in the rest.
func (g *improving) keep(ctx context.Context, m *made) error {
	g.saving.Lock()
	defer g.saving.Unlock()
	var err error
	if m.project, err = g.projectOf(m.session, m.ran, m.clean); err != nil {
		return err
	}
	// Another process may have written the table since it was last read.
	r := &run{Pipeline: g.Pipeline, start: time.Now(), seen: openSeen(g.seenPath(), g.version()), failed: map[ingest.SessionID]bool{}}
	if err := r.addNotes(m); err != nil {
		return err
	}
	distill.Hold(m.session, m.fresh)
	r.describe(m)
	if m.page, err = r.merge(m); err != nil {
		return err
	}
	w := newWriter(ctx, r)
	err = w.write([]*made{m}, func() {})
	if err = cmp.Or(w.wait(), err, r.seen.save()); err != nil {
		return err
	}
	if failed := r.report.Problems; len(failed) > 0 {
		return errors.New(failed[0].Reason)
	}
	if now, err := g.Library.Session(m.entry.ID); err == nil && now.Behind() {
		return g.unfinished().set()
	}
	return nil
}

func (g *improving) tally(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}
