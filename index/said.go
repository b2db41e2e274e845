package index

import (
	"context"
	"database/sql"
)

// Said returns what was said in a session from one turn to another, in order.
func (x *Index) Said(ctx context.Context, session string, from, to int) ([]Turn, error) {
	return readList(ctx, x, func(rows *sql.Rows) (t Turn, err error) {
		var at int64
		var text []byte
		if err = rows.Scan(&t.ID, &t.N, &t.Role, &at, &text); err == nil {
			t.At = fromMillis(at)
			t.Text, err = unpack(text)
		}
		return t, err
	}, `SELECT tid, n, role, at, text FROM turn WHERE session=(SELECT id FROM session WHERE sid=?) AND n BETWEEN ? AND ?
		ORDER BY n`, session, from, to)
}
