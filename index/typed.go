package index

import (
	"context"
	"database/sql"
	"strings"
)

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
