package index

import (
	"context"
	"database/sql"
	"strings"
)

// Typed lists what people said, in order of sessions and turns: without
// what other tools put in, and without what a fork copied. project is a name, ""
// for all. The turns' More is empty.
func (x *Index) Typed(ctx context.Context, project string) ([]TurnHit, error) {
	return readList(ctx, x, func(rows *sql.Rows) (h TurnHit, err error) {
		var start, at int64
		var text []byte
		err = rows.Scan(&h.Place.Session, &h.SessionTitle, &h.Project, &h.Source, &start, &h.SessionN, &h.ID, &h.N, &at,
			&text)
		if err == nil {
			h.Text, err = unpack(text)
		}
		h.SessionStart, h.At, h.Role = fromMillis(start), fromMillis(at), "user"
		return h, err
	}, `SELECT s.sid, s.title, s.project, s.source, s.start,
		(SELECT count(*) FROM session o WHERE o.project=s.project AND (o.start, o.sid)<=(s.start, s.sid) `+
		`AND `+strings.ReplaceAll(ofOurs, "t.", "o.")+`),
		t.tid, t.n, t.at, t.text FROM session s JOIN turn t ON t.session=s.id
		WHERE t.role='user' AND (?1='' OR s.project=?1) ORDER BY s.start, s.sid, t.n`, project)
}
