package team

import (
	"context"
	"fmt"
	"io"

	"recall/internal/hint"
)

// Export writes everything that the database has about a member, one JSON object per line:
// {"table":…,"row":{…}}, except for what others wrote that mentions them. The member and an owner of the team
// can do this.
func (t *Team) Export(ctx context.Context, member int, to io.Writer) (rows int, err error) {
	all, err := t.pool.Query(ctx, `SELECT about::text FROM recall.about($1)`, member)
	if err != nil {
		return 0, explain(err)
	}
	defer all.Close()
	for ; all.Next(); rows++ {
		if _, err := fmt.Fprintf(to, "%s\n", all.RawValues()[0]); err != nil {
			return rows, err
		}
	}
	if err := all.Err(); err != nil {
		return rows, explain(err)
	}
	if rows == 0 { // there would be at least their own row
		return 0, hint.With(ErrRefused, "members can export their own data, an owner of the team anybody's")
	}
	return rows, nil
}

// Erase removes a member with everything that they shared, sent or received; projects that they kept go to an
// owner of the team. Their login, now in no team, and their own library stay. The member and an owner can do
// this, but not the only owner to themselves.
func (t *Team) Erase(ctx context.Context, member int) error {
	_, err := t.pool.Exec(ctx, `SELECT recall.erase($1)`, member)
	return explain(err)
}
