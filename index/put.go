package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"recall/internal/text"
)

// PutAll replaces sessions with all their items and turns in one transaction.
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
	doc    Doc
	items  []itemRow
	did    []activityRow
	thread []byte
	spent  []byte // see spending
}

// Prepare prepares a session. It is safe for concurrent use.
func Prepare(d Doc) (*Prepared, error) {
	if d.Session == "" {
		return nil, fmt.Errorf("index: a session without an id")
	}
	p := &Prepared{did: append(activityRows(d.Did), deedRows(d.Deeds)...), spent: packRequests(d.Requests)}
	var err error
	p.thread, err = threadRow(d.Thread)
	s := stemmer{map[string]string{}}
	for _, it := range d.Items {
		row, bad := s.itemRow(it, len(d.Turns) > 0)
		p.items, err = append(p.items, row), cmp.Or(err, bad)
	}
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", d.Session, err)
	}
	d.Did, d.Deeds, d.Requests = nil, nil, nil // the rows hold what is still needed
	p.doc = d
	return p, nil
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
		return cmp.Or(putAlso(ctx, w.tx, id, nil), w.clear(ctx, id), w.items(ctx, id, nil), w.windows(ctx, id, nil),
			dropLines(ctx, w.tx, session), gone)
	})
	return x.fail("unindex "+session, err)
}

// putSession writes a session's row and lines, and returns its key.
func putSession(ctx context.Context, tx transaction, p *Prepared) (id int64, err error) {
	d := p.doc
	err = tx.QueryRowContext(ctx, `INSERT INTO session(sid, project, title, source, author, machine, start, end, `+
		`items, thread, archived) VALUES(?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT(sid) DO UPDATE SET project=excluded.project, title=excluded.title, source=excluded.source,
			author=excluded.author, machine=excluded.machine,
			start=excluded.start, end=excluded.end, items=excluded.items, thread=excluded.thread, `+
		`archived=excluded.archived RETURNING id`,
		d.Session, d.Project, d.Title, d.Source, d.Author, d.Machine, millis(d.Start), millis(d.End), len(d.Items),
		p.thread, d.Archived).Scan(&id)
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
	fresh   bool  // the session being put is new, and has no rows yet
	stemmer
}

// put replaces one session.
func (w *writing) put(ctx context.Context, p *Prepared) error {
	id, err := putSession(ctx, w.tx, p)
	w.fresh, w.highest = id > w.highest, max(id, w.highest)
	if err == nil && !w.fresh {
		err = w.clear(ctx, id)
	}
	if err != nil {
		return err
	}
	do, fault := statements(ctx, w.tx)
	for _, d := range p.did {
		do(d.query, append([]any{id}, d.values...)...)
	}
	if len(p.spent) > 0 {
		do(`INSERT INTO request(session, data) VALUES(?,?)`, id, p.spent)
	}
	if c := p.doc.Changed; c.Files > 0 {
		do(`INSERT INTO changed(session, files, added, removed) VALUES(?,?,?,?)`, id, c.Files, c.Added, c.Removed)
	}
	for _, t := range p.doc.Turns {
		do(`INSERT INTO turn(session, tid, n, role, at, text) VALUES(?,?,?,?,?,?)`, id, t.ID, t.N, t.Role, millis(t.At),
			pack(text.HeadMarked(t.Text, turnShown)))
	}
	return cmp.Or(fault(), w.items(ctx, id, p.items), w.windows(ctx, id, p.doc.Turns))
}

// items replaces a session's items, and their words.
func (w *writing) items(ctx context.Context, session int64, all []itemRow) error {
	had, err := w.standing(ctx, `SELECT id, data FROM item WHERE session=?`, session)
	for _, it := range all {
		data := string(it.values[len(it.values)-1].([]byte))
		if _, is := had[data]; is {
			delete(had, data)
			continue
		}
		if err != nil {
			return err
		}
		var id int64
		if id, err = w.insert(ctx, `INSERT INTO item(session, iid, kind, state, at, n, data) VALUES(?,?,?,?,?,?,?)`,
			append([]any{session}, it.values...)...); err == nil && it.words != "" {
			err = w.search(ctx, docOf(items, id), it.words)
		}
	}
	return cmp.Or(err, w.drop(ctx, `DELETE FROM item WHERE id=?`, items, had))
}

// windows replaces a session's exchanges in windows, and their words.
func (w *writing) windows(ctx context.Context, session int64, said []Turn) error {
	had, err := w.standing(ctx, `SELECT id, x||' '||n||' '||m||' '||at||' '||key FROM window WHERE session=?`, session)
	for _, e := range exchangesOf(said) {
		for _, win := range w.cutWindows(said, e) {
			values := []any{e.n, said[win.from].N, said[win.to].N, millis(said[win.to].At), keyOf(win.said)}
			same := strings.Trim(fmt.Sprint(values), "[]")
			if _, is := had[same]; is {
				delete(had, same)
				continue
			}
			if err != nil {
				return err
			}
			var id int64
			if id, err = w.insert(ctx, `INSERT INTO window(session, x, n, m, at, key) VALUES(?,?,?,?,?,?)`,
				append([]any{session}, values...)...); err == nil {
				_, err = w.tx.ExecContext(ctx, `INSERT INTO unembedded VALUES(?,?)`, id, pack(win.said))
			}
			err = cmp.Or(err, w.search(ctx, docOf(windows, id), win.words))
		}
	}
	for _, id := range had {
		_, bad := w.tx.ExecContext(ctx, `DELETE FROM unembedded WHERE id=?`, id)
		err = cmp.Or(err, bad)
	}
	return cmp.Or(err, w.drop(ctx, `DELETE FROM window WHERE id=?`, windows, had))
}

// standing returns the rows that a session has, by what they hold. Those that stay aren't written again: FTS5 goes on
// counting the words of deleted rows in what it takes for a row's usual length.
func (w *writing) standing(ctx context.Context, query string, session int64) (map[string]int64, error) {
	had := map[string]int64{}
	if w.fresh {
		return had, nil
	}
	return had, scan(ctx, w.tx, func(rows *sql.Rows) error {
		var id int64
		var holds string
		err := rows.Scan(&id, &holds)
		had[holds] = id
		return err
	}, query, session)
}

// drop deletes rows with their words.
func (w *writing) drop(ctx context.Context, query string, kind int, had map[string]int64) error {
	do, fault := statements(ctx, w.tx)
	for _, id := range had {
		do(`DELETE FROM words WHERE rowid=?`, docOf(kind, id))
		do(query, id)
	}
	return fault()
}

// insert adds a row and returns its number.
func (w *writing) insert(ctx context.Context, query string, args ...any) (id int64, err error) {
	put, err := w.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return put.LastInsertId()
}

// search adds words by which a row is found.
func (w *writing) search(ctx context.Context, doc int64, words string) error {
	_, err := w.tx.ExecContext(ctx, `INSERT INTO words(rowid, text) VALUES(?,?)`, doc, words)
	return err
}

// docOf is the number under which a row is searched.
func docOf(kind int, id int64) int64 {
	if kind == items {
		return 2*id + 1
	}
	return 2 * id
}

// clear removes a session's rows without words, and the paths that no session has any more.
func (w *writing) clear(ctx context.Context, session int64) error {
	paths, err := column[int64](ctx, w.tx, `SELECT path FROM touch WHERE session=?`, session)
	if err != nil {
		return err
	}
	do, fault := statements(ctx, w.tx)
	for _, table := range []string{"turn", "touch", "moved", "made", "deed", "request", "changed"} {
		do(`DELETE FROM `+table+` WHERE session=?`, session)
	}
	do(`DELETE FROM path WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM touch `+
		`WHERE touch.path=path.id)`, jsonList(paths))
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
