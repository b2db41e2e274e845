package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"recall/internal/text"
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

// writing is a transaction that changes sessions.
type writing struct {
	tx      transaction
	highest int64 // key of a session; a new one gets a higher key
	stemmer
}

// put replaces one session.
func (w *writing) put(ctx context.Context, p *Prepared) error {
	id, err := putSession(ctx, w.tx, p)
	if err != nil {
		return err
	}
	if id > w.highest { // it is new: there is nothing to replace
		w.highest = id
		err := cmp.Or(insertActivity(ctx, w.tx, id, p.rows.did), insertRequests(ctx, w.tx, id, p.rows.spent))
		for kind, all := range p.rows.docs {
			err = cmp.Or(err, w.insert(ctx, kind, id, all, p.rows.turns))
		}
		return err
	}
	err = cmp.Or(replaceActivity(ctx, w.tx, id, p.rows.did), putRequests(ctx, w.tx, id, p.rows.spent))
	if err != nil {
		return err
	}
	return w.rows(ctx, id, p.rows)
}

// insertOf is the insert statement of each kind.
var insertOf = [...]string{
	items:   `INSERT INTO item(session, hash, iid, kind, state, at, n, data) VALUES(?,?,?,?,?,?,?,?)`,
	turns:   `INSERT INTO turn(session, hash, tid, n, role, at, text) VALUES(?,?,?,?,?,?,?)`,
	windows: `INSERT INTO window(session, hash, x, n, m, at, key) VALUES(?,?,?,?,?,?,?)`,
}

// rows replaces a session's items, turns and windows.
func (w *writing) rows(ctx context.Context, session int64, r rows) error {
	for kind, now := range r.docs {
		fresh, gone, err := changes(ctx, w.tx, tables[kind], session, now)
		if err == nil {
			err = w.drop(ctx, kind, gone)
		}
		if err == nil {
			err = w.insert(ctx, kind, session, fresh, r.turns)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// insert adds rows, and what is searched of them.
func (w *writing) insert(ctx context.Context, kind int, session int64, fresh []row, said []Turn) error {
	add := func(hash int64, values []any, words string) (id int64, err error) {
		put, err := w.tx.ExecContext(ctx, insertOf[kind], append([]any{session, hash}, values...)...)
		if err != nil || words == "" {
			return 0, err
		}
		if id, err = put.LastInsertId(); err == nil {
			_, err = w.tx.ExecContext(ctx, `INSERT INTO words(rowid, text) VALUES(?,?)`, docOf(kind, id), words)
		}
		return id, err
	}
	for _, d := range fresh {
		switch kind {
		case windows:
			for _, win := range w.windows(said, d.of) {
				first, last := said[win.from], said[win.to]
				id, err := add(d.hash, []any{d.of.n, first.N, last.N, millis(last.At), hashOf(win.said)}, win.words)
				if err == nil {
					_, err = w.tx.ExecContext(ctx, `INSERT INTO unembedded VALUES(?,?)`, id, pack(win.said))
				}
				if err != nil {
					return err
				}
			}
			continue
		case turns:
			d.values = slices.Clone(d.values)
			d.values[4] = pack(text.HeadMarked(d.values[4].(string), turnShown))
		}
		if _, err := add(d.hash, d.values, d.words); err != nil {
			return err
		}
	}
	return nil
}

// docOf is the number under which a row is searched.
func docOf(kind int, id int64) int64 {
	if kind == items {
		return 2*id + 1
	}
	return 2 * id
}

// changes compares a session's rows with those in a table by hash: fresh ones must be written, the ids gone
// deleted. An exchange has a row for each of its windows.
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
		switch ids := old[r.hash]; {
		case len(ids) == 0:
			fresh = append(fresh, r)
		case r.of.n > 0:
			delete(old, r.hash)
		default:
			old[r.hash] = ids[1:]
		}
	}
	for _, ids := range old {
		gone = append(gone, ids...)
	}
	slices.Sort(gone)
	return fresh, gone, nil
}

// drop deletes rows with their words.
func (w *writing) drop(ctx context.Context, kind int, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	do, fault := statements(ctx, w.tx)
	if kind != turns {
		for _, id := range ids {
			do(`DELETE FROM words WHERE rowid=?`, docOf(kind, id))
		}
	}
	if kind == windows {
		do(`DELETE FROM unembedded WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
	}
	do(`DELETE FROM `+tables[kind]+` WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
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
