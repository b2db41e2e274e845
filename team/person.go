package team

import (
	"context"
	"fmt"
	"io"

	"recall/hint"
)

// Export writes all that the database has about a member, a JSON object a line: {"table":…,"row":{…}}. What others
// wrote and named them in isn't among it. The member may, and an owner of the team.
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
	if rows == 0 { // their own row is one at least
		return 0, hint.With(ErrRefused, "members may about themselves, an owner of the team about anybody")
	}
	return rows, nil
}

// Erase removes a member with all that they shared, handed over or were handed; the projects that they kept go to an
// owner of the team. Their login stays, in no team, and their own library whole. The member may, and an owner; not the
// only owner themself.
func (t *Team) Erase(ctx context.Context, member int) error {
	_, err := t.pool.Exec(ctx, `SELECT recall.erase($1)`, member)
	return explain(err)
}
