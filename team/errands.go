package team

import (
	"context"
	"errors"
	"fmt"
	"time"

	"recall/ingest"
	"recall/internal/redact"
	"recall/library"
	"recall/library/disk"
)

// Errands reports what a sync exchanges with the team apart from shared sessions.
type Errands struct {
	Told   int64    `json:"told"`             // sessions forgotten here, and now for everybody
	Obeyed []string `json:"obeyed,omitempty"` // forgotten by the same person elsewhere, and now here
	Asked  []string `json:"asked,omitempty"`  // why a session that is still here may be to be forgotten
}

// Notes returns what a person should know of it.
func (e Errands) Notes() (notes []string) {
	notes = append(notes, e.Obeyed...)
	for _, why := range e.Asked {
		notes = append(notes, why+"; it is still here: recall forget SESSION")
	}
	return notes
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
	err = errors.Join(err, t.obey(ctx, m, l, forget, &done))
	if t.Member.Owner {
		err = errors.Join(err, t.Renew(ctx, redact.New()))
	}
	return done, err
}

// mostObeyed is how many sessions are forgotten here at once because they were forgotten elsewhere. The database can't
// be believed for more: whoever runs it can write tombstones in anybody's name.
const mostObeyed = 3

// obey forgets here what the same person forgot on another machine, if this library shared it itself, and sets it
// aside. For everything else the person is asked: what this library never shared, more than a few at once, and what an
// owner of the team removed, which is no longer shared but stays in the person's own library.
func (t *Team) obey(ctx context.Context, m *Membership, l *library.Library,
	forget func(ids ...ingest.SessionID) error, done *Errands) error {
	stones, err := t.Forgotten(ctx, m.Device)
	if err := errors.Join(err, dropAside(l, time.Now())); err != nil {
		return err
	}
	sent, err := m.Outbox().Sent()
	if err != nil && !errors.Is(err, disk.ErrDamaged) {
		return err
	}
	var due []Tombstone
	var failed error
	for _, s := range stones {
		_, err := l.Session(ingest.SessionID(s.Session))
		switch {
		case errors.Is(err, library.ErrNoSession):
			if err := t.Obey(ctx, m.Device, s.ID); err != nil {
				return err
			}
		case !s.Own:
			done.Asked = append(done.Asked, "an owner of the team removed session "+s.Session+" for everybody")
		case !sent[s.Session].Put:
			done.Asked = append(done.Asked, "the team says that you forgot session "+s.Session+
				" elsewhere, but this library never shared it")
		default:
			due = append(due, s)
		}
	}
	if len(due) > mostObeyed {
		for _, s := range due {
			done.Asked = append(done.Asked, fmt.Sprintf("the team says that you forgot session %s elsewhere, and %d others "+
				"at once", s.Session, len(due)-1))
		}
		return nil
	}
	for _, s := range due {
		id := ingest.SessionID(s.Session)
		aside, err := setAside(l, id)
		if err == nil {
			err = forget(id)
		}
		if err == nil {
			err = t.Obey(ctx, m.Device, s.ID)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("session %s, which you forgot elsewhere: %w", id, err))
			continue
		}
		done.Obeyed = append(done.Obeyed, fmt.Sprintf("session %s is forgotten here as well: you forgot it on another machine; "+
			"for %d days its files are kept in %s", id, asideDays, aside))
	}
	return failed
}
