package index

import (
	"context"
	"database/sql"
	"path"
	"slices"
	"strings"

	"recall/ingest/trace"
)

// hows are the ways of touching a file, each a bit in its place.
var hows = []trace.How{trace.Read, trace.Edit, trace.Create, trace.Delete, trace.Rename}

// pathsMost bounds the files of one session: one that touches more did so with
// a program, which says nothing about any of them.
const pathsMost = 3000

// didRows is what a trace becomes in the tables.
type didRows struct {
	touches []touchRow
	moves   [][3]any // old, new, n
	commits []trace.Commit
	faults  []faultRow
}

type touchRow struct {
	path       string
	how        int
	n, at      int64
	calls      int
	base       string
	lastOfCall int
}

type faultRow struct {
	sig, n, at int64
	text       string
}

// didOf lays a trace out in rows. What a fork copied is its parent's.
func didOf(t *trace.Trace) didRows {
	var r didRows
	if t == nil {
		return r
	}
	at := map[string]int{}
	touch := func(i int, a *trace.Action, p string, how trace.How) {
		k, ok := at[p]
		if !ok {
			if len(r.touches) == pathsMost {
				return
			}
			k = len(r.touches)
			at[p] = k
			r.touches = append(r.touches, touchRow{path: p, base: baseOf(p), lastOfCall: -1})
		}
		row := &r.touches[k]
		row.how |= 1 << slices.Index(hows, how)
		row.n, row.at = max(row.n, int64(a.N)), max(row.at, millis(a.At))
		if row.lastOfCall != i {
			row.calls++
			row.lastOfCall = i
		}
	}
	for i := range t.Actions {
		a := &t.Actions[i]
		if a.Copied {
			continue
		}
		for _, x := range a.Touches {
			if x.Unsure {
				continue
			}
			touch(i, a, x.Path, x.How)
			if x.How == trace.Rename {
				touch(i, a, x.From, trace.Rename)
				r.moves = append(r.moves, [3]any{x.From, x.Path, a.N})
			}
		}
	}
	for _, c := range t.Commits {
		if !c.Copied {
			r.commits = append(r.commits, c)
		}
	}
	seen := map[[2]int64]bool{}
	for _, f := range t.Faults {
		a := &t.Actions[f.Action]
		row := faultRow{f.Sig, int64(a.N), millis(a.At), f.Text}
		if key := [2]int64{row.sig, row.n}; !seen[key] {
			seen[key] = true
			r.faults = append(r.faults, row)
		}
	}
	return r
}

// baseOf is the last name of a path of any system, in lower case.
func baseOf(p string) string {
	return strings.ToLower(path.Base(strings.ReplaceAll(p, `\`, "/")))
}

// replaceDid replaces what is known of a session's doings. In known are the ids
// of paths that were met before in the transaction.
func replaceDid(ctx context.Context, tx *sql.Tx, session int64, r didRows, known map[string]int64) error {
	if err := dropDid(ctx, tx, session, r, known); err != nil {
		return err
	}
	touch, err := tx.PrepareContext(ctx, `INSERT INTO touch(path, session, how, n, at, calls) VALUES(?,?,?,?,?,?)`)
	if err != nil {
		return err
	}
	defer touch.Close()
	for _, t := range r.touches {
		id, ok := known[t.path]
		if !ok {
			// The row that is there is "updated", so that its id is returned.
			err := tx.QueryRowContext(ctx, `INSERT INTO path(base, path) VALUES(?,?) ON CONFLICT(path) DO UPDATE SET `+
				`base=base RETURNING id`,
				t.base, t.path).Scan(&id)
			if err != nil {
				return err
			}
			known[t.path] = id
		}
		if _, err := touch.ExecContext(ctx, id, session, t.how, t.n, t.at, t.calls); err != nil {
			return err
		}
	}
	do, fault := statements(ctx, tx)
	for _, m := range r.moves {
		do(`INSERT INTO moved(session, old, new, n) VALUES(?,?,?,?)`, session, m[0], m[1], m[2])
	}
	for _, c := range r.commits {
		do(`INSERT INTO made(session, hash, subject, branch, dir, at, n) VALUES(?,?,?,?,?,?,?)`,
			session, c.Hash, c.Subject, c.Branch, c.Dir, millis(c.At), c.N)
	}
	for _, f := range r.faults {
		do(`INSERT OR IGNORE INTO fault(sig, text) VALUES(?,?)`, f.sig, f.text)
		do(`INSERT INTO faulted(sig, session, n, at) VALUES(?,?,?,?)`, f.sig, session, f.n, f.at)
	}
	return fault()
}

// dropDid forgets what a session did, and the paths and errors that only it
// had and that it doesn't have again.
func dropDid(ctx context.Context, tx *sql.Tx, session int64, again didRows, known map[string]int64) error {
	paths, err := column[string](ctx, tx, `SELECT path FROM path WHERE id IN (SELECT path FROM touch WHERE session=?)`,
		session)
	if err != nil {
		return err
	}
	sigs, err := column[int64](ctx, tx, `SELECT DISTINCT sig FROM faulted WHERE session=?`, session)
	if err != nil {
		return err
	}
	do, fault := statements(ctx, tx)
	for _, table := range []string{"touch", "moved", "made", "faulted"} {
		do(`DELETE FROM `+table+` WHERE session=?`, session)
	}
	keep := map[string]bool{}
	for _, t := range again.touches {
		keep[t.path] = true
	}
	for _, p := range paths {
		if keep[p] {
			continue
		}
		delete(known, p)
		do(`DELETE FROM path WHERE path=? AND NOT EXISTS (SELECT 1 FROM touch WHERE touch.path=path.id)`, p)
	}
	for _, sig := range sigs {
		do(`DELETE FROM fault WHERE sig=? AND NOT EXISTS (SELECT 1 FROM faulted WHERE faulted.sig=fault.sig)`, sig)
	}
	return fault()
}
