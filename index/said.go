package index

import (
	"context"
	"database/sql"

	"recall/payload"
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

// Leads returns what is quoted from a session's turns from one to another.
func (x *Index) Leads(ctx context.Context, session string, from, to int) ([]payload.Item, error) {
	return readList(ctx, x, func(rows *sql.Rows) (payload.Item, error) {
		var data sql.RawBytes
		if err := rows.Scan(&data); err != nil {
			return payload.Item{}, err
		}
		return unpackItem(data)
	}, `SELECT data FROM item WHERE session=(SELECT id FROM session WHERE sid=?) AND kind=? AND n BETWEEN ? AND ?
		ORDER BY n`, session, string(payload.Lead), from, to)
}
