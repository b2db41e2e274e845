package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"
)

// PutAll replaces sessions with all their items and turns in one transaction. It doesn't rewrite what is
// unchanged, so that a session that grew costs only its growth.
func (x *Index) PutAll(ctx context.Context, docs []Doc) error {
	all := make([]*Prepared, len(docs))
	for i, d := range docs {
		var err error
		if all[i], err = Prepare(d); err != nil {
			return err
		}
	}
	return x.PutPrepared(ctx, all, nil)
}

// Prepared is a session ready to be stored: its rows are built and its items' words split, which needs no lock.
type Prepared struct {
	doc  Doc
	rows rows
}

// Prepare prepares a session. It is safe for concurrent use.
func Prepare(d Doc) (*Prepared, error) {
	if d.Session == "" {
		return nil, fmt.Errorf("index: a session without an id")
	}
	r, err := rowsOf(d)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", d.Session, err)
	}
	d.Turns, d.Did, d.Requests = nil, nil, nil // the rows hold what is still needed
	return &Prepared{d, r}, nil
}

// PutPrepared is PutAll for prepared sessions, without those for which gone returns true. It is called with each one's
// position while nobody else can write to the index, so that what was forgotten meanwhile isn't put back; nil keeps
// all.
func (x *Index) PutPrepared(ctx context.Context, all []*Prepared, gone func(i int) (bool, error)) error {
	if len(all) == 0 {
		return nil
	}
	at := all[0].doc.Session
	err := rewrite(ctx, x.db, func(w *writing) error {
		for i, p := range all {
			at = p.doc.Session
			if gone != nil {
				if is, err := gone(i); err != nil {
					return err
				} else if is {
					continue
				}
			}
			if err := cmp.Or(ctx.Err(), w.put(context.WithoutCancel(ctx), p)); err != nil {
				return err
			}
		}
		return nil
	})
	return x.fail("index "+at, err)
}

// Delete removes a session. A missing one is no error.
func (x *Index) Delete(ctx context.Context, session string) error {
	err := rewrite(ctx, x.db, func(w *writing) error {
		var id int64
		err := w.tx.QueryRowContext(ctx, `SELECT id FROM session WHERE sid=?`, session).Scan(&id)
		if err == sql.ErrNoRows {
			return nil
		}
		if err != nil {
			return err
		}
		_, gone := w.tx.ExecContext(ctx, `DELETE FROM session WHERE id=?`, id)
		return cmp.Or(putAlso(ctx, w.tx, id, nil), w.rows(ctx, id, rows{}),
			dropLines(ctx, w.tx, session), replaceActivity(ctx, w.tx, id, nil),
			putRequests(ctx, w.tx, id, nil), gone)
	})
	return x.fail("unindex "+session, err)
}

// putSession writes a session's row and lines, and returns its key.
func putSession(ctx context.Context, tx transaction, p *Prepared) (id int64, err error) {
	d := p.doc
	err = tx.QueryRowContext(ctx, `INSERT INTO session(sid, project, title, source, start, end, items, thread, `+
		`archived) VALUES(?,?,?,?,?,?,?,?,?)
		ON CONFLICT(sid) DO UPDATE SET project=excluded.project, title=excluded.title, source=excluded.source,
			start=excluded.start, end=excluded.end, items=excluded.items, thread=excluded.thread, `+
		`archived=excluded.archived RETURNING id`,
		d.Session, d.Project, d.Title, d.Source, millis(d.Start), millis(d.End), len(d.Items), p.rows.thread,
		d.Archived).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, cmp.Or(putAlso(ctx, tx, id, d.Also), putLines(ctx, tx, d))
}

// putAlso writes in which other projects a session worked.
func putAlso(ctx context.Context, tx transaction, id int64, projects []string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM also WHERE session=?`, id)
	for i := 0; i < len(projects) && err == nil; i++ {
		_, err = tx.ExecContext(ctx, `INSERT OR IGNORE INTO also VALUES(?,?)`, projects[i], id)
	}
	return err
}

// put replaces one session.
func (w *writing) put(ctx context.Context, p *Prepared) error {
	p.rows.words.places = nil // left over from a transaction that failed
	id, err := putSession(ctx, w.tx, p)
	if err != nil {
		return err
	}
	if id > w.highest { // it is new: there is nothing to replace
		w.highest = id
		err := cmp.Or(insertActivity(ctx, w.tx, id, p.rows.did), insertRequests(ctx, w.tx, id, p.rows.spent))
		if err != nil {
			return err
		}
		for kind, all := range p.rows.docs {
			if err := w.insert(ctx, kind, id, all, &p.rows); err != nil {
				return err
			}
		}
		return nil
	}
	err = cmp.Or(replaceActivity(ctx, w.tx, id, p.rows.did), putRequests(ctx, w.tx, id, p.rows.spent))
	if err != nil {
		return err
	}
	return w.rows(ctx, id, p.rows)
}

// insertOf is the insert statement of each kind, textsOf the tables that hold its words.
var (
	insertOf = [2]string{
		items: `INSERT INTO item(id, session, hash, iid, kind, state, at, n, data) VALUES(?,?,?,?,?,?,?,?,?)`,
		turns: `INSERT INTO turn(id, session, hash, tid, n, role, at, text) VALUES(?,?,?,?,?,?,?,?)`,
	}
	textsOf = [2][]int{items: {ofItems, ofSources}, turns: {ofTurns}}
)

// rows replaces a session's items and turns.
func (w *writing) rows(ctx context.Context, session int64, r rows) error {
	for kind, now := range r.docs {
		fresh, gone, err := changes(ctx, w.tx, documents[kind], session, now)
		if err != nil {
			return err
		}
		if err := w.drop(ctx, kind, gone); err != nil {
			return err
		}
		if err := w.insert(ctx, kind, session, fresh, &r); err != nil {
			return err
		}
	}
	return nil
}

// insert adds documents.
func (w *writing) insert(ctx context.Context, kind int, session int64, fresh []row, r *rows) error {
	for _, d := range fresh {
		if kind == turns {
			r.cut(&d)
		}
		id := w.number(kind)
		if _, err := w.tx.ExecContext(ctx, insertOf[kind], append([]any{id, session, d.hash}, d.values...)...); err != nil {
			return err
		}
		for i, b := range d.texts {
			if err := w.add(ctx, textsOf[kind][i], session, id, b, r.words); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes compares a session's rows with those in a table by hash: fresh ones must be written, the ids gone
// deleted.
func changes(ctx context.Context, tx transaction, table string, session int64, now []row) (fresh []row, gone []int64,
	err error) {
	old := map[int64][]int64{} // two equal rows have two ids
	err = scan(ctx, tx, func(rs *sql.Rows) error {
		var id, h int64
		err := rs.Scan(&id, &h)
		old[h] = append(old[h], id)
		return err
	}, `SELECT id, hash FROM `+table+` WHERE session=? ORDER BY id`, session)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range now {
		if ids := old[r.hash]; len(ids) > 0 {
			old[r.hash] = ids[1:]
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

// drop deletes documents with their words and vectors.
func (w *writing) drop(ctx context.Context, kind int, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	for _, t := range textsOf[kind] {
		if err := w.remove(ctx, t, ids); err != nil {
			return err
		}
	}
	do, fault := statements(ctx, w.tx)
	if kind == items {
		do(`DELETE FROM vec WHERE iid IN (SELECT iid FROM item WHERE id IN (SELECT value FROM json_each(?)))`, jsonList(ids))
	}
	do(`DELETE FROM `+documents[kind]+` WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
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

// SetArchived records whether a person archived a session; see Query.Archived.
func (x *Index) SetArchived(ctx context.Context, id string, archived bool) error {
	_, err := x.db.ExecContext(ctx, `UPDATE session SET archived=? WHERE sid=?`, archived, id)
	return x.fail("index "+id, err)
}
