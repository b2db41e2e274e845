package pipeline

import (
	"context"
	"errors"
	"slices"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/ingest/trace"
	"recall/library"
	"recall/payload"
	"recall/redact"
)

// make brings a family's payloads about, in order and on one core: what it
// renders may have been pasted into later sessions.
func (r *run) make(ctx context.Context, f *family) []*made {
	var all []*made
	for i, e := range f.members {
		m := &made{entry: e, session: f.sessions[i], fresh: f.fresh[i], made: r.made(e, f.beside[i]), ran: f.ran[i], clean: f.clean[i]}
		m.entry.Heads = withPlanKeys(e.Heads, f.planKeys[i])
		err := f.faults[i]
		if err == nil {
			err = safely("distill", func() error { return r.makeOne(ctx, m, f) })
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errLate):
			r.count(func(rep *Report) { rep.Left++ })
			r.again = true
		case err != nil:
			r.fail(e, r.stamp(m.made), err)
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
	ran     ingest.Where     // where it really ran
	clean   *redact.Redactor // that session was redacted with
	fresh   *payload.Payload // as distilled; nil if the saved payload stays
	page    page
	did     *trace.Trace // see doings

	lines   []index.Line     // see writtenLines
	linesOf *payload.Payload // that they are of

	improved bool // fresh is a model's
}

// doings is what the session did, worked out when it is first asked for.
func (m *made) doings() *trace.Trace {
	if m.did == nil {
		m.did = trace.Of(m.session)
	}
	return m.did
}

func (r *run) makeOne(ctx context.Context, m *made, f *family) error {
	if m.session.MarkPasted(r.pasted(ctx, f.ids())) {
		m.fresh = nil // distilled too early: some of it isn't the session's own
	}
	load := r.loadOne
	if f.anew {
		load = func(m *made) error { return r.distillOne(ctx, m) }
	}
	err := load(m)
	if !f.anew && errors.Is(err, library.ErrNoPayload) { // somebody deleted it
		err = r.distillOne(ctx, m)
	}
	if err != nil {
		return err
	}
	r.remember(m)
	return nil
}

// distillOne makes a session's payload anew.
func (r *run) distillOne(ctx context.Context, m *made) error {
	var err error
	if m.project, err = r.projectOf(m.session, m.ran, m.clean); err != nil {
		return err
	}
	if m.fresh == nil {
		m.fresh, err = r.distillIn(ctx, m.session)
	}
	if err == nil {
		err = r.addNotes(m)
	}
	if err != nil {
		return err
	}
	distill.Hold(m.session, m.fresh)
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
	p.Title, p.Branch, p.Project = s.Title, s.Where.Branch, ownName(m.project)
	p.Start, p.End = s.Start, s.End
	p.Carried, p.Injected, p.Quoted = nil, nil, nil
	for _, id := range s.Carried {
		list := &p.Quoted
		switch {
		case slices.Contains(s.Pasted, id):
			list = &p.Carried
		case slices.Contains(s.Injected, id):
			list = &p.Injected
		}
		*list = append(*list, payload.ItemID(id))
	}
	p.Made = m.made
}
