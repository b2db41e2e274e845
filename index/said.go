package index

import (
	"context"
	"database/sql"
	"strings"
)

// Said returns what was said in a session from one turn to another, and in some turns before and after, in order.
func (x *Index) Said(ctx context.Context, session string, from, to, around int) ([]Turn, error) {
	return readList(ctx, x, func(rows *sql.Rows) (t Turn, err error) {
		err = rows.Scan(&t.ID, &t.N, &t.Role, written{&t.At}, packed{&t.Text})
		return t, err
	}, `SELECT t.tid, t.n, t.role, t.at, t.text FROM session s JOIN turn t ON t.session=s.id WHERE s.sid=?1
		AND t.n>=ifnull((SELECT n FROM turn WHERE session=s.id AND n<?2 ORDER BY n DESC LIMIT 1 OFFSET ?4-1), 0)
		AND t.n<=ifnull((SELECT n FROM turn WHERE session=s.id AND n>?3 ORDER BY n LIMIT 1 OFFSET ?4-1), 1<<60)
		ORDER BY t.n`, session, from, to, around)
}

// anyOf returns a condition on the words of a text that touch at most so many rows, the rarest; "" for none.
func (r *reader) anyOf(ctx context.Context, said string, most int) (string, error) {
	held, err := r.count(ctx, lookupForms(terms(said)))
	var words []string
	for _, w := range affordable(held, most) {
		words = append(words, matching(w))
	}
	return strings.Join(words, " OR "), err
}

const (
	spokenRows = 300 // windows that the words may touch of a text that is looked up at each call of a tool
	repliedIn  = 3   // turns after a window in which a person may reply to it
)

// Replies returns what a person said where most of a text's rarest words were said in a project, and right after. It
// counts words and ranks nothing, which takes a fraction of a search's time.
func (x *Index) Replies(ctx context.Context, project, said string, most int) ([]Result, error) {
	r := &reader{tx: x.db, places: map[int64]Place{}}
	words, err := r.anyOf(ctx, said, spokenRows)
	if err != nil || words == "" {
		return nil, x.fail("read index", err)
	}
	var sessions []int64
	all, err := readList(ctx, x, func(rows *sql.Rows) (o Result, err error) {
		var session int64
		var packed []byte
		if err = rows.Scan(&session, &o.Turn, &packed); err == nil {
			o.Text, err = unpack(packed)
		}
		sessions = append(sessions, session)
		return o, err
	}, `SELECT DISTINCT t.session, t.n, t.text FROM (SELECT e.* FROM words JOIN window e ON e.id=words.rowid/2 `+
		`WHERE words MATCH ?1 AND words.rowid%2=0 AND e.session IN (`+
		`SELECT id FROM session WHERE project=?2 UNION SELECT session FROM also WHERE project=?2) `+
		`ORDER BY bm25(words), e.id LIMIT ?3) e JOIN turn t ON t.session=e.session AND t.n BETWEEN e.n AND e.m+?4 `+
		`WHERE t.role='user'`, words, project, most, repliedIn)
	for i := range all {
		if err == nil {
			all[i].Place, err = r.place(ctx, sessions[i])
		}
	}
	return all, x.fail("read index", err)
}

// Typed lists what people typed, in order of sessions and turns, without what other tools inserted or a fork
// copied. project is a name, "" for all.
func (x *Index) Typed(ctx context.Context, project string) ([]Result, error) {
	return readList(ctx, x, func(rows *sql.Rows) (r Result, err error) {
		r.Role = "user"
		err = rows.Scan(&r.Session, &r.SessionTitle, &r.Project, &r.Source, written{&r.SessionStart}, &r.SessionN,
			&r.TurnID, &r.Turn, written{&r.At}, packed{&r.Text})
		return r, err
	}, `SELECT s.sid, s.title, s.project, s.source, s.start,
		(SELECT count(*) FROM session o WHERE o.project=s.project AND (o.start, o.sid)<=(s.start, s.sid) `+
		`AND `+strings.ReplaceAll(isOwn, "t.", "o.")+`),
		t.tid, t.n, t.at, t.text FROM session s JOIN turn t ON t.session=s.id
		WHERE t.role='user' AND (?1='' OR s.project=?1) ORDER BY s.start, s.sid, t.n`, project)
}
