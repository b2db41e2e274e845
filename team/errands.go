package team

import (
	"context"
	"errors"
	"fmt"

	"recall/ingest"
	"recall/internal/redact"
	"recall/library"
	"recall/pipeline/review"
)

// Errands reports what a sync exchanges with the team apart from shared sessions.
type Errands struct {
	Told   int64              `json:"told"`             // sessions forgotten here, and now for everybody
	Obeyed []ingest.SessionID `json:"obeyed,omitempty"` // forgotten by the same person elsewhere, and now here
	Asked  []string           `json:"asked,omitempty"`  // sessions removed by an owner; they are still here
	Handed []*review.Handoff  `json:"handed,omitempty"` // new handoffs in the inbox
	Gave   []string           `json:"gave,omitempty"`   // what happened to handoffs that were waiting
}

// Notes returns what a person should know of it.
func (e Errands) Notes() (notes []string) {
	for _, id := range e.Obeyed {
		notes = append(notes, fmt.Sprintf("session %s is forgotten here as well: you forgot it on another machine", id))
	}
	for _, id := range e.Asked {
		notes = append(notes, fmt.Sprintf("an owner of the team removed session %s for everybody; it is still "+
			"here: recall forget %s", id, id))
	}
	for _, h := range e.Handed {
		notes = append(notes, fmt.Sprintf("%s handed over %s (items: %d): recall review", h.From, h.For, h.Items))
	}
	return append(notes, e.Gave...)
}

// Errands runs the errands of a library; forget removes sessions from it. A failure of one doesn't stop the
// others, and calling it again resumes.
func (t *Team) Errands(ctx context.Context, m *Membership, l *library.Library,
	forget func(ids ...ingest.SessionID) error) (done Errands, err error) {
	gone, err := l.Tombstones()
	if err == nil && len(gone) > 0 {
		var ids []string
		for _, id := range gone {
			ids = append(ids, string(id))
		}
		done.Told, err = t.ForgetAll(ctx, ids)
	}
	err = errors.Join(err, t.obey(ctx, m, l, forget, &done), t.receiveHandoffs(ctx, l, &done),
		t.deliverHeld(ctx, m, &done), t.maintain(ctx))
	return done, err
}

// maintain does what belongs to nobody in particular: it removes what is past its retention and, as the database's
// owner, has the newest rules redact what was shared by people who left.
func (t *Team) maintain(ctx context.Context) error {
	_, err := t.Retain(ctx)
	if t.Member.Owner {
		err = errors.Join(err, t.Renew(ctx, redact.New()))
	}
	return err
}

// obey forgets here what the same person forgot on another machine. What an owner of the team removed is no
// longer shared, but stays in the person's own library.
func (t *Team) obey(ctx context.Context, m *Membership, l *library.Library,
	forget func(ids ...ingest.SessionID) error, done *Errands) error {
	stones, err := t.Forgotten(ctx, m.Device)
	if err != nil {
		return err
	}
	var failed error
	for _, s := range stones {
		id := ingest.SessionID(s.Session)
		_, err := l.Session(id)
		here := !errors.Is(err, library.ErrNoSession)
		switch {
		case here && !s.Own:
			done.Asked = append(done.Asked, s.Session)
			continue
		case here:
			if err := forget(id); err != nil {
				failed = errors.Join(failed, fmt.Errorf("session %s, which you forgot elsewhere: %w", id, err))
				continue
			}
			done.Obeyed = append(done.Obeyed, id)
		}
		if err := t.Obey(ctx, m.Device, s.ID); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}

// receiveHandoffs stores handoffs to this member for review.
func (t *Team) receiveHandoffs(ctx context.Context, l *library.Library, done *Errands) error {
	all, err := l.Received()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	var has []string
	for _, h := range all {
		has = append(has, h.ID)
	}
	if err := t.TakeThose(ctx, has); err != nil {
		return err
	}
	in, err := t.Inbox(ctx, has)
	if err != nil {
		return err
	}
	var failed error
	for _, h := range in {
		got, err := review.Take(l, h.Text, h.From, "", "")
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("what %s handed over: %w", h.From, err))
			continue
		}
		if got.New {
			done.Handed = append(done.Handed, got)
		}
		if err := t.Take(ctx, h.ID); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}
