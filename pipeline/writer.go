package pipeline

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"recall/index"
)

// writers is how many sessions are written at once: writing is mostly waiting
// for the disk to confirm, which it does for several at the price of one.
const writers = 8

// writer brings made sessions into the library, several at once, and into the
// index, many in one transaction. A session is finished when it is in both.
type writer struct {
	ctx   context.Context
	run   *run
	group *errgroup.Group

	mu   sync.Mutex
	docs []index.Doc
	done []func()
	size int
}

// A transaction is closed at so many sessions or bytes of text.
const (
	batchDocs  = 64
	batchBytes = 8 << 20
)

func newWriter(ctx context.Context, r *run) *writer {
	w := &writer{ctx: ctx, run: r}
	w.reset()
	return w
}

func (w *writer) reset() {
	w.group, _ = errgroup.WithContext(w.ctx)
	w.group.SetLimit(writers)
}

// write takes over a family, whose members are written in order. What can't be
// written is a problem of the report; a fault of the index ends the run.
func (w *writer) write(family []*made) {
	w.group.Go(func() error {
		for _, m := range family {
			if w.ctx.Err() != nil {
				return w.ctx.Err()
			}
			if m.fresh != nil {
				if err := w.run.save(m); err != nil {
					w.run.problem(m.entry.Folder, err)
					continue
				}
			}
			if err := w.index(m); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *writer) index(m *made) error {
	p := m.page.payload
	doc := index.DocOf(m.session, p, m.project.Name)
	doc.Stamp = w.run.stamp(m.made)
	doc.Lines = writtenLines(p)
	w.run.count(func(r *Report) {
		r.Indexed++
		r.Items += len(p.Items)
		r.BadLines += m.session.Report.SkippedTotal
		if m.fresh != nil {
			r.Distilled++
		}
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.docs = append(w.docs, doc)
	w.done = append(w.done, func() { w.run.finished(m.entry.ID) })
	for _, t := range doc.Turns {
		w.size += len(t.Text) + len(t.More)
	}
	if len(w.docs) >= batchDocs || w.size >= batchBytes {
		return w.flush()
	}
	return nil
}

// flush closes a transaction. The caller holds mu.
func (w *writer) flush() error {
	if len(w.docs) == 0 {
		return nil
	}
	if err := w.run.Index.PutAll(w.ctx, w.docs); err != nil {
		return err
	}
	for _, done := range w.done {
		done()
	}
	w.docs, w.done, w.size = nil, nil, 0
	return nil
}

// wait returns when all that was given to write is in the library and the index.
func (w *writer) wait() error {
	err := w.group.Wait()
	w.reset()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		err = w.flush()
	}
	return err
}
