package team

import (
	"context"
	"errors"

	"recall/ingest"
	"recall/internal/redact"
	"recall/library"
)

// Errands reports what a sync exchanges with the team apart from shared sessions.
type Errands struct {
	Told  int64    `json:"told"`            // sessions forgotten here, and now for everybody
	Asked []string `json:"asked,omitempty"` // why a session that is still here may be to be forgotten
}

// Notes returns what a person should know of it.
func (e Errands) Notes() (notes []string) {
	for _, why := range e.Asked {
		notes = append(notes, why+"; it is still here: recall forget SESSION")
	}
	return notes
}

// Errands runs the errands of a library. A failure of one doesn't stop the others, and calling it again resumes.
func (t *Team) Errands(ctx context.Context, m *Membership, l *library.Library) (done Errands, err error) {
	gone, err := l.Tombstones()
	if err == nil && len(gone) > 0 {
		var ids []string
		for _, id := range gone {
			ids = append(ids, string(id))
		}
		done.Told, err = t.ForgetAll(ctx, ids)
	}
	err = errors.Join(err, t.obey(ctx, m, l, &done))
	if t.Member.Owner {
		err = errors.Join(err, t.Renew(ctx, redact.New()))
	}
	return done, err
}

// obey records which of this person's forgotten sessions this library has nothing of, and asks about the others:
// whoever runs the database can write tombstones in anybody's name, so nothing is forgotten here for what it says.
func (t *Team) obey(ctx context.Context, m *Membership, l *library.Library, done *Errands) error {
	stones, err := t.Forgotten(ctx, m.Device)
	if err != nil {
		return err
	}
	for _, s := range stones {
		_, err := l.Session(ingest.SessionID(s.Session))
		switch {
		case errors.Is(err, library.ErrNoSession):
			if err := t.Obey(ctx, m.Device, s.ID); err != nil {
				return err
			}
		case err != nil:
			return err
		case s.Own:
			done.Asked = append(done.Asked, "the team says that you forgot session "+s.Session+" on another machine")
		default:
			done.Asked = append(done.Asked, "an owner of the team removed session "+s.Session+" for everybody")
		}
	}
	return nil
}
