package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"recall/distill"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// parseAhead is how many families are parsed while one is distilled.
const parseAhead = 2

// distill makes payloads and index entries of all sessions that are behind,
// in the order in which they were held, so that each finds the payloads that
// could have been pasted into it. It returns how many the time budget left over.
func (r *run) distill(ctx context.Context) (left int, err error) {
	entries, err := r.Library.Sessions()
	if err != nil {
		return 0, err
	}
	r.report.Problems = append(r.report.Problems, r.Library.Broken()...)
	stamps, err := r.Index.Stamps(ctx)
	if err != nil {
		return 0, err
	}
	behind := func(e library.Entry) bool {
		edited, touched := r.touched[e.ID]
		return touched && len(edited) == 0 || r.stamp(e) != r.want(e)
	}
	if err := r.heads(ctx, entries, behind); err != nil {
		return 0, err
	}
	var work []*family
	for _, members := range families(entries) {
		f := &family{members: members}
		missing := r.options.Reindex
		for _, m := range members {
			if behind(m) {
				f.behind = append(f.behind, m.ID)
			}
			missing = missing || stamps[string(m.ID)] != r.want(m)
		}
		if len(f.behind) > 0 || missing {
			work = append(work, f)
		} else {
			for _, m := range members {
				r.finished(m.ID)
			}
		}
	}
	return r.distillAll(ctx, work)
}

// family is a unit of work: sessions that share a beginning, mostly one.
type family struct {
	members  []library.Entry
	behind   []ingest.SessionID // those that must be distilled, which makes all be; none: only the index lacks them
	sessions []*ingest.Session  // parsed and redacted, as members; nil where that failed
	faults   []error
	ready    chan struct{}
}

// distillAll parses ahead on other cores and does the rest in order.
func (r *run) distillAll(ctx context.Context, work []*family) (left int, err error) {
	g, ctx := errgroup.WithContext(ctx)
	slots := make(chan struct{}, parseAhead)
	for _, f := range work {
		f.ready = make(chan struct{})
	}
	g.Go(func() error {
		for _, f := range work {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
			g.Go(func() error { r.parse(ctx, f); close(f.ready); return nil })
		}
		return nil
	})
	w := newWriter(ctx, r)
	g.Go(func() error {
		defer w.wait() // nothing may be written after this returns
		for i, f := range work {
			if r.late() && i > 0 {
				left = len(work) - i
				return errors.Join(w.wait(), errLate)
			}
			select {
			case <-f.ready:
			case <-ctx.Done():
				return ctx.Err()
			}
			w.write(r.make(ctx, f))
			f.sessions = nil
			<-slots
			r.progress(Progress{Stage: "distill", Done: i + 1, Total: len(work), Bytes: r.report.Bytes})
		}
		return w.wait()
	})
	if err := g.Wait(); err != nil && !errors.Is(err, errLate) {
		return left, err
	}
	if len(work) > 50 {
		return left, r.Index.Tidy(context.WithoutCancel(ctx))
	}
	return left, nil
}

var errLate = errors.New("the time budget is used up")

// parse reads a family from the library, settles who owns what, and redacts.
// Nothing after it sees an unredacted word.
func (r *run) parse(ctx context.Context, f *family) {
	f.sessions = make([]*ingest.Session, len(f.members))
	f.faults = make([]error, len(f.members))
	var whole []*ingest.Session
	for i, m := range f.members {
		s, err := r.parseOne(ctx, m)
		if err != nil {
			f.faults[i] = err
			continue
		}
		f.sessions[i] = s
		whole = append(whole, s)
	}
	ingest.Own(whole)
	for _, s := range whole {
		s.MapText(r.Rules.Session().Text)
	}
}

func (r *run) parseOne(ctx context.Context, m library.Entry) (*ingest.Session, error) {
	reader, err := r.reader(m.Source)
	if err != nil {
		return nil, err
	}
	found, err := r.Library.Found(m.ID)
	if err != nil {
		return nil, err
	}
	s, err := reader.Parse(ctx, found)
	if err != nil {
		return nil, err
	}
	s.ID = m.ID // the key of its folder, whatever its lines say
	return s, nil
}

// make distills a family, in order and on one core: what it renders may have
// been pasted into later sessions. Those that made it necessary come last: if
// writing is cut off, the next run finds them still behind and does the family
// again.
func (r *run) make(ctx context.Context, f *family) []*made {
	var first, last []*made
	for i, e := range f.members {
		m, err := r.makeOne(ctx, e, f.sessions[i], f.faults[i], len(f.behind) > 0)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			r.problem(e.Folder, err)
		case slices.Contains(f.behind, e.ID):
			last = append(last, m)
		default:
			first = append(first, m)
		}
	}
	return append(first, last...)
}

// made is a session on its way to the library and the index.
type made struct {
	entry   library.Entry
	session *ingest.Session
	project library.Project
	fresh   *payload.Payload // as distilled; nil if the saved payload stays
	page    page
}

func (r *run) makeOne(ctx context.Context, e library.Entry, s *ingest.Session, fault error, anew bool) (*made, error) {
	if fault != nil {
		return nil, fault
	}
	s.MarkPasted(func(line string) ([]string, bool) { return r.pasted(ctx, line, e.ID) })
	m := &made{entry: e, session: s}
	var err error
	if anew {
		err = r.distillOne(ctx, m)
	} else {
		err = r.loadOne(m)
	}
	if err != nil {
		return nil, err
	}
	r.remember(m)
	return m, nil
}

// distillOne makes a session's payload anew.
func (r *run) distillOne(ctx context.Context, m *made) error {
	roots, err := r.Library.Roots()
	if err != nil {
		return err
	}
	if m.project, err = r.Library.ProjectFor(ingest.ProjectOf(m.session, roots)); err != nil {
		return err
	}
	if m.fresh, err = r.Distiller.Distill(ctx, m.session); err != nil {
		return err
	}
	distill.Ground(m.session, m.fresh)
	r.describe(m)
	m.page, err = r.merge(m)
	return err
}

// loadOne takes a payload that is as it should be; the index alone lacks it.
func (r *run) loadOne(m *made) error {
	var err error
	if m.page.payload, err = r.Library.Payload(m.entry.ID); err != nil {
		return err
	}
	m.project, err = r.Library.Project(m.entry.Project)
	return err
}

// describe fills in what a distiller need not know.
func (r *run) describe(m *made) {
	p, e, s := m.fresh, m.entry, m.session
	p.Schema = payload.Schema
	p.Session, p.Source = string(e.ID), string(e.Source)
	p.Title, p.Branch, p.Project = s.Title, s.Where.Branch, m.project.Name
	p.Start, p.End = s.Start, s.End
	p.Carried = carried(s)
	p.Made = payload.Provenance{Distiller: r.Distiller.Name(), Rules: r.Rules.Version(), Input: e.Input}
}

// carried lists the items of other sessions that were handed to this one, in
// order of first appearance.
func carried(s *ingest.Session) []payload.ItemID {
	var ids []payload.ItemID
	for _, t := range s.Turns {
		for _, id := range t.Carried {
			if !slices.Contains(ids, payload.ItemID(id)) {
				ids = append(ids, payload.ItemID(id))
			}
		}
	}
	return ids
}

// want is the stamp of a session that is up to date.
func (r *run) want(e library.Entry) string { return e.Input + " " + r.version() }

// stamp is what the saved payload was made from.
func (r *run) stamp(e library.Entry) string {
	if e.Distilled == nil {
		return ""
	}
	return fmt.Sprintf("%s %s %s", e.Distilled.Input, e.Distilled.Distiller, e.Distilled.Rules)
}

// finished enters a session's files as seen.
func (r *run) finished(id ingest.SessionID) {
	found, ok := r.touched[id]
	if !ok {
		return
	}
	for _, f := range found {
		r.seen.add(f)
	}
	if e, err := r.Library.Session(id); err == nil {
		r.seen.addPayload(id, e.Folder)
	}
}
