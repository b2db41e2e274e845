package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/redact"
)

// What is parsed and not yet written is held in memory: at most inHand bytes of
// the sources, a family counting for no less than inHand/parseAhead. One that is
// larger has the memory for itself.
const (
	inHand     = 36 << 20
	parseAhead = 18
)

func (f *family) weigh() {
	for _, m := range f.members {
		f.weight += parsedBytes(m)
	}
	f.weight = min(max(f.weight, inHand/parseAhead), inHand)
}

// distill makes payloads and index entries of all sessions that are behind,
// in the order in which they were held, so that each finds the payloads that
// could have been pasted into it. It returns how many the time budget left over.
//
// Some ties between sessions show only when they are parsed (see
// ingest.PlanKeys): then there is a second round for those.
func (r *run) distill(ctx context.Context) (left int, err error) {
	tried := map[string]bool{}
	for range 2 {
		work, err := r.behind(ctx, tried)
		if err != nil || len(work) == 0 {
			return 0, err
		}
		if left, err = r.distillAll(ctx, work); err != nil || left > 0 {
			return left, err
		}
		r.options.Reindex = false
	}
	return 0, nil
}

// behind lists the families of which something is to be done, those left out
// that were tried before as they are.
func (r *run) behind(ctx context.Context, tried map[string]bool) ([]*family, error) {
	entries, err := r.Library.Sessions()
	if err != nil {
		return nil, err
	}
	if len(tried) == 0 {
		r.report.Problems = append(r.report.Problems, r.Library.Broken()...)
	}
	stamps, err := r.Index.Stamps(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.heads(ctx, entries); err != nil {
		return nil, err
	}
	r.forgetFaults(entries)
	if err := r.unindex(ctx, entries, stamps); err != nil {
		return nil, err
	}
	names, err := r.projectNames()
	if err != nil {
		return nil, err
	}
	var work []*family
	r.waiting = 0
	for _, members := range families(entries) {
		f := &family{members: members, beside: beside(members)}
		due := false
		for i, m := range members {
			want := r.stamp(r.made(m, f.beside[i]))
			_, failed := r.seen.faults[m.ID]
			anew := r.edited[m.ID] || r.noted[m.ID] || r.broke && notesLater(m) || failed || m.CutOff() || m.Distilled == nil || r.stamp(*m.Distilled) != want || !r.knowsPage(m)
			f.names = append(f.names, names[m.Project])
			lacks := stamps[string(m.ID)] != indexStamp(want, f.names[i])
			due = due || (anew || lacks) && !r.rests(m, want)
			f.anew = f.anew || anew && r.Library.ReadOnly() == nil
		}
		var until time.Time
		if due {
			until = r.putOff(members, stamps)
		}
		switch {
		case due && (r.busy(members) || !until.IsZero()):
			r.waiting += len(members)
			r.again = true
			r.report.Until = sooner(r.report.Until, until)
		case !due && !r.options.Reindex:
			for _, m := range members {
				r.finished(m.ID)
			}
		case !tried[f.signature()]:
			tried[f.signature()] = true
			work = append(work, f)
		}
	}
	return work, nil
}

// busy reports whether a session of the family was written to lately, if that is
// a reason to leave it alone.
func (r *run) busy(members []library.Entry) bool {
	if r.options.Quiet == 0 {
		return false
	}
	for _, e := range members {
		if e.Behind() && r.now().Sub(e.Written()) < r.options.Quiet {
			return true
		}
	}
	return false
}

// unindex removes from the index the sessions whose folders somebody deleted.
// While a folder can't be read, nothing is sure.
func (r *run) unindex(ctx context.Context, entries []library.Entry, stamps map[string]string) error {
	if len(r.Library.Broken()) > 0 {
		return nil
	}
	in := make(map[string]bool, len(entries))
	for _, e := range entries {
		in[string(e.ID)] = true
	}
	for id := range stamps {
		if !in[id] && !strings.HasPrefix(id, index.HandedID("")) {
			if err := r.Index.Delete(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// knowsPage reports whether a hand edit of a session's payload.md would be, or
// has been, noticed.
func (r *run) knowsPage(e library.Entry) bool {
	_, ok := r.seen.pages[e.ID]
	return ok || r.asWritten(e)
}

// family is a unit of work: sessions that bear on one another, mostly one.
type family struct {
	members  []library.Entry
	beside   []string           // for each, what Provenance.Beside should be
	names    []string           // for each, its project's name as of now
	anew     bool               // distill them all; else only the index lacks them
	sessions []*ingest.Session  // parsed and redacted, as members; nil where that failed
	ran      []ingest.Where     // where each really ran: for its project alone
	clean    []*redact.Redactor // each one's, with what it found
	planKeys [][]string
	fresh    []*payload.Payload // as distilled, before it is known what was pasted; nil where that isn't to be
	faults   []error
	ready    chan struct{}
	weight   int64 // of all this, in bytes of the source
}

// signature tells a family and what is to be done to it from any other.
func (f *family) signature() string {
	var parts []string
	for i, m := range f.members {
		parts = append(parts, string(m.ID), m.Input, f.beside[i], f.names[i])
	}
	return fmt.Sprint(f.anew, parts)
}

func (f *family) ids() []string {
	var ids []string
	for _, m := range f.members {
		ids = append(ids, string(m.ID))
	}
	return ids
}

// manyFamilies is from how many on what is done once for all of them pays.
const manyFamilies = 50

// distillAll parses ahead on other cores and does the rest in order.
func (r *run) distillAll(ctx context.Context, work []*family) (left int, err error) {
	if len(work) > manyFamilies/5 {
		if r.known, err = r.Index.LineHashes(ctx); err != nil {
			return 0, err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	room := semaphore.NewWeighted(inHand)
	for _, f := range work {
		f.ready = make(chan struct{})
		f.weigh()
	}
	g.Go(func() error {
		for _, f := range work {
			if err := room.Acquire(ctx, f.weight); err != nil {
				return err
			}
			g.Go(func() error { r.parse(ctx, f); close(f.ready); makeRoom(); return nil })
		}
		return nil
	})
	w := newWriter(ctx, r)
	g.Go(func() error {
		defer w.wait() // nothing may be written after this returns
		for i, f := range work {
			if r.late() && i > 0 {
				left = sessionsOf(work[i:])
				return cmp.Or(w.wait(), errLate)
			}
			select {
			case <-f.ready:
			case <-ctx.Done():
				return ctx.Err()
			}
			family := r.make(ctx, f)
			f.sessions, f.clean = nil, nil
			if err := w.write(family, func() { room.Release(f.weight) }); err != nil {
				return err
			}
			r.progress(Progress{Stage: "distill", Done: i + 1, Total: len(work), Bytes: r.report.Bytes})
		}
		return w.wait()
	})
	if err := g.Wait(); err != nil && !errors.Is(err, errLate) {
		return left, err
	}
	r.untidy = r.untidy || len(work) > manyFamilies
	return left, nil
}

func sessionsOf(work []*family) int {
	n := 0
	for _, f := range work {
		n += len(f.members)
	}
	return n
}

var errLate = errors.New("the time budget is used up")

// distillIn has the distiller make a payload in what is left of the time budget:
// a question isn't kept waiting by a model that doesn't answer.
func (r *run) distillIn(ctx context.Context, s *ingest.Session) (*payload.Payload, error) {
	if r.options.Budget == 0 {
		return r.Distiller.Distill(ctx, s)
	}
	limited, cancel := context.WithDeadline(ctx, r.start.Add(r.options.Budget))
	defer cancel()
	p, err := r.Distiller.Distill(limited, s)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = errLate
	}
	return p, err
}

// finished enters a session's files as seen.
func (r *run) finished(id ingest.SessionID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.touched[id] {
		r.seen.add(f)
	}
}

// succeeded does that for one that was brought into library and index.
func (r *run) succeeded(e library.Entry, page seenFile) {
	r.finished(e.ID)
	now, err := r.Library.Session(e.ID)
	if err == nil {
		r.keepPage(now, page)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.seen.setKey(e.ID, statPage(filepath.Join(now.Folder, "session.json")))
	}
	if _, ok := r.seen.faults[e.ID]; ok {
		delete(r.seen.faults, e.ID)
		r.seen.dirty = true
	}
}
