package pipeline

import (
	"cmp"
	"context"
	"errors"

	"recall/distill"
	"recall/payload"
)

// Keep saves and indexes a payload that a model made of a session, merged with what
// people did to the one before; asked says what it was made of. The session may have
// grown meanwhile: then the next sync adds what rules find in the rest.
func (p *Pipeline) Keep(ctx context.Context, m *Member, fresh *payload.Payload, asked payload.Asked) error {
	var err error
	if m.project, err = p.projectOf(m.Session, m.ran, m.clean); err != nil {
		return err
	}
	m.Entry.Heads = withPlanKeys(m.Entry.Heads, m.planKeys)
	m.fresh, m.improved, m.made = fresh, true, p.made(m.Entry, m.beside)
	m.made.Model = asked
	// Another process may have written the table since it was last read.
	r := p.newRun(Options{})
	if err := r.addNotes(m); err != nil {
		return err
	}
	distill.Hold(m.Session, m.fresh)
	r.describe(m)
	if m.page, err = r.merge(m); err != nil {
		return err
	}
	w := newWriter(ctx, r)
	err = w.write([]*Member{m}, func() {})
	if err = cmp.Or(w.wait(), err, r.seen.save()); err != nil {
		return err
	}
	if failed := r.report.Problems; len(failed) > 0 {
		return errors.New(failed[0].Reason)
	}
	if now, err := p.Library.Session(m.Entry.ID); err == nil && now.Behind() {
		return p.LookAgain()
	}
	return nil
}
