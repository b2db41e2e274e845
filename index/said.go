package index

import (
	"context"
	"database/sql"
)

// Said returns what was said in a session from one turn to another, and in some turns before and after, in order.
func (x *Index) Said(ctx context.Context, session string, from, to, around int) ([]Turn, error) {
	return readList(ctx, x, func(rows *sql.Rows) (t Turn, err error) {
		var at int64
		var text []byte
		if err = rows.Scan(&t.ID, &t.N, &t.Role, &at, &text); err == nil {
			t.At = fromMillis(at)
			t.Text, err = unpack(text)
		}
		return t, err
	}, `WITH said AS (SELECT * FROM turn WHERE session=(SELECT id FROM session WHERE sid=?1))
		SELECT tid, n, role, at, text FROM said WHERE n BETWEEN ?2 AND ?3
			OR n IN (SELECT n FROM said WHERE n<?2 ORDER BY n DESC LIMIT ?4)
			OR n IN (SELECT n FROM said WHERE n>?3 ORDER BY n LIMIT ?4)
		ORDER BY n`, session, from, to, around)
}
