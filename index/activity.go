package index

import (
	"path"
	"slices"
	"strings"

	"recall/ingest/trace"
)

// hows are the ways of touching a file; the position is the bit in touch.how.
var hows = []trace.How{trace.Read, trace.Edit, trace.Create, trace.Delete, trace.Rename}

// maxPaths bounds the files of one session: one that touches more did so with a program, which says nothing
// about any single file.
const maxPaths = 3000

// activityRow is a row of what a session did: a statement, and its values after the session's id, which comes first
// in each.
type activityRow struct {
	query  string
	values []any
}

const (
	insertPath  = `INSERT OR IGNORE INTO path(base, path) SELECT ?2, ?3 WHERE ?1`
	insertTouch = `INSERT INTO touch(session, how, n, at, calls, path)
		SELECT ?1, ?2, ?3, ?4, ?5, id FROM path WHERE path=?6`
	insertMove   = `INSERT INTO moved(session, old, new, n) VALUES(?,?,?,?)`
	insertCommit = `INSERT INTO made(session, hash, subject, branch, dir, at, n) VALUES(?,?,?,?,?,?,?)`
)

// touched is what a session did to a file.
type touched struct {
	how, calls, lastCall int
	n, at                int64
}

// activityRows converts a trace to rows. What a fork copied belongs to its parent.
func activityRows(t *trace.Trace) (all []activityRow) {
	if t == nil {
		return nil
	}
	files, order := map[string]*touched{}, []string{}
	touch := func(i int, a *trace.Action, p string, how trace.How) {
		f := files[p]
		if f == nil {
			if len(files) == maxPaths {
				return
			}
			f = &touched{lastCall: -1}
			files[p], order = f, append(order, p)
		}
		f.how |= 1 << slices.Index(hows, how)
		f.n, f.at = max(f.n, int64(a.N)), max(f.at, millis(a.At))
		if f.lastCall != i {
			f.calls, f.lastCall = f.calls+1, i
		}
	}
	for i := range t.Actions {
		a := &t.Actions[i]
		for _, x := range a.Touches {
			if a.Copied || x.Unsure {
				continue
			}
			touch(i, a, x.Path, x.How)
			if x.How == trace.Rename {
				touch(i, a, x.From, trace.Rename)
				all = append(all, activityRow{insertMove, []any{x.From, x.Path, a.N}})
			}
		}
	}
	for _, p := range order {
		f := files[p]
		all = append(all, activityRow{insertPath, []any{baseOf(p), p}},
			activityRow{insertTouch, []any{f.how, f.n, f.at, f.calls, p}})
	}
	for _, c := range t.Commits {
		if !c.Copied {
			all = append(all, activityRow{insertCommit, []any{c.Hash, c.Subject, c.Branch, c.Dir, millis(c.At), c.N}})
		}
	}
	return all
}

// baseOf is the last element of a path of any operating system, in lower case.
func baseOf(p string) string {
	return strings.ToLower(path.Base(strings.ReplaceAll(p, `\`, "/")))
}
