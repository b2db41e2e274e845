package index

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Held is what the index says of a session as a whole.
type Held struct {
	Project, Title, Source string
	Start, End             time.Time // zero if unknown
}

// SessionOf is one session; false if the index doesn't have it.
func (x *Index) SessionOf(ctx context.Context, id string) (Held, bool, error) {
	var h Held
	var start, end int64
	err := x.db.QueryRowContext(ctx, `SELECT project, title, source, start, end FROM session WHERE sid=?`,
		id).Scan(&h.Project, &h.Title, &h.Source, &start, &end)
	if errors.Is(err, sql.ErrNoRows) {
		return h, false, nil
	}
	if err != nil {
		return h, false, x.fail("read index", err)
	}
	h.Start, h.End = fromMillis(start), fromMillis(end)
	return h, true, nil
}

// SetArchived notes of a session whether a person archived it; see Query.Archived.
func (x *Index) SetArchived(ctx context.Context, id string, archived bool) error {
	_, err := x.db.ExecContext(ctx, `UPDATE session SET archived=? WHERE sid=?`, archived, id)
	return x.fail("index "+id, err)
}
