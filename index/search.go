package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"recall/payload"
)

const (
	candidates = 100 // of items and of turns that are fused
	shown      = 20  // results, if the query doesn't say
	alsoWeight = 0.5 // of a caller's keywords beside the question (measured 0.3–0.7, flat)
)

// Search answers a question. Any text will do; of a very long one the rarest
// words count.
func (x *Index) Search(ctx context.Context, q Query) (Answer, error) {
	a, err := x.search(ctx, q)
	if err != nil {
		return Answer{}, x.fail("search", err)
	}
	return a, nil
}

func (x *Index) search(ctx context.Context, q Query) (Answer, error) {
	if q.Limit <= 0 {
		q.Limit = shown
	}
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one state of the index for all its steps
	if err != nil {
		return Answer{}, err
	}
	defer tx.Rollback()
	r := &reader{tx: tx, q: q}
	var a Answer
	if err := r.count(ctx, &a); err != nil {
		return Answer{}, err
	}
	var ts []term
	ts, a.Clipped = terms(q.Text)
	also, _ := terms(strings.Join(q.Also, " "))
	if err := r.weigh(ctx, ts); err != nil {
		return Answer{}, err
	}
	if err := r.weigh(ctx, also); err != nil {
		return Answer{}, err
	}
	found, err := r.find(ctx, ts, also)
	if err != nil {
		return Answer{}, err
	}
	if err := r.answer(ctx, &a, fuse(found, q.Limit)); err != nil {
		return Answer{}, err
	}
	judge(&a, ts, r.size)
	return a, nil
}

// reader is one search's view of the index.
type reader struct {
	tx     *sql.Tx
	q      Query
	size   corpus
	common common
}

// count says how much is searched.
func (r *reader) count(ctx context.Context, a *Answer) error {
	err := r.tx.QueryRowContext(ctx, `SELECT count(*), ifnull(sum(items),0), count(DISTINCT project) FROM session WHERE ?1='' OR project=?1`, r.q.Project).
		Scan(&a.SearchedSessions, &a.SearchedItems, &a.Projects)
	if err != nil {
		return err
	}
	err = r.tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM turn)`).Scan(&r.size[items], &r.size[turns])
	if err != nil {
		return err
	}
	r.common, err = readCommon(ctx, r.tx)
	return err
}

// candidate is an item or turn that some word found.
type candidate struct {
	id      int64 // row
	session int64
	n       int64 // turn ordinal
	score   float64
}

// find runs the question over items and turns.
func (r *reader) find(ctx context.Context, ts, also []term) (found [2][]candidate, err error) {
	for k := range found {
		if k == turns && r.q.Kinds != nil {
			break
		}
		scores := map[int64]*candidate{}
		if err := r.add(ctx, scores, k, match(affordable(ts, k, budget)), 1); err != nil {
			return found, err
		}
		if err := r.add(ctx, scores, k, match(affordable(also, k, budget)), alsoWeight); err != nil {
			return found, err
		}
		found[k] = best(scores, candidates)
	}
	return found, nil
}

// add adds the weighted scores of one full-text query.
func (r *reader) add(ctx context.Context, scores map[int64]*candidate, table int, match string, weight float64) error {
	if match == "" {
		return nil
	}
	stmt, args := r.statement(table, match)
	rows, err := r.tx.QueryContext(ctx, stmt, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var c candidate
		if err := rows.Scan(&c.id, &c.score, &c.session, &c.n); err != nil {
			return err
		}
		c.score *= -weight // bm25 is negative, the better the lower
		if old := scores[c.id]; old != nil {
			old.score += c.score
		} else {
			scores[c.id] = &c
		}
	}
	return rows.Err()
}

func (r *reader) statement(table int, match string) (string, []any) {
	var b strings.Builder
	args := []any{match}
	if table == items {
		b.WriteString(`SELECT d.id, x.s, d.session, d.n FROM (SELECT f.rowid AS id, bm25(fitem, 3.0, 1.0) AS s FROM fitem f`)
		r.filter(&b, &args, "fitem", "item")
		b.WriteString(` ORDER BY s LIMIT 300) x JOIN item d ON d.id=x.id`)
	} else {
		b.WriteString(`SELECT d.id, x.s, d.session, d.n FROM (SELECT f.rowid AS id, bm25(fturn, 3.0, 1.0) AS s FROM fturn f`)
		r.filter(&b, &args, "fturn", "turn")
		b.WriteString(` ORDER BY s LIMIT 300) x JOIN turn d ON d.id=x.id`)
	}
	return b.String(), args
}

// filter writes the conditions; the table of documents is joined only if there
// are any. CROSS JOIN keeps the full-text table first.
func (r *reader) filter(b *strings.Builder, args *[]any, fts, docs string) {
	var conds []string
	cond := func(s string, a any) { conds, *args = append(conds, s), append(*args, a) }
	if r.q.Project != "" {
		cond(`e.session IN (SELECT id FROM session WHERE project=?)`, r.q.Project)
	}
	if !r.q.Since.IsZero() {
		cond(`e.at>=?`, r.q.Since.UnixMilli())
	}
	if !r.q.Until.IsZero() {
		cond(`e.at<?`, r.q.Until.UnixMilli())
	}
	if docs == "item" && r.q.Kinds != nil {
		conds = append(conds, `e.kind IN (?`+strings.Repeat(`,?`, max(0, len(r.q.Kinds)-1))+`)`)
		*args = append(*args, kindArgs(r.q.Kinds)...)
	}
	if len(conds) > 0 {
		b.WriteString(` CROSS JOIN ` + docs + ` e ON e.id=f.rowid`)
	}
	b.WriteString(` WHERE ` + fts + ` MATCH ?1`)
	for _, c := range conds {
		b.WriteString(` AND ` + c)
	}
}

func kindArgs(kinds []payload.Kind) []any {
	var out []any
	for _, k := range kinds {
		out = append(out, string(k))
	}
	if out == nil {
		out = []any{""}
	}
	return out
}

// best sorts candidates, ties by row so that the same question gets the same
// answer.
func best(m map[int64]*candidate, n int) []candidate {
	out := make([]candidate, 0, len(m))
	for _, c := range m {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return out[:min(n, len(out))]
}
