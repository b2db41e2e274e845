package index

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Put replaces one session atomically: what it says now, with all its items
// and turns. What hasn't changed since the last Put isn't written again, so a
// session that grew costs its growth.
func (x *Index) Put(ctx context.Context, d Doc) error {
	return x.PutAll(ctx, []Doc{d})
}

// PutAll replaces several sessions in one transaction, which is faster than
// one by one. All are replaced or none.
func (x *Index) PutAll(ctx context.Context, docs []Doc) error {
	if len(docs) == 0 {
		return nil
	}
	op := "index " + docs[0].Session
	all := make([]rows, len(docs)) // before the transaction, so that the lock is held for writing only
	for i, d := range docs {
		if d.Session == "" {
			return fmt.Errorf("index: a session without an id")
		}
		var err error
		if all[i], err = rowsOf(d); err != nil {
			return fmt.Errorf("index %s: %w", d.Session, err)
		}
	}
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return x.fail(op, err)
	}
	defer tx.Rollback()
	for i, d := range docs {
		if err := put(ctx, tx, d, all[i]); err != nil {
			return x.fail("index "+d.Session, err)
		}
	}
	return x.fail(op, tx.Commit())
}

// Delete removes a session. One that isn't there is no error.
func (x *Index) Delete(ctx context.Context, session string) error {
	op := "unindex " + session
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return x.fail(op, err)
	}
	defer tx.Rollback()
	var id int64
	err = tx.QueryRowContext(ctx, `SELECT id FROM session WHERE sid=?`, session).Scan(&id)
	if err == sql.ErrNoRows {
		return nil
	}
	if err != nil {
		return x.fail(op, err)
	}
	if err := put(ctx, tx, Doc{Session: session}, rows{}); err != nil {
		return x.fail(op, err)
	}
	if err := dropLines(ctx, tx, session); err != nil {
		return x.fail(op, err)
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM session WHERE id=?`, id); err != nil {
		return x.fail(op, err)
	}
	return x.fail(op, tx.Commit())
}

func put(ctx context.Context, tx *sql.Tx, d Doc, r rows) error {
	var id int64
	err := tx.QueryRowContext(ctx, `INSERT INTO session(sid, project, title, source, start, end, items) VALUES(?,?,?,?,?,?,?)
		ON CONFLICT(sid) DO UPDATE SET project=excluded.project, title=excluded.title, source=excluded.source,
			start=excluded.start, end=excluded.end, items=excluded.items RETURNING id`,
		d.Session, d.Project, d.Title, d.Source, millis(d.Start), millis(d.End), len(d.Items)).Scan(&id)
	if err != nil {
		return err
	}
	if err := putLines(ctx, tx, d); err != nil {
		return err
	}
	if err := replaceItems(ctx, tx, id, r.items); err != nil {
		return err
	}
	return replaceTurns(ctx, tx, id, r.turns)
}

func replaceItems(ctx context.Context, tx *sql.Tx, session int64, rows []itemRow) error {
	old, err := hashes(ctx, tx, `SELECT id, hash FROM item WHERE session=?`, session)
	if err != nil {
		return err
	}
	rows = unchanged(rows, old, func(r itemRow) int64 { return r.hash })
	if err := deleteRows(ctx, tx, old, `DELETE FROM vec WHERE iid=(SELECT iid FROM item WHERE id=?)`, `DELETE FROM fitem WHERE rowid=?`, `DELETE FROM fsource WHERE rowid=?`, `DELETE FROM item WHERE id=?`); err != nil {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	row, err := tx.PrepareContext(ctx, `INSERT INTO item(session, iid, kind, state, at, n, hash, data) VALUES(?,?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	defer row.Close()
	text, err := tx.PrepareContext(ctx, `INSERT INTO fitem(rowid, body, alias) VALUES(?,?,?)`)
	if err != nil {
		return err
	}
	defer text.Close()
	source, err := tx.PrepareContext(ctx, `INSERT INTO fsource(rowid, body) VALUES(?,?)`)
	if err != nil {
		return err
	}
	defer source.Close()
	for _, r := range rows {
		res, err := row.ExecContext(ctx, session, r.iid, r.kind, r.state, r.at, r.n, r.hash, r.data)
		if err != nil {
			return err
		}
		if err := insertText(ctx, text, res, r.body, r.alias); err != nil {
			return err
		}
		if err := insertText(ctx, source, res, r.ctx); err != nil {
			return err
		}
	}
	return nil
}

func replaceTurns(ctx context.Context, tx *sql.Tx, session int64, rows []turnRow) error {
	old, err := hashes(ctx, tx, `SELECT id, hash FROM turn WHERE session=?`, session)
	if err != nil {
		return err
	}
	rows = unchanged(rows, old, func(r turnRow) int64 { return r.hash })
	if err := deleteRows(ctx, tx, old, `DELETE FROM fturn WHERE rowid=?`, `DELETE FROM turn WHERE id=?`); err != nil {
		return err
	}
	if len(rows) == 0 {
		return nil
	}
	row, err := tx.PrepareContext(ctx, `INSERT INTO turn(session, tid, n, role, at, hash, text) VALUES(?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	defer row.Close()
	text, err := tx.PrepareContext(ctx, `INSERT INTO fturn(rowid, body, ctx) VALUES(?,?,?)`)
	if err != nil {
		return err
	}
	defer text.Close()
	for _, r := range rows {
		res, err := row.ExecContext(ctx, session, r.tid, r.n, r.role, r.at, r.hash, r.text)
		if err != nil {
			return err
		}
		if err := insertText(ctx, text, res, r.body, r.ctx); err != nil {
			return err
		}
	}
	return nil
}

func insertText(ctx context.Context, st *sql.Stmt, res sql.Result, columns ...any) error {
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	_, err = st.ExecContext(ctx, append([]any{id}, columns...)...)
	return err
}

// hashes lists a session's rows by the hash of what they hold; two equal rows
// have two ids.
func hashes(ctx context.Context, tx *sql.Tx, query string, session int64) (map[int64][]int64, error) {
	rs, err := tx.QueryContext(ctx, query, session)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	out := map[int64][]int64{}
	for rs.Next() {
		var id, hash int64
		if err := rs.Scan(&id, &hash); err != nil {
			return nil, err
		}
		out[hash] = append(out[hash], id)
	}
	return out, rs.Err()
}

// unchanged leaves in rows what must be written and in old what must go.
func unchanged[T any](rows []T, old map[int64][]int64, hash func(T) int64) []T {
	if len(old) == 0 {
		return rows
	}
	var fresh []T
	for _, r := range rows {
		h := hash(r)
		if ids := old[h]; len(ids) > 0 {
			old[h] = ids[1:]
			continue
		}
		fresh = append(fresh, r)
	}
	return fresh
}

func deleteRows(ctx context.Context, tx *sql.Tx, old map[int64][]int64, statements ...string) error {
	for _, ids := range old {
		for _, id := range ids {
			for _, s := range statements {
				if _, err := tx.ExecContext(ctx, s, id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
