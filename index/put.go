package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
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
	all := make([]*Prepared, len(docs))
	for i, d := range docs {
		var err error
		if all[i], err = Prepare(d); err != nil {
			return err
		}
	}
	return x.PutPrepared(ctx, all)
}

// Prepared is a session made ready to be put in: its words cut, its rows laid
// out. Most of the work of Put is that, and needs no lock.
type Prepared struct {
	doc  Doc
	rows rows
}

// Prepare makes a session ready. It may be called from several goroutines.
func Prepare(d Doc) (*Prepared, error) {
	if d.Session == "" {
		return nil, fmt.Errorf("index: a session without an id")
	}
	r, err := rowsOf(d)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", d.Session, err)
	}
	d.Turns, d.Did = nil, nil // the rows have what is left to do of them
	return &Prepared{d, r}, nil
}

// PutPrepared is PutAll of sessions that were made ready.
func (x *Index) PutPrepared(ctx context.Context, all []*Prepared) error {
	if len(all) == 0 {
		return nil
	}
	at := all[0].doc.Session
	err := rewrite(ctx, x.db, func(_ *sql.Tx, w *writing) error {
		for _, p := range all {
			at = p.doc.Session
			if err := cmp.Or(ctx.Err(), w.put(context.WithoutCancel(ctx), p)); err != nil {
				return err
			}
		}
		return nil
	})
	return x.fail("index "+at, err)
}

// Delete removes a session. One that isn't there is no error.
func (x *Index) Delete(ctx context.Context, session string) error {
	err := rewrite(ctx, x.db, func(tx *sql.Tx, w *writing) error {
		var id int64
		err := tx.QueryRowContext(ctx, `SELECT id FROM session WHERE sid=?`, session).Scan(&id)
		if err == sql.ErrNoRows {
			return nil
		}
		if err != nil {
			return err
		}
		return cmp.Or(w.rows(ctx, id, rows{}), dropLines(ctx, tx, session), dropDid(ctx, tx, id, didRows{}, nil),
			each(ctx, tx, `DELETE FROM session WHERE id=?`, []int64{id}))
	})
	return x.fail("unindex "+session, err)
}

// putSession writes what an entry is beside its texts, and returns its key.
func putSession(ctx context.Context, tx *sql.Tx, p *Prepared) (id int64, err error) {
	d := p.doc
	err = tx.QueryRowContext(ctx, `INSERT INTO session(sid, project, title, source, start, end, items, said, thread) `+
		`VALUES(?,?,?,?,?,?,?,?,?)
		ON CONFLICT(sid) DO UPDATE SET project=excluded.project, title=excluded.title, source=excluded.source,
			start=excluded.start, end=excluded.end, items=excluded.items, said=excluded.said, thread=excluded.thread `+
		`RETURNING id`,
		d.Session, d.Project, d.Title, d.Source, millis(d.Start), millis(d.End), len(d.Items), p.rows.said(),
		p.rows.thread).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, putLines(ctx, tx, d)
}

// put replaces one session.
func (w *writing) put(ctx context.Context, p *Prepared) error {
	p.rows.words.places = nil // of a transaction that came to nothing
	id, err := putSession(ctx, w.tx, p)
	if err != nil {
		return err
	}
	if err := replaceDid(ctx, w.tx, id, p.rows.did, w.paths); err != nil {
		return err
	}
	return w.rows(ctx, id, p.rows)
}

// rows replaces a session's items and turns.
func (w *writing) rows(ctx context.Context, session int64, r rows) error {
	if err := w.items(ctx, session, r); err != nil {
		return err
	}
	return w.turns(ctx, session, r)
}

func (w *writing) items(ctx context.Context, session int64, r rows) error {
	fresh, gone, err := changes(ctx, w.tx, "item", session, r.items, func(r itemRow) int64 { return r.hash })
	if err != nil {
		return err
	}
	if err := each(ctx, w.tx, `DELETE FROM vec WHERE iid=(SELECT iid FROM item WHERE id=?)`, gone); err != nil {
		return err
	}
	if err := w.drop(ctx, "item", gone, ofItems, ofSources); err != nil {
		return err
	}
	in, err := w.tx.PrepareContext(ctx,
		`INSERT INTO item(id, session, iid, kind, state, at, n, hash, data) VALUES(?,?,?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, i := range fresh {
		id := w.number(items)
		if _, err := in.ExecContext(ctx, id, session, i.iid, i.kind, i.state, i.at, i.n, i.hash, i.data); err != nil {
			return err
		}
		if err := w.add(ctx, ofItems, session, id, i.text, r.words); err != nil {
			return err
		}
		if err := w.add(ctx, ofSources, session, id, i.source, r.words); err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) turns(ctx context.Context, session int64, r rows) error {
	fresh, gone, err := changes(ctx, w.tx, "turn", session, r.turns, func(r turnRow) int64 { return r.hash })
	if err != nil {
		return err
	}
	if err := w.drop(ctx, "turn", gone, ofTurns); err != nil {
		return err
	}
	in, err := w.tx.PrepareContext(ctx,
		`INSERT INTO turn(id, session, tid, n, role, at, hash, text) VALUES(?,?,?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, row := range fresh {
		t := row.cut
		if t == nil {
			now := r.cut(row.of)
			t = &now
		}
		id := w.number(turns)
		if _, err := in.ExecContext(ctx, id, session, t.tid, t.n, t.role, t.at, row.hash, t.text); err != nil {
			return err
		}
		if err := w.add(ctx, ofTurns, session, id, t.said, r.words); err != nil {
			return err
		}
	}
	return nil
}

// changes compares a session's rows with those in a table, by the hash of what
// they hold: fresh ones must be written, the ids gone deleted.
func changes[T any](ctx context.Context, tx *sql.Tx, table string, session int64, rows []T,
	hash func(T) int64) (fresh []T, gone []int64, err error) {
	old := map[int64][]int64{} // two equal rows have two ids
	_, err = list(ctx, tx, func(rs *sql.Rows) (none struct{}, err error) {
		var id, h int64
		err = rs.Scan(&id, &h)
		old[h] = append(old[h], id)
		return none, err
	}, `SELECT id, hash FROM `+table+` WHERE session=? ORDER BY id`, session)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		if ids := old[hash(r)]; len(ids) > 0 {
			old[hash(r)] = ids[1:]
			continue
		}
		fresh = append(fresh, r)
	}
	for _, ids := range old {
		gone = append(gone, ids...)
	}
	slices.Sort(gone)
	return fresh, gone, nil
}

// drop deletes rows of a table of documents, and their texts.
func (w *writing) drop(ctx context.Context, documents string, ids []int64, texts ...int) error {
	for _, t := range texts {
		if err := w.remove(ctx, t, ids); err != nil {
			return err
		}
	}
	return each(ctx, w.tx, `DELETE FROM `+documents+` WHERE id=?`, ids)
}

func each(ctx context.Context, tx *sql.Tx, query string, ids []int64) error {
	do, fault := statements(ctx, tx)
	for _, id := range ids {
		do(query, id)
	}
	return fault()
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
