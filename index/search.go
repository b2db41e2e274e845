package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"recall/index/embed"
	"recall/index/rank"
)

const (
	scored     = 200 // documents of each table that are scored
	candidates = 100 // items and turns each that are fused
	shown      = 20  // default number of results
	alsoWeight = 0.5 // of the caller's keywords relative to the question (0.3–0.7 do the same)
)

// Search answers a question. Any text is accepted; of a very long one only the rarest words count.
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
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // all steps see the same state
	if err != nil {
		return Answer{}, err
	}
	defer tx.Rollback()
	full, err := x.fulltext(ctx, tx)
	if err != nil {
		return Answer{}, err
	}
	within, narrowed, err := narrow(ctx, full, q)
	if err != nil {
		return Answer{}, err
	}
	a, err := x.run(ctx, full, within, len(narrowed.Words) > 0)
	if err == nil && len(narrowed.Words) > 0 && len(a.Ranked) == 0 {
		q.Text = within.Text
		a, err = x.run(ctx, full, q, true)
		a.Widened = narrowed
		return a, err
	}
	a.Narrowed = narrowed
	return a, err
}

// run answers a question as it is; within says that a filter was cut out of it.
func (x *Index) run(ctx context.Context, full *fulltext, q Query, within bool) (a Answer, err error) {
	r := &reader{fulltext: full, q: q, near: x.near, weights: x.weights, own: x.own}
	if err := r.count(ctx, &a); err != nil {
		return Answer{}, err
	}
	ts := dropFraming(q.Text, terms(q.Text))
	also := terms(strings.Join(q.Also, " "))
	others := r.others(ts)
	if err := r.lookUp(ctx, slices.Concat(lookupForms(ts), lookupForms(also), others)); err != nil {
		return Answer{}, err
	}
	if err := cmp.Or(r.weigh(ctx, ts), r.weigh(ctx, also)); err != nil {
		return Answer{}, err
	}
	if r.names, err = r.named(ctx, ts); err != nil {
		return Answer{}, err
	}
	if kinds, err := r.listedKinds(ctx, ts, within); err != nil {
		return Answer{}, err
	} else if kinds != nil {
		if listed, err := r.list(ctx, a, kinds); err != nil || len(listed.Ranked) > 0 {
			return listed, err
		}
	}
	ts = withoutNames(ts, r.names)
	corrected, err := r.correct(ctx, ts)
	if err != nil {
		return Answer{}, err
	}
	found, err := r.find(ctx, ts, also, others)
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
	preferLater(list, r.asked)
	if err := r.answer(ctx, &a, list[:min(q.Limit, len(list))]); err != nil {
		return Answer{}, err
	}
	restoreSpelling(&a, corrected)
	a.WithoutVectors = r.withoutVectors
	a.SearchedElsewhere = q.Elsewhere.searched()
	r.judge(&a, ts, list)
	return a, nil
}

// reader is one search's view of the index.
type reader struct {
	*fulltext
	q    Query
	size corpus

	hidesArchived bool // there are archived sessions, and they are excluded

	ofSession *sql.Stmt // see place
	places    map[int64]Place

	names []string       // projects that the question names
	asked *rank.Question // set by look

	weights        rank.Weights
	own            embed.Groups
	near           *vectorSearch // nil without vectors
	withoutVectors bool          // vectors were wanted but not available
}

// count reports how much is searched. Totals are counted once per state of the index; archived sessions, which
// change without a new state, each time.
func (r *reader) count(ctx context.Context, a *Answer) error {
	r.size = r.docs()
	n, err := cached(r.read, r.read.counts, r.q.Project, func() (searchedIn, error) { return r.counted(ctx) })
	var out searchedIn
	if err == nil && !r.q.Archived {
		err = r.tx.QueryRowContext(ctx, archivedSessions, r.q.Project).Scan(&out.sessions, &out.items, &out.projects)
	}
	r.hidesArchived, a.Archived = out.sessions > 0, out.sessions
	a.SearchedItems, a.SearchedSessions = n.items-out.items, n.sessions-out.sessions
	a.Projects = n.projects - out.projects
	return err
}

// archivedSessions counts the archived sessions of a project, or of all, their items, and the projects that
// have no other sessions. The last is computed once per project.
const archivedSessions = `SELECT ifnull(sum(n),0), ifnull(sum(items),0), ifnull(sum(NOT EXISTS(` +
	`SELECT 1 FROM session s WHERE s.project=t.project AND NOT s.archived)),0) FROM (SELECT project, count(*) AS n, ` +
	`sum(items) AS items FROM session INDEXED BY session_archived WHERE archived AND ?1 IN ('', project) ` +
	`GROUP BY project) t`

// searchedIn is the size of a project, or of everything.
type searchedIn struct{ items, sessions, projects int }

func (r *reader) counted(ctx context.Context) (n searchedIn, err error) {
	if r.q.Project != "" {
		row := r.tx.QueryRowContext(ctx,
			`SELECT count(*) FILTER (WHERE `+isOwn+`), count(*)>0, ifnull(sum(items),0) FROM session t WHERE id IN (`+
				sessionsIn+`)`, r.q.Project, r.q.Project)
		err = row.Scan(&n.sessions, &n.projects, &n.items)
		return n, err
	}
	n.items = r.size[items]
	err = r.tx.QueryRowContext(ctx, allSessions).Scan(&n.sessions, &n.projects)
	return n, err
}

const allSessions = `SELECT count(*) FILTER (WHERE ` + isOwn + `), count(DISTINCT project) FROM session t`

// candidate is an item or turn found by some word.
type candidate struct {
	id    int64 // row
	score float64
	parts [partCount]float64 // of score
	near  float64            // cosine of its vector, 0 if unknown
}

// The parts of a first-pass score.
const (
	byWords = iota
	bySource
	byLexicon
	partCount
)

// find runs the first pass over items and turns.
func (r *reader) find(ctx context.Context, ts, also []term, others []string) (found [2][]candidate, err error) {
	all := [2]gathered{{}, {}}
	for k, t := range tables {
		if t.kind == turns && r.q.Kinds != nil || k == ofSources && r.q.Exact {
			continue
		}
		for _, m := range []weighted{
			{lookupForms(affordable(ts, k)), 1, t.part},
			{lookupForms(affordable(also, k)), alsoWeight, t.part},
			{r.related(others, k), t.related, byLexicon},
		} {
			if err := r.add(ctx, all[t.kind], k, m); err != nil {
				return found, err
			}
		}
	}
	for kind := range found {
		found[kind] = all[kind].best(candidates)
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

// level divides scores by the highest score that a document of table k with all the terms could have, so that
// items and the far more numerous turns are comparable.
func (r *reader) level(list []candidate, ts []term, k int) {
	n := float64(r.size[tables[k].kind])
	var full float64
	for _, t := range ts {
		full += inverseFrequency(n, float64(t.df[k]))
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

// weighted is a list of words to search for, their weight, and the part of the score that they add to.
type weighted struct {
	stems  []string
	weight float64
	part   int
}

// add adds the weighted scores of a table's best documents.
func (r *reader) add(ctx context.Context, all gathered, k int, m weighted) error {
	if len(m.stems) == 0 {
		return nil
	}
	t := tables[k]
	sums, err := r.scores(ctx, k, t.columns, m.stems)
	if err != nil {
		return err
	}
	list, err := r.wanted(ctx, t.kind, sums)
	if err != nil {
		return err
	}
	for _, d := range list {
		if d.score == 0 {
			continue // only in a column that isn't searched
		}
		c, s := all.entry(d.doc), d.score*m.weight*t.weight
		c.score += s
		c.parts[m.part] += s
	}
	return nil
}

// wanted returns the best documents that pass the query's filters.
func (r *reader) wanted(ctx context.Context, kind int, sums map[int64]float64) ([]scoredDoc, error) {
	list := make([]scoredDoc, 0, len(sums))
	for doc, score := range sums {
		list = append(list, scoredDoc{doc, score})
	}
	if r.q.Project != "" {
		var err error
		if list, err = r.inProject(ctx, kind, list); err != nil {
			return nil, err
		}
	}
	if !r.filtered(kind) {
		return best(list, scored), nil
	}
	var out []scoredDoc
	for list = best(list, len(list)); len(list) > 0 && len(out) < scored; {
		n := min(len(list), 2*scored)
		some, err := r.allowed(ctx, kind, list[:n])
		if err != nil {
			return nil, err
		}
		out, list = append(out, some...), list[n:]
	}
	return out[:min(len(out), scored)], nil
}

func (r *reader) inProject(ctx context.Context, kind int, list []scoredDoc) ([]scoredDoc, error) {
	mine, err := r.sessionsOf(ctx, r.q.Project)
	if err != nil {
		return nil, err
	}
	kept := list[:0]
	for _, d := range list {
		of, err := r.sizes.of(ctx, ofKind[kind], d.doc)
		if err != nil {
			return nil, err
		}
		if mine[int64(of.session)] {
			kept = append(kept, d)
		}
	}
	return kept, nil
}

func (r *reader) sessionsOf(ctx context.Context, project string) (map[int64]bool, error) {
	return cached(r.read, r.read.sessions, project, func() (map[int64]bool, error) {
		return columnSet[int64](ctx, r.tx, sessionsIn, project, project)
	})
}

// allowed keeps the documents that pass the query's filters on single documents, in order. It doesn't check the
// project again, since SQLite would then scan the whole project.
func (r *reader) allowed(ctx context.Context, kind int, list []scoredDoc) ([]scoredDoc, error) {
	conds, args := r.conditions(documents[kind])
	ids := make([]int64, len(list))
	for i, d := range list {
		ids[i] = d.doc
	}
	query := `SELECT e.id FROM ` + documents[kind] + ` e WHERE e.id IN (SELECT value FROM json_each(?)) AND ` +
		strings.Join(conds, ` AND `)
	is, err := columnSet[int64](ctx, r.tx, query, append([]any{jsonList(ids)}, args...)...)
	return slices.DeleteFunc(list, func(d scoredDoc) bool { return !is[d.doc] }), err
}

// filtered reports whether the query has filters on single documents of a kind.
func (r *reader) filtered(kind int) bool {
	dated := !r.q.Since.IsZero() || !r.q.Until.IsZero() || !r.q.AsOf.IsZero()
	return r.hidesArchived || dated || kind == items && r.q.Kinds != nil
}

// conditions returns the query's filters on a row e of the table of documents, except for the project.
func (r *reader) conditions(docs string) (conds []string, args []any) {
	cond := func(s string, a ...any) { conds, args = append(conds, s), append(args, a...) }
	if r.hidesArchived {
		cond(`e.session NOT IN (SELECT id FROM session WHERE archived)`)
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
		cond(`e.kind IN (SELECT value FROM json_each(?))`, jsonList(r.q.Kinds))
	}
	return conds, args
}

// gathered collects the first pass's documents of one kind, by row.
type gathered map[int64]*candidate

// entry returns a document's candidate, creating it if needed.
func (g gathered) entry(id int64) *candidate {
	c := g[id]
	if c == nil {
		c = &candidate{id: id}
		g[id] = c
	}
	return c
}

// best returns the n best, ties by row so that the same question gets the same answer.
func (g gathered) best(n int) []candidate {
	list := make([]candidate, 0, len(g))
	for _, c := range g {
		list = append(list, *c)
	}
	return topN(list, n, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
}
