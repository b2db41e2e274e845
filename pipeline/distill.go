package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// quietFor is how long nothing was said before a session's title becomes part
// of its folder's name.
const quietFor = 24 * time.Hour

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
	stop := errors.New("out of time")
	g.Go(func() error {
		batch := newBatch(r.Index)
		defer batch.drop()
		for i, f := range work {
			if r.late() && i > 0 {
				left = len(work) - i
				if err := batch.flush(ctx); err != nil {
					return err
				}
				return stop
			}
			select {
			case <-f.ready:
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := r.take(ctx, f, batch); err != nil {
				return err
			}
			f.sessions = nil
			<-slots
			r.progress(Progress{Stage: "distill", Done: i + 1, Total: len(work), Bytes: r.report.Bytes})
		}
		return batch.flush(ctx)
	})
	if err := g.Wait(); err != nil && !errors.Is(err, stop) {
		return left, err
	}
	if len(work) > 50 {
		return left, r.Index.Tidy(context.WithoutCancel(ctx))
	}
	return left, nil
}

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

// take distills a family. Those that made it necessary come last: if this is
// cut off, the next run finds them still behind and does the family again.
func (r *run) take(ctx context.Context, f *family, b *batch) error {
	last := func(i int) int {
		if slices.Contains(f.behind, f.members[i].ID) {
			return 1
		}
		return 0
	}
	order := make([]int, len(f.members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return last(a) - last(b) })
	for _, i := range order {
		err := f.faults[i]
		switch {
		case err != nil:
		case len(f.behind) > 0:
			err = r.one(ctx, f.members[i], f.sessions[i], b)
		default:
			err = r.again(ctx, f.members[i], f.sessions[i], b)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.problem(f.members[i].Folder, err)
		}
	}
	return nil
}

// one does a single session: place, distill, save, index.
func (r *run) one(ctx context.Context, e library.Entry, s *ingest.Session, b *batch) error {
	r.report.BadLines += s.Report.SkippedTotal
	s.MarkPasted(func(line string) ([]string, bool) { return b.known(ctx, line, e.ID) })
	project, err := r.place(e, s)
	if err != nil {
		return err
	}
	p, err := r.Distiller.Distill(ctx, s)
	if err != nil {
		return err
	}
	distill.Ground(s, p)
	r.describe(p, e, s, project)
	if p, err = r.save(e, s, p); err != nil {
		return err
	}
	r.report.Distilled++
	return r.enter(ctx, e, s, p, project, b)
}

// again indexes a session whose payload is as it should be.
func (r *run) again(ctx context.Context, e library.Entry, s *ingest.Session, b *batch) error {
	p, err := r.Library.Payload(e.ID)
	if err != nil {
		return err
	}
	project, err := r.Library.Project(e.Project)
	if err != nil {
		return err
	}
	s.MarkPasted(func(line string) ([]string, bool) { return b.known(ctx, line, e.ID) })
	return r.enter(ctx, e, s, p, project, b)
}

// enter hands a session to the index.
func (r *run) enter(ctx context.Context, e library.Entry, s *ingest.Session, p *payload.Payload, project library.Project, b *batch) error {
	doc := index.DocOf(s, p, project.Name)
	doc.Stamp = r.want(e)
	doc.Lines = writtenLines(p)
	r.report.Indexed++
	r.report.Items += len(p.Items)
	return b.put(ctx, doc, func() { r.finished(e.ID) })
}

// describe fills in what a distiller need not know.
func (r *run) describe(p *payload.Payload, e library.Entry, s *ingest.Session, project library.Project) {
	p.Schema = payload.Schema
	p.Session, p.Source = string(e.ID), string(e.Source)
	p.Title, p.Branch, p.Project = s.Title, s.Where.Branch, project.Name
	p.Start, p.End = s.Start, s.End
	p.Made = payload.Provenance{Distiller: r.Distiller.Name(), Rules: r.Rules.Version(), Input: e.Input}
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

// place notes what parsing told of a session in its entry and moves its folder
// to its project.
func (r *run) place(e library.Entry, s *ingest.Session) (library.Project, error) {
	roots, err := r.Library.Roots()
	if err != nil {
		return library.Project{}, err
	}
	project, err := r.Library.ProjectFor(ingest.ProjectOf(s, roots))
	if err != nil {
		return library.Project{}, err
	}
	m := library.Meta{
		Project: project.ID, Title: s.Title, Start: s.Start, End: s.End, Branch: s.Where.Branch,
		Aliases: s.Aliases, Heads: e.Heads, Turns: len(s.Turns), Helper: s.Helper, Archived: s.Archived,
		Settled: r.now().Sub(s.End) > quietFor,
	}
	if s.Parent != nil {
		m.Parent, m.How = s.Parent.Session, s.Parent.How
	}
	return project, r.Library.Place(e.ID, m)
}
