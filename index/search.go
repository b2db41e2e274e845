package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"recall/index/rank"
	"recall/payload"
)

const (
	shown          = 20   // default number of results
	alsoWeight     = 0.5  // of the caller's keywords relative to the question (0.3–0.7 do the same)
	relatedWeight  = 0.3  // of the lexicon's words
	matched        = 2500 // windows and items that the question's words may touch
	matchedRelated = 3000 // the same of the lexicon's words
	candidates     = 100  // exchanges, and items, that are ranked
	nearest        = 200  // windows that are found by meaning
	placedAtOnce   = 150  // rows that are put through the query's filters first
	moreAtOnce     = 4    // times as many next, if too few of them pass
	fewItems       = 1000 // in a project whose rows are looked up before the words'
	fewShare       = 4    // the same, relative to all windows and items
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
	once := transaction{tx, map[string]*sql.Stmt{}}
	within, narrowed, err := narrow(ctx, once, q)
	if err != nil {
		return Answer{}, err
	}
	a, err := x.run(ctx, once, within, len(narrowed.Words) > 0)
	a.Narrowed = narrowed
	only := len(a.Listed) > 0 || within.AsOf != q.AsOf && len(a.Ranked) > 0 // what is listed, and how things stood then
	if err != nil || len(narrowed.Words) == 0 || only {
		return a, err
	}
	q.Text, q.timed = within.Text, !narrowed.Since.IsZero() || !narrowed.Until.IsZero()
	all, err := x.run(ctx, once, q, true)
	if len(a.Ranked) == 0 {
		all.Widened = narrowed
		return all, err
	}
	if err != nil {
		return all, err
	}
	all.Ranked, all.Narrowed = preferring(a.Ranked, all.Ranked, q.Limit), narrowed
	all.Coverage = all.Ranked[0].Coverage
	return all, nil
}

// outside is what the score of a result counts that isn't of the time or the project that the question names.
const outside = 0.8

// preferring merges what was found within a question's time or project with all that was found.
func preferring(within, all []*Result, most int) (out []*Result) {
	type place struct {
		session, kind string
		turn          int
	}
	key := func(r *Result) place { return place{r.Session, r.Type, r.Turn} }
	had := map[place]bool{}
	for _, r := range within {
		had[key(r)] = true
	}
	groups := grouped(within)
	for _, g := range grouped(all) {
		if had[key(g[0])] {
			continue
		}
		g[0].Score *= outside
		groups = append(groups, slices.DeleteFunc(g, func(r *Result) bool { return had[key(r)] }))
	}
	slices.SortStableFunc(groups, func(a, b []*Result) int { return cmp.Compare(b[0].Score, a[0].Score) })
	out = slices.Concat(groups...)
	return out[:min(most, len(out))]
}

// grouped keeps each result together with those that stand beside it.
func grouped(list []*Result) (groups [][]*Result) {
	for _, r := range list {
		if last := len(groups) - 1; r.Beside && last >= 0 {
			groups[last] = append(groups[last], r)
		} else {
			groups = append(groups, []*Result{r})
		}
	}
	return groups
}

// run answers a question as it is; within says that a filter was cut out of it.
func (x *Index) run(ctx context.Context, tx transaction, q Query, within bool) (a Answer, err error) {
	r := &reader{x: x, tx: tx, q: q, near: x.near}
	if err := r.measure(ctx, &a); err != nil {
		return Answer{}, err
	}
	ts := dropFraming(q.Text, terms(q.Text))
	also := terms(strings.Join(q.Also, " "))
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
	others, err := r.count(ctx, r.others(ts))
	if err != nil {
		return Answer{}, err
	}
	ts = withoutNames(ts, r.names)
	r.ask(ts)
	docs, err := r.find(ctx, ts, also, others)
	if err != nil {
		return Answer{}, err
	}
	if r.near != nil && !q.Exact {
		if err := r.nearest(ctx, docs); err != nil {
			return Answer{}, err
		}
	}
	list, err := r.look(ctx, docs, ts)
	if err != nil {
		return Answer{}, err
	}
	if err := r.conclude(ctx, list[:min(len(list), besideShown)]); err != nil {
		return Answer{}, err
	}
	if list, err = r.collapse(ctx, list); err != nil {
		return Answer{}, err
	}
	list = overtake(list, r.asked)
	preferLater(list, r.asked)
	r.preferLastValue(ctx, list)
	preferBearing(list, r.asked)
	if list, err = r.whereItStands(ctx, list); err != nil {
		return Answer{}, err
	}
	if err := r.outlive(ctx, list[:min(q.Limit, len(list))]); err != nil {
		return Answer{}, err
	}
	if err := r.answer(ctx, &a, list[:min(q.Limit, len(list))]); err != nil {
		return Answer{}, err
	}
	a.WithoutVectors = r.withoutVectors
	r.judge(&a, ts)
	return a, r.titled(ctx, &a)
}

// titled finds those of the missing words that stand in the title of a session, which is its client's.
func (r *reader) titled(ctx context.Context, a *Answer) error {
	for _, w := range a.Missing {
		err := scan(ctx, r.tx, func(*sql.Rows) error {
			a.Titled = append(a.Titled, w)
			return nil
		}, `SELECT 1 FROM session WHERE title LIKE '%'||?||'%' AND source<>'`+HandoffSource+`' LIMIT 1`, w)
		if err != nil {
			return err
		}
	}
	return nil
}

// reader is one search's view of the index.
type reader struct {
	x    *Index
	tx   querier
	q    Query
	size int // windows and items

	hidesArchived bool // there are archived sessions, and they are excluded
	few           bool // the query's project has few windows and items, relative to all

	places map[int64]Place
	known  []string // all projects, once asked for

	names []string // projects that the question names
	asked *rank.Question

	near           *Vectors // nil without any
	withoutVectors bool     // vectors were wanted but not available
}

func (r *reader) ask(ts []term) { r.asked = rank.Ask(r.q.Text, rankTerms(ts), r.kin(ts)) }

// measure reports how much is searched.
func (r *reader) measure(ctx context.Context, a *Answer) error {
	var out struct{ items, sessions, projects int }
	all := 0
	err := r.tx.QueryRowContext(ctx, `SELECT (SELECT ifnull(max(id), 0) FROM item)+(SELECT ifnull(max(id), 0) FROM window),
		ifnull(sum(items), 0), ifnull(sum(items) FILTER (WHERE `+isShared+`), 0),
		count(*) FILTER (WHERE `+isOwn+`), count(DISTINCT project) FROM session t `+
		`WHERE ?='' OR id IN (`+sessionsIn+`)`, r.q.Project, r.q.Project, r.q.Project).Scan(&r.size, &all,
		&a.SearchedShared, &a.SearchedSessions, &a.Projects)
	if err == nil && !r.q.Archived {
		err = r.tx.QueryRowContext(ctx, archivedSessions, r.q.Project).Scan(&out.sessions, &out.items, &out.projects)
	}
	r.hidesArchived, a.Archived = out.sessions > 0, out.sessions
	a.SearchedItems, a.SearchedSessions = all-a.SearchedShared-out.items, a.SearchedSessions-out.sessions
	a.Projects -= out.projects
	r.few = r.q.Project != "" && all-out.items < min(fewItems, r.size/fewShare)
	return err
}

// sessionsIn selects the sessions that belong to a project, or worked in it too.
const sessionsIn = `SELECT id FROM session WHERE project=? UNION SELECT session FROM also WHERE project=?`

// archivedSessions counts the archived sessions of a project, or of all, their items, and the projects that
// have no other sessions. The last is computed once per project.
const archivedSessions = `SELECT ifnull(sum(n),0), ifnull(sum(items),0), ifnull(sum(NOT EXISTS(` +
	`SELECT 1 FROM session s WHERE s.project=t.project AND NOT s.archived)),0) FROM (SELECT project, count(*) AS n, ` +
	`sum(items) AS items FROM session INDEXED BY session_archived WHERE archived AND ?1 IN ('', project) ` +
	`GROUP BY project) t`

// held is what a window or item has of a question.
type held struct {
	score float64 // BM25
	near  float64 // cosine of its vector, or its exchange's, with the question's; 0 if it isn't among the nearest
	both  float64 // the two together, each as a share of the best
	words set     // which of the question's words
}

// set is a subset of a question's terms.
type set uint64

// find looks up the windows and items that hold the question's words, the caller's or the lexicon's.
func (r *reader) find(ctx context.Context, ts, also []term, others map[string]int) (map[int64]*held, error) {
	docs := map[int64]*held{}
	place := map[string]int{}
	for i, t := range ts {
		place[termOf(t.word)] = i + 1
	}
	type sought struct {
		weight float64
		words  set
	}
	var all []sought
	var matches []string
	for _, m := range []struct {
		held   map[string]int
		most   int
		weight float64
	}{{owned(ts), matched, 1}, {owned(also), matched, alsoWeight}, {others, matchedRelated, relatedWeight}} {
		for _, word := range affordable(m.held, m.most) {
			one := sought{weight: m.weight}
			if i := place[word]; i > 0 && m.weight == 1 {
				one.words = 1 << (i - 1)
			}
			all, matches = append(all, one), append(matches, matching(word))
		}
	}
	if len(matches) == 0 {
		return docs, nil
	}
	cond, args := r.searched()
	return docs, scan(ctx, r.tx, func(rows *sql.Rows) error {
		var i int
		var doc int64
		var score float64
		err := rows.Scan(&i, &doc, &score)
		if score = -score; score < mostFrequent {
			score *= leastRarity / frequentRarity
		}
		h := docs[doc]
		if h == nil {
			h = &held{}
			docs[doc] = h
		}
		h.score += score * all[i].weight
		h.words |= all[i].words
		return err
	}, `SELECT j.key, words.rowid, bm25(words) FROM json_each(?) j CROSS JOIN words WHERE words MATCH j.value AND `+cond,
		append([]any{jsonList(matches)}, args...)...)
}

// matching returns a word, or the beginning of words, as FTS5 takes it.
func matching(word string) string {
	w, prefix := strings.CutSuffix(word, "*")
	if w = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`; prefix {
		w += "*"
	}
	return w
}

// searched returns a condition on the rows of words: bm25 reads the lengths of those that pass it, which takes most of
// the time.
func (r *reader) searched() (cond string, args []any) {
	cond = `1`
	if r.q.Exact { // items alone are wanted
		cond = `words.rowid%2=1`
	}
	if r.few {
		cond += ` AND +words.rowid IN (SELECT 2*id+1 FROM item WHERE session IN (` + sessionsIn + `) UNION ALL ` +
			`SELECT 2*id FROM window WHERE session IN (` + sessionsIn + `))`
		args = []any{r.q.Project, r.q.Project, r.q.Project, r.q.Project}
	}
	return cond, args
}

// FTS5 takes a millionth for the rarity of a word that stands in half of all windows and items. In a library of a
// session or two most of a question's words are such.
const (
	frequentRarity = 1e-6
	mostFrequent   = 2.2 * frequentRarity // a word's highest score, times its rarity
	leastRarity    = 0.2
)

// byScore returns the documents of a kind, best first, ties by number so that the same question gets the same answer.
func byScore(docs map[int64]*held, kind int) []int64 {
	var ids []int64
	var score, near float64 // the highest
	for id, h := range docs {
		if id%2 == docOf(kind, 0) {
			ids, score, near = append(ids, id), max(score, h.score), max(near, h.near)
		}
	}
	for _, id := range ids {
		docs[id].both = docs[id].score/max(score, 1e-9) + docs[id].near/max(near, 1e-9)
	}
	slices.SortFunc(ids, func(a, b int64) int {
		return cmp.Or(cmp.Compare(docs[b].both, docs[a].both), cmp.Compare(a, b))
	})
	return ids
}

// exchanges returns the best exchanges that pass the query's filters, by their best windows.
func (r *reader) exchanges(ctx context.Context, docs map[int64]*held) ([]*ranked, error) {
	if r.q.Exact {
		return nil, nil
	}
	conds, args := r.conditions(windows)
	query := `SELECT e.id, e.session, e.x FROM window e WHERE e.id IN (SELECT value FROM json_each(?)) AND ` +
		strings.Join(conds, ` AND `)
	in := map[exchangePlace]*ranked{}
	var out []*ranked
	atOnce := placedAtOnce
	for ids := byScore(docs, windows); len(ids) > 0 && len(out) < candidates; atOnce *= moreAtOnce {
		n := min(len(ids), atOnce)
		some, err := list(ctx, r.tx, func(rows *sql.Rows) (*ranked, error) {
			o := &ranked{table: turns}
			return o, rows.Scan(&o.id, &o.session, &o.x)
		}, query, append([]any{jsonList(rowsOfDocs(ids[:n]))}, args...)...)
		if err != nil {
			return nil, err
		}
		for _, o := range some {
			o.held = *docs[docOf(windows, o.id)]
		}
		slices.SortFunc(some, func(a, b *ranked) int {
			return cmp.Or(cmp.Compare(b.held.both, a.held.both), cmp.Compare(a.id, b.id))
		})
		for _, o := range some {
			at := exchangePlace{o.session, o.x}
			if best := in[at]; best != nil {
				best.held.score, best.held.near = max(best.held.score, o.held.score), max(best.held.near, o.held.near)
			} else if len(out) < candidates {
				in[at] = o
				out = append(out, o)
			}
		}
		ids = ids[n:]
	}
	var ids []int64
	for _, o := range out {
		ids = append(ids, o.id)
	}
	return out, scan(ctx, r.tx, func(rows *sql.Rows) error {
		var i, n, to int64
		err := rows.Scan(&i, &n, &to)
		out[i].n, out[i].to = n, to
		return err
	}, `SELECT j.key, `+wholeExchange+` FROM json_each(?) j JOIN window e ON e.id=j.value`, jsonList(ids))
}

// itemsIn adds the items from the best exchanges, whatever their words; quotes only if they are asked for.
func (r *reader) itemsIn(ctx context.Context, told []*ranked, docs map[int64]*held) error {
	var at [][3]int64
	for _, o := range told[:min(len(told), itemsFrom)] {
		at = append(at, [3]int64{o.session, o.n, o.to})
	}
	places, err := json.Marshal(at)
	if err != nil || len(at) == 0 {
		return err
	}
	return scan(ctx, r.tx, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		if doc := docOf(items, id); docs[doc] == nil {
			docs[doc] = &held{}
		}
		return err
	}, `SELECT i.id FROM json_each(?) j JOIN item i ON i.session=j.value->>0 AND i.n BETWEEN j.value->>1 AND j.value->>2 `+
		`WHERE ? OR i.kind<>?`, string(places), slices.Contains(r.q.Kinds, payload.Lead), string(payload.Lead))
}

// wholeExchange selects the first and the last turn of a window's exchange, of a long one some turns before and after.
const wholeExchange = `(SELECT min(n) FROM window w WHERE (w.session, w.x)=(e.session, e.x) ` +
	`AND w.n BETWEEN e.n-10 AND e.n), ` +
	`(SELECT max(m) FROM window w WHERE (w.session, w.x)=(e.session, e.x) AND w.n BETWEEN e.n AND e.m+10)`

// exchangePlace is the place of an exchange.
type exchangePlace struct{ session, x int64 }

func rowsOfDocs(docs []int64) []int64 {
	out := make([]int64, len(docs))
	for i, d := range docs {
		out[i] = d / 2
	}
	return out
}

// foundItems returns the best items that pass the query's filters.
func (r *reader) foundItems(ctx context.Context, docs map[int64]*held) ([]*ranked, error) {
	conds, args := r.conditions(items)
	var out []*ranked
	atOnce := placedAtOnce
	for ids := byScore(docs, items); len(ids) > 0 && len(out) < candidates; atOnce *= moreAtOnce {
		n := min(len(ids), atOnce)
		passed, err := columnSet[int64](ctx, r.tx, `SELECT e.id FROM item e WHERE e.id IN (SELECT value FROM json_each(?)) `+
			`AND `+strings.Join(conds, ` AND `), append([]any{jsonList(rowsOfDocs(ids[:n]))}, args...)...)
		if err != nil {
			return nil, err
		}
		for _, doc := range ids[:n] {
			if passed[doc/2] && len(out) < candidates {
				out = append(out, &ranked{id: doc / 2, table: items, held: *docs[doc]})
			}
		}
		ids = ids[n:]
	}
	return out, r.load(ctx, out)
}

// conditions returns the query's filters on a row e of a table.
func (r *reader) conditions(kind int) (conds []string, args []any) {
	conds = []string{`1`}
	cond := func(s string, a ...any) { conds, args = append(conds, s), append(args, a...) }
	if r.q.Project != "" {
		cond(`e.session IN (`+sessionsIn+`)`, r.q.Project, r.q.Project)
	}
	if r.hidesArchived {
		cond(`e.session NOT IN (SELECT id FROM session WHERE archived)`)
	}
	if kind == items && r.q.Own {
		cond(`e.session NOT IN (SELECT id FROM session t WHERE ` + isShared + `)`)
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
	if kind == items && r.q.Kinds != nil {
		cond(`e.kind IN (SELECT value FROM json_each(?))`, jsonList(r.q.Kinds))
	}
	return conds, args
}
