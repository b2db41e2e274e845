package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"recall/index"
	"recall/ingest"
	"recall/library"
)

// distill makes payloads and index entries for all sessions that need them, in chronological order, so that each
// finds the payloads that could have been pasted into it. It reports whether the time budget left some undone.
//
// Some ties between sessions only show when they are parsed (see ingest.PlanKeys); a second round handles those.
func (r *run) distill(ctx context.Context) (left bool, err error) {
	tried := map[string]bool{}
	for range 2 {
		work, err := r.behind(ctx, tried)
		if err != nil || len(work) == 0 {
			return false, err
		}
		if left, err = r.distillAll(ctx, work); err != nil || left {
			return left, err
		}
		r.options.Reindex = false
	}
	return false, nil
}

// behind lists the families that need work, except those that were already tried in their current state.
func (r *run) behind(ctx context.Context, tried map[string]bool) ([]*Family, error) {
	entries, stamps, err := r.everything(ctx, len(tried) == 0)
	if err != nil {
		return nil, err
	}
	projects, err := r.p.Library.ProjectsByID()
	if err != nil {
		return nil, err
	}
	var work []*Family
	r.waiting = nil
	for _, f := range Families(entries) {
		due := false
		for _, m := range f.Members {
			want := madeStamp(r.p.made(m))
			m.name = projects[m.Entry.Project].Name
			anew := r.anew(m.Entry, want)
			lacks := stamps[string(m.Entry.ID)] != indexStamp(want, m.name, r.p.named(m.Entry.Also)...)
			due = due || (anew || lacks) && !r.failed[m.Entry.ID]
			r.current[m.Entry.ID] = stamps[string(m.Entry.ID)] != "" && !m.Entry.Behind() && !r.edited[m.Entry.ID] &&
				!slices.ContainsFunc(r.left[m.Entry.ID], func(found ingest.Found) bool {
					state, _ := m.Entry.Judge(found.Files)
					return state != library.Safe
				})
			f.anew = f.anew || anew && r.p.Library.ReadOnly() == nil
		}
		switch {
		case due && r.tooLarge(f, stamps):
			for _, m := range f.Members {
				r.waiting = append(r.waiting, m.Entry.ID)
			}
			r.again = true
		case !due && !r.options.Reindex:
			for _, m := range f.Members {
				r.finished(m.Entry.ID)
			}
		case !tried[f.signature()]:
			tried[f.signature()] = true
			work = append(work, f)
		}
	}
	return work, nil
}

// everything lists the library's sessions, with their stamps in the index; first tells it that no round came before.
func (r *run) everything(ctx context.Context, first bool) ([]library.Entry, map[string]string, error) {
	entries, err := r.p.Library.Sessions()
	if err != nil {
		return nil, nil, err
	}
	if first {
		r.report.Problems = append(r.report.Problems, r.p.Library.Broken()...)
	}
	stamps, err := r.p.Index.Stamps(ctx)
	if err == nil {
		err = r.heads(ctx, entries)
	}
	if err == nil {
		err = r.unindex(ctx, entries, stamps)
	}
	return entries, stamps, err
}

// anew reports whether a session's payload isn't what it should be, by its stamp or by people's changes since. Once
// the time budget is used up, it doesn't look for changes: that is left for the next run.
func (r *run) anew(e library.Entry, want string) bool {
	known := r.seen.sessions[e.ID].Page != "" // then hand edits are noticed
	changed := r.edited[e.ID] || r.noted[e.ID] || r.broke && later(e, "notes.jsonl")
	return changed || e.Distilled == nil || madeStamp(*e.Distilled) != want ||
		!known && (r.late() || !r.asWritten(e))
}

// largeFamily is how many bytes of the sources are made again in about a second, which is what a question may wait. A
// turn costs as much as 10 KB.
const largeFamily = 100 << 20

// tooLarge reports whether a family that was made before is left for a run that nobody waits for: all of it would be
// made again, however little it has grown. One that is edited or noted is made now.
func (r *run) tooLarge(f *Family, stamps map[string]string) bool {
	var size int64
	for _, m := range f.Members {
		e := m.Entry
		if changed := r.edited[e.ID] || r.noted[e.ID]; changed || stamps[string(e.ID)] == "" {
			return false
		}
		size += parsedBytes(e) + int64(e.Turns)*10<<10
	}
	return r.options.Budget > 0 && size > largeFamily
}

// unindex removes from the index the sessions whose folders were deleted. While any folder can't be read, it removes
// nothing.
func (r *run) unindex(ctx context.Context, entries []library.Entry, stamps map[string]string) error {
	in := make(map[string]bool, len(entries))
	for _, e := range entries {
		in[string(e.ID)] = true
	}
	if len(r.p.Library.Broken()) > 0 {
		return nil
	}
	for id := range stamps {
		if !in[id] && !strings.HasPrefix(id, index.HandedID("")) {
			if err := r.p.Index.Delete(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// manyFamilies is from how many families on it pays to do things once for all of them.
const manyFamilies = 50

// distillAll parses ahead on other cores and does the rest in order.
func (r *run) distillAll(ctx context.Context, work []*Family) (left bool, err error) {
	if len(work) > manyFamilies/5 {
		if r.lines.known, err = r.p.Index.LineHashes(ctx); err != nil {
			return false, err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	room := semaphore.NewWeighted(InHand)
	for _, f := range work {
		f.ready, f.weight = make(chan struct{}), f.Weight()
	}
	g.Go(func() error {
		for _, f := range work {
			if err := room.Acquire(ctx, f.weight); err != nil {
				return err
			}
			g.Go(func() error {
				r.p.parse(ctx, f)
				for _, m := range f.Members {
					if f.anew && m.Fault == nil {
						m.Fault = Safely("distill", func() (err error) {
							m.fresh, err = r.p.Distiller.Distill(ctx, m.Session)
							return err
						})
					}
				}
				close(f.ready)
				return nil
			})
		}
		return nil
	})
	w := newWriter(ctx, r)
	g.Go(func() error {
		defer w.wait() // nothing must be written after this returns
		for i, f := range work {
			if r.late() {
				left = true
				for _, f := range work[i:] {
					for _, m := range f.Members {
						r.count(func(*Report) { r.left[m.Entry.ID] = nil })
					}
				}
				return cmp.Or(w.wait(), errLate)
			}
			select {
			case <-f.ready:
			case <-w.still.Done():
				return cmp.Or(w.wait(), ctx.Err())
			}
			w.write(r.make(ctx, f), func() { f.Members = nil; room.Release(f.weight) })
			r.p.Tell(Progress{Stage: "distill", Done: i + 1, Total: len(work)})
		}
		return w.wait()
	})
	if err := g.Wait(); err != nil && !errors.Is(err, errLate) {
		return left, err
	}
	r.untidy = r.untidy || len(work) > manyFamilies
	return left, nil
}

var errLate = errors.New("the time budget is used up")

func (r *run) finished(id ingest.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.touched[id] {
		r.seen.add(f, true)
	}
}

// fail reports that a session can't be distilled in its current state. The next sync tries again: the cause may have
// been the machine. A run over some sessions doesn't report others.
func (r *run) fail(e library.Entry, err error) {
	if now, err := r.p.Library.Session(e.ID); err == nil {
		e = now // it may have been moved
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.again, r.failed[e.ID] = true, true
	if r.options.whole() || r.options.Only == e.ID || r.found[e.ID] || r.touched[e.ID] != nil {
		r.report.problem(e.Folder, err)
	}
}

// sayUnusable reports, in every run, the library's folders that can't be used: nothing new can be stored in them.
func (r *run) sayUnusable() {
	if r.options.Only == "" {
		r.report.Problems = append(r.report.Problems, r.p.Library.Unusable()...)
	}
	slices.SortStableFunc(r.report.Problems, func(a, b ingest.Problem) int {
		return cmp.Compare(a.Error(), b.Error())
	})
	r.report.Problems = slices.CompactFunc(r.report.Problems, func(a, b ingest.Problem) bool {
		return a.Error() == b.Error()
	})
}

// writers is how many sessions are written at once: writing is mostly waiting for the disk to sync, which takes
// about as long for several as for one.
const writers = 8

// writer brings finished payloads into the library, several sessions at once, and into the index, many in one
// transaction. A session is done when it is in both.
type writer struct {
	ctx   context.Context
	run   *run
	group *errgroup.Group
	still context.Context // done after an error of the index: write nothing more

	mu   sync.Mutex // also held during a transaction
	docs []*index.Prepared
	of   []saved // by doc
	size int
}

// saved is a session that is in the library and about to be indexed.
type saved struct {
	id   ingest.SessionID
	page string // mark of payload.md, see lookAtPage
}

// Limits of a transaction: sessions, and bytes of text.
const (
	batchDocs  = 64
	batchBytes = 4 << 20
)

func newWriter(ctx context.Context, r *run) *writer {
	w := &writer{ctx: ctx, run: r}
	w.group, w.still = errgroup.WithContext(ctx)
	w.group.SetLimit(writers)
	return w
}

// write takes over a family, whose members are written in order, and calls release when it no longer holds it. What
// can't be written becomes a problem of the report; an index error ends the run and is returned by wait.
func (w *writer) write(family []*Member, release func()) {
	w.group.Go(func() error {
		defer release()
		for _, m := range family {
			if err := w.still.Err(); err != nil {
				return err
			}
			err := Safely("write", func() error {
				if m.fresh != nil {
					if err := w.run.save(m); err != nil {
						return err
					}
				}
				// Even if the payload isn't new: the last run may have been killed after saving it.
				return w.run.p.Library.SaveOutputs(w.ctx, m.Entry.ID)
			})
			if err != nil {
				w.run.fail(m.Entry, err)
			} else if err = w.index(m); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *writer) index(m *Member) error {
	if forgotten, err := w.run.p.Library.Forgotten(m.Entry.ID); err != nil || forgotten {
		return err // while being distilled
	}
	p := m.page.payload
	doc := index.DocOf(m.Session, p, m.project.Name)
	if m.Session.Headless { // as results name it
		doc.Title = index.Headless + doc.Title
	}
	doc.Also = w.run.p.named(m.also)
	doc.Stamp = indexStamp(madeStamp(m.made), m.project.Name, doc.Also...)
	doc.Lines = m.page.lines
	now, err := w.run.p.Library.Session(m.Entry.ID)
	if err != nil {
		now = m.Entry
	}
	doc.Archived = now.Marks.Archived
	page := lookAtPage(now, p.Written)
	ready, err := index.Prepare(doc)
	if err != nil {
		return err
	}
	w.run.count(func(r *Report) {
		r.Indexed++
		r.Items += len(p.Items)
		shown := func(path string) string { return ingest.MapPath(path, m.clean.Name) }
		if u, ok := unread(m.Entry, m.Session.Report, shown); ok {
			r.Unread = append(r.Unread, u)
		}
		r.addUnknown(m.Session.Report.Unknown)
		if m.fresh != nil && !w.run.counted[m.Entry.ID] { // once, even if a fork caused a second round
			w.run.counted[m.Entry.ID] = true
			r.Distilled++
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.docs, w.of = append(w.docs, ready), append(w.of, saved{now.ID, page})
	for _, t := range doc.Turns {
		w.size += len(t.Text) + len(t.More)
	}
	if len(w.docs) >= batchDocs || w.size >= batchBytes {
		return w.flush()
	}
	return nil
}

// flush indexes what has gathered. The caller holds mu.
func (w *writer) flush() error {
	docs, of := w.docs, w.of
	w.docs, w.of, w.size = nil, nil, 0
	left := make([]bool, len(docs)) // forgotten since they were prepared
	err := w.run.p.Index.PutPrepared(w.ctx, docs, func(i int) (_ bool, err error) {
		left[i], err = w.run.p.Library.Forgotten(of[i].id)
		return left[i], err
	})
	if err != nil {
		return err
	}
	for i, s := range of {
		if e, err := w.run.p.Library.Session(s.id); !left[i] {
			if w.run.finished(s.id); err == nil {
				w.run.keepPage(e, s.page)
			}
		}
	}
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	_ = w.run.seen.save() // if this fails, the last one tries again, and says so
	return nil
}

// wait returns when everything passed to write is in the library and the index.
func (w *writer) wait() error {
	err := w.group.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && len(w.docs) > 0 {
		err = w.flush()
	}
	return err
}
