package index

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"recall/index/embed"
	"recall/index/rank"
	"recall/payload"
)

const (
	scored     = 200 // rows of each full-text query
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
	kept, err := x.prepared.all(ctx, x.db)
	if err != nil {
		return Answer{}, err
	}
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one state of the index for all its steps
	if err != nil {
		return Answer{}, err
	}
	defer tx.Rollback()
	within, narrowed, err := narrow(ctx, tx, q)
	if err != nil {
		return Answer{}, err
	}
	a, err := x.run(ctx, tx, kept, within)
	if err == nil && len(narrowed.Words) > 0 && (len(a.Ranked) == 0 || narrowed.Event != "" && (a.Unknown || a.Doubtful)) {
		return x.run(ctx, tx, kept, q)
	}
	a.Narrowed = narrowed
	return a, err
}

// run answers a question as it is.
func (x *Index) run(ctx context.Context, tx *sql.Tx, kept map[string]*sql.Stmt, q Query) (a Answer, err error) {
	r := &reader{tx: tx, kept: kept, q: q, near: x.near, weights: x.weights, own: x.own}
	if err := r.count(ctx, &a); err != nil {
		return Answer{}, err
	}
	var ts []term
	ts, a.Clipped = terms(q.Text)
	ts = withoutFrame(q.Text, ts)
	also, _ := terms(strings.Join(q.Also, " "))
	if err := r.weigh(ctx, ts); err != nil {
		return Answer{}, err
	}
	if err := r.weigh(ctx, also); err != nil {
		return Answer{}, err
	}
	if r.names, err = r.named(ctx, ts); err != nil {
		return Answer{}, err
	}
	ts = withoutNames(ts, r.names)
	corrected, err := r.correct(ctx, ts)
	if err != nil {
		return Answer{}, err
	}
	found, err := r.find(ctx, ts, also)
	if err != nil {
		return Answer{}, err
	}
	list, err := r.look(ctx, found, ts)
	if err != nil {
		return Answer{}, err
	}
	if list, err = r.collapse(ctx, list); err != nil {
		return Answer{}, err
	}
	if err := r.answer(ctx, &a, list[:min(q.Limit, len(list))]); err != nil {
		return Answer{}, err
	}
	spell(&a, corrected)
	a.WithoutVectors = r.leftOut
	judge(&a, ts, r.size)
	if len(a.Ranked) > 0 && r.own.Knows(q.Text) {
		a.Unknown = false // what the user wrote down as one concept is one
	}
	a.Signs = rank.Read(lines(list), missing(ts))
	a.Sure = rank.DefaultSure.Chance(a.Signs)
	a.Doubtful = rank.DefaultSure.Doubtful(a.Signs) || halfGone(ts, list)
	return a, nil
}

// reader is one search's view of the index.
type reader struct {
	tx     *sql.Tx
	kept   map[string]*sql.Stmt // statements by their text; see prepared
	q      Query
	size   corpus
	common common

	ofSession *sql.Stmt // what is shown of each
	ofLater   *sql.Stmt
	later     map[int64]bool // whether a session's project has later ones, where asked

	names   []string       // projects that the question names
	ofNamed map[int64]bool // whether a session is of one of them, where asked

	weights rank.Weights
	own     embed.Groups
	near    *nearness // nil without vectors
	leftOut bool      // they should have been asked, and weren't
}

// count says how much is searched.
func (r *reader) count(ctx context.Context, a *Answer) error {
	for kind, t := range [2]int{items: ofItems, turns: ofTurns} {
		totals, err := readTotals(ctx, r.tx, tables[t].name) // quicker than to count
		if err != nil {
			return err
		}
		if len(totals) > 0 {
			r.size[kind] = int(totals[0])
		}
	}
	row := r.tx.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE `+ofOurs+`), count(*)>0, ifnull(sum(items),0) FROM session t WHERE project=?`, r.q.Project)
	if r.q.Project == "" {
		a.SearchedItems = r.size[items]
		st, err := r.prepare(ctx, allSessions)
		if err != nil {
			return err
		}
		row = st.QueryRowContext(ctx, a.SearchedItems)
	}
	if err := row.Scan(&a.SearchedSessions, &a.Projects, &a.SearchedItems); err != nil {
		return err
	}
	st, err := r.prepare(ctx, commonWords)
	if err != nil {
		return err
	}
	r.common, err = readCommon(ctx, st)
	return err
}

// projectNames lists the projects, and a NULL; each is looked up behind the one
// before, as a DISTINCT would read all sessions.
const projectNames = `name(project) AS (SELECT min(project) FROM session
	UNION ALL SELECT (SELECT min(s.project) FROM session s WHERE s.project>name.project) FROM name WHERE project IS NOT NULL)`

const allSessions = `WITH RECURSIVE ` + projectNames + ` SELECT (SELECT count(*) FROM session)-(SELECT count(*) FROM session t WHERE NOT (` + ofOurs + `)), (SELECT count(project) FROM name), ?`

// candidate is an item or turn that some word found.
type candidate struct {
	id    int64 // row
	score float64
	parts [partCount]float64 // of score
	near  float64            // cosine of its vector, 0 if unknown
}

// The parts of a first score.
const (
	byWords = iota
	bySource
	byLexicon
	partCount
)

// find runs the question over items and turns.
func (r *reader) find(ctx context.Context, ts, also []term) (found [2][]candidate, err error) {
	all := [2]map[int64]*candidate{{}, {}}
	others := r.others(ts)
	for k, t := range tables {
		if t.kind == turns && r.q.Kinds != nil || k == ofSources && r.q.Without&Sources != 0 {
			continue
		}
		for _, m := range []weighted{
			{match(affordable(ts, k)), 1, t.part},
			{match(affordable(also, k)), alsoWeight, t.part},
			{related(others, k, r.size[t.kind]), t.related, byLexicon},
		} {
			if err := r.add(ctx, all[t.kind], t, m); err != nil {
				return found, err
			}
		}
	}
	for kind := range found {
		found[kind] = best(all[kind], candidates)
		if kind == items && r.near != nil {
			if found[kind], err = r.fuseNear(ctx, found[kind], r.near); err != nil {
				return found, err
			}
		}
	}
	r.level(found[items], ts, ofItems)
	r.level(found[turns], ts, ofTurns)
	return found, nil
}

// level divides scores by what a document of table k would score at most that
// holds all the terms, so that items and turns, of which there are so many
// more, can be compared.
func (r *reader) level(list []candidate, ts []term, k int) {
	n := float64(r.size[tables[k].kind])
	var full float64
	for _, t := range ts {
		df := float64(t.df[k])
		full += max(math.Log((n-df+0.5)/(df+0.5)), 1e-6) // FTS5's own idf
	}
	for i := range list {
		if full > 0 {
			list[i].score /= full
			for p := range list[i].parts {
				list[i].parts[p] /= full
			}
		}
	}
}

// weighted is an FTS5 query, how much what it finds counts, and as which part.
type weighted struct {
	match  string
	weight float64
	part   int
}

// add adds the weighted scores of one full-text query.
func (r *reader) add(ctx context.Context, all map[int64]*candidate, t table, m weighted) error {
	if m.match == "" {
		return nil
	}
	if r.q.Without&Aliases != 0 && t.name == tables[ofItems].name {
		t.columns = "1.0, 0.0"
	}
	stmt, args := r.statement(t, m.match)
	st, err := r.prepare(ctx, stmt)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var bm25 float64
		if err := rows.Scan(&id, &bm25); err != nil {
			return err
		}
		c := all[id]
		if c == nil {
			c = &candidate{id: id}
			all[id] = c
		}
		s := -bm25 * m.weight * t.weight // it is negative, the better the lower
		c.score += s
		c.parts[m.part] += s
	}
	return rows.Err()
}

func (r *reader) statement(t table, match string) (string, []any) {
	var b strings.Builder
	args := []any{match}
	fmt.Fprintf(&b, `SELECT f.rowid, bm25(%s, %s) AS s FROM %s f`, t.name, t.columns, t.name)
	r.filter(&b, &args, t.name, documents[t.kind])
	fmt.Fprintf(&b, ` ORDER BY s LIMIT %d`, scored)
	return b.String(), args
}

// filter writes the conditions; the table of documents is joined only if there
// are any. CROSS JOIN keeps the full-text table first.
func (r *reader) filter(b *strings.Builder, args *[]any, fts, docs string) {
	conds, more := r.conditions(docs)
	if len(conds) > 0 {
		b.WriteString(` CROSS JOIN ` + docs + ` e ON e.id=f.rowid`)
	}
	b.WriteString(` WHERE ` + fts + ` MATCH ?1`)
	for _, c := range conds {
		b.WriteString(` AND ` + c)
	}
	*args = append(*args, more...)
}

// conditions are the query's on a row e of the table of documents.
func (r *reader) conditions(docs string) (conds []string, args []any) {
	cond := func(s string, a ...any) { conds, args = append(conds, s), append(args, a...) }
	if r.q.Project != "" {
		cond(`e.session IN (SELECT id FROM session WHERE project=?)`, r.q.Project)
	}
	if !r.q.Since.IsZero() {
		cond(`e.at>=?`, r.q.Since.UnixMilli())
	}
	if !r.q.Until.IsZero() {
		cond(`e.at<?`, r.q.Until.UnixMilli())
	}
	if !r.q.AsOf.IsZero() {
		cond(`e.at<?`, r.q.AsOf.UnixMilli())
	}
	if docs == documents[items] && r.q.Kinds != nil {
		cond(`e.kind IN (?`+strings.Repeat(`,?`, max(0, len(r.q.Kinds)-1))+`)`, kindArgs(r.q.Kinds)...)
	}
	return conds, args
}

// rowsOfItems finds the rows of items near the question, those that the
// query's conditions allow.
func (r *reader) rowsOfItems(ctx context.Context, near []Near) (map[int64]float64, error) {
	if len(near) == 0 {
		return nil, nil
	}
	conds, more := r.conditions(documents[items])
	cosine := map[string]float64{}
	var args []any
	for _, n := range near {
		cosine[string(n.Item)] = n.Cosine
		args = append(args, string(n.Item))
	}
	in := `e.iid IN (?` + strings.Repeat(`,?`, len(near)-1) + `)`
	rows, err := r.tx.QueryContext(ctx, `SELECT e.id, e.iid FROM item e WHERE `+strings.Join(append([]string{in}, conds...), ` AND `), append(args, more...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[int64]float64{}
	for rows.Next() {
		var id int64
		var iid string
		if err := rows.Scan(&id, &iid); err != nil {
			return nil, err
		}
		out[id] = cosine[iid]
	}
	return out, rows.Err()
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

// best sorts what was found, ties by row so that the same question gets the
// same answer.
func best(all map[int64]*candidate, n int) []candidate {
	out := make([]candidate, 0, len(all))
	for _, c := range all {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return out[:min(n, len(out))]
}
