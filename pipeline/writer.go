package pipeline

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"recall/index"
	"recall/ingest"
)

// writers is how many sessions are written at once: writing is mostly waiting for the disk to sync, which takes
// about as long for several as for one.
const writers = 8

// writer brings finished payloads into the library, several sessions at once, and into the index, many in one
// transaction. A session is done when it is in both.
type writer struct {
	ctx   context.Context
	run   *run
	group *errgroup.Group
	puts  *errgroup.Group       // one transaction at a time, while the next is prepared
	fault atomic.Pointer[error] // of the index: write nothing more

	mu   sync.Mutex
	docs []*index.Prepared
	gone []func() (bool, error) // by doc: was it, or an item of it, forgotten since it was prepared?
	done []func()               // by doc: called once it is indexed
	size int
}

// Limits of a transaction: sessions, and bytes of text.
const (
	batchDocs  = 64
	batchBytes = 4 << 20
)

func newWriter(ctx context.Context, r *run) *writer {
	w := &writer{ctx: ctx, run: r, group: new(errgroup.Group), puts: new(errgroup.Group)}
	w.group.SetLimit(writers)
	w.puts.SetLimit(1)
	return w
}

// write takes over a family, whose members are written in order, and calls release when it no longer holds it. What
// can't be written becomes a problem of the report; an index error ends the run and is returned by the next call.
func (w *writer) write(family []*Member, release func()) error {
	if err := w.fault.Load(); err != nil {
		release()
		return *err
	}
	w.group.Go(func() error {
		defer release()
		for _, m := range family {
			if w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			if err := w.fault.Load(); err != nil {
				return *err
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
				w.fault.CompareAndSwap(nil, &err)
				return err
			}
		}
		return nil
	})
	return nil
}

func (w *writer) index(m *Member) error {
	gone, err := w.run.p.Library.ForgottenItems()
	if err != nil {
		return err
	}
	forgotten := func() (bool, error) {
		whole, err := w.run.p.Library.Forgotten(m.Entry.ID)
		now, err2 := w.run.p.Library.ForgottenItems()
		return whole || len(now[m.Entry.ID]) > len(gone[m.Entry.ID]), cmp.Or(err, err2)
	}
	if is, err := forgotten(); err != nil || is {
		return err // while being distilled
	}
	p := m.page.payload
	doc := index.DocOf(withoutForgotten(m.Session, gone[m.Entry.ID]), p, m.project.Name)
	if m.Session.Headless { // as results name it
		doc.Title = "headless: " + doc.Title
	}
	doc.Also = w.run.p.named(m.also)
	doc.Stamp = indexStamp(madeStamp(m.made), m.project.Name, doc.Also...)
	doc.Lines = m.writtenLines()
	doc.Did = m.doings()
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
	w.docs, w.gone = append(w.docs, ready), append(w.gone, forgotten)
	w.done = append(w.done, func() { w.run.succeeded(now, page) })
	for _, t := range doc.Turns {
		w.size += len(t.Text) + len(t.More)
	}
	if len(w.docs) >= batchDocs || w.size >= batchBytes {
		w.flush()
	}
	return nil
}

// flush hands what has gathered to a transaction, waiting for the previous one. The caller holds mu, so that at most
// two are in memory.
func (w *writer) flush() {
	if len(w.docs) == 0 {
		return
	}
	docs, gone, done := w.docs, w.gone, w.done
	w.docs, w.gone, w.done, w.size = nil, nil, nil, 0
	w.puts.Go(func() error {
		left := make([]bool, len(docs))
		err := w.run.p.Index.PutPrepared(w.ctx, docs, func(i int) (is bool, err error) {
			is, err = gone[i]()
			left[i] = is
			return is, err
		})
		if err != nil {
			w.fault.CompareAndSwap(nil, &err)
			return err
		}
		for i, say := range done {
			if !left[i] {
				say()
			}
		}
		w.run.mu.Lock()
		defer w.run.mu.Unlock()
		_ = w.run.seen.save() // if this fails, the last one tries again, and says so
		return nil
	})
}

// wait returns when everything passed to write is in the library and the index.
func (w *writer) wait() error {
	err := w.group.Wait()
	w.mu.Lock()
	if err == nil && w.fault.Load() == nil {
		w.flush()
	}
	w.mu.Unlock()
	err = cmp.Or(w.puts.Wait(), err)
	if fault := w.fault.Load(); fault != nil {
		return *fault
	}
	return err
}
