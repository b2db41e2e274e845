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
	var work []*family
	for _, members := range families(entries) {
		f := &family{members: members, beside: beside(members)}
		missing := r.options.Reindex
		for i, m := range members {
			edited, touched := r.touched[m.ID]
			want := r.stamp(r.made(m, f.beside[i]))
			f.anew = f.anew || touched && len(edited) == 0 || m.Distilled == nil || r.stamp(*m.Distilled) != want
			missing = missing || stamps[string(m.ID)] != want
		}
		signature := fmt.Sprint(f.anew, f.beside, members[0].Input)
		switch {
		case !f.anew && !missing:
			for _, m := range members {
				r.finished(m.ID)
			}
		case !tried[signature]:
			tried[signature] = true
			work = append(work, f)
		}
	}
	return work, nil
}

// family is a unit of work: sessions that bear on one another, mostly one.
type family struct {
	members  []library.Entry
	beside   []string          // for each, what Provenance.Beside should be
	anew     bool              // distill them all; else only the index lacks them
	sessions []*ingest.Session // parsed and redacted, as members; nil where that failed
	planKeys [][]string
	faults   []error
	ready    chan struct{}
}

func (f *family) ids() []string {
	var ids []string
	for _, m := range f.members {
		ids = append(ids, string(m.ID))
	}
	return ids
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
	f.planKeys = make([][]string, len(f.members))
	var whole []*ingest.Session
	for i, m := range f.members {
		s, err := r.parseOne(ctx, m)
		if err != nil {
			f.faults[i] = err
			continue
		}
		f.sessions[i] = s
		f.planKeys[i] = ingest.PlanKeys(s)
		whole = append(whole, s)
	}
	ingest.Own(whole)
	ingest.AdoptPlans(whole)
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
// been pasted into later sessions.
func (r *run) make(ctx context.Context, f *family) []*made {
	var all []*made
	for i, e := range f.members {
		m := &made{entry: e, session: f.sessions[i], made: r.made(e, f.beside[i])}
		m.entry.Heads = withPlanKeys(e.Heads, f.planKeys[i])
		err := f.faults[i]
		if err == nil {
			err = r.makeOne(ctx, m, f)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			r.problem(e.Folder, err)
		default:
			all = append(all, m)
		}
	}
	return all
}

// made is a session on its way to the library and the index.
type made struct {
	entry   library.Entry
	session *ingest.Session
	made    payload.Provenance // what is (to be) said of its payload
	project library.Project
	fresh   *payload.Payload // as distilled; nil if the saved payload stays
	page    page
}

func (r *run) makeOne(ctx context.Context, m *made, f *family) error {
	m.session.MarkPasted(r.pasted(ctx, f.ids()))
	load := r.loadOne
	if f.anew {
		load = func(m *made) error { return r.distillOne(ctx, m) }
	}
	if err := load(m); err != nil {
		return err
	}
	r.remember(m)
	return nil
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
	p.Made = m.made
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

// made is what the payload of a session is made from, if it is up to date.
func (p *Pipeline) made(e library.Entry, beside string) payload.Provenance {
	return payload.Provenance{Distiller: p.Distiller.Name(), Rules: p.Rules.Version(), Input: e.Input, Beside: beside}
}

// stamp says the same in one word.
func (p *Pipeline) stamp(m payload.Provenance) string {
	return fmt.Sprintf("%s %s %s %s", m.Input, m.Distiller, m.Rules, m.Beside)
}

// finished enters a session's files as seen.
func (r *run) finished(id ingest.SessionID) {
	for _, f := range r.touched[id] {
		r.seen.add(f)
	}
	if e, err := r.Library.Session(id); err == nil {
		r.seen.addPayload(id, e.Folder)
	}
}
