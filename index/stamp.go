package index

import (
	"context"
	"database/sql"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"recall/internal/text"
)

// Line is a line of a payload.md and the items that it shows.
type Line struct {
	Text string
	IDs  []string
}

// Stamps returns for each of the given sessions, or for all, what its entry was made from: Doc.Stamp.
func (x *Index) Stamps(ctx context.Context, of ...string) (map[string]string, error) {
	all := map[string]string{}
	_, err := readList(ctx, x, func(rows *sql.Rows) (none struct{}, err error) {
		var sid, stamp string
		err = rows.Scan(&sid, &stamp)
		all[sid] = stamp
		return none, err
	}, `SELECT sid, stamp FROM stamp WHERE ?1 IN ('null', '[]') OR sid IN (SELECT value FROM json_each(?1))`,
		jsonList(of))
	return all, err
}

// Known reports whether a line was written into a payload.md of a session other than the given ones, and for
// which items.
func (x *Index) Known(ctx context.Context, line string, except ...string) (ids []string, ok bool, err error) {
	type written struct{ sid, iids string }
	all, err := readList(ctx, x, func(rows *sql.Rows) (w written, err error) {
		err = rows.Scan(&w.sid, &w.iids)
		return w, err
	}, `SELECT sid, iids FROM line WHERE hash=?`, LineHash(line))
	for _, w := range all {
		if !slices.Contains(except, w.sid) {
			return strings.Fields(w.iids), true, nil
		}
	}
	return nil, false, err
}

// LineHashes returns the LineHash of every line that Known knows, so that a caller with many lines asks only
// for those.
func (x *Index) LineHashes(ctx context.Context) (map[int64]bool, error) {
	all, err := columnSet[int64](ctx, x.db, `SELECT hash FROM line`)
	return all, x.fail("read index", err)
}

// Listed reports whether a line is a list item.
func Listed(line string) bool { return listMark(strings.TrimSpace(line)) > 0 }

// LineHash identifies a line regardless of its surroundings: white space, a bullet, and the session that a
// composed payload names after it are ignored.
func LineHash(line string) int64 {
	line = strings.TrimSpace(line)
	line = line[listMark(line):]
	if strings.HasSuffix(line, ")") {
		line = origin().ReplaceAllString(line, "")
	}
	h := fnv.New64a()
	io.WriteString(h, line)
	return int64(h.Sum64())
}

// listMark returns the length of a bullet or number at the beginning of a line with the white space after it.
func listMark(line string) int {
	if line == "" || strings.IndexByte("-*+0123456789\xe2", line[0]) < 0 { // most lines
		return 0
	}
	return len(bullet().FindString(line))
}

var bullet = text.Pattern(`^(?:[-*+•]|\d{1,3}[.)])\s+`)

var origin = text.Pattern(`\s*\((?:session )?[^()]*, [A-Z][a-z]{2} \d{1,2}(?:, \d{4})?\)$`)

// putLines replaces a session's stamp, adds its lines, and marks its links as due. Lines stay when a payload
// changes, since an older rendering may have been pasted.
func putLines(ctx context.Context, tx transaction, d Doc) error {
	do, fault := statements(ctx, tx)
	do(`INSERT INTO stamp(sid, stamp) VALUES(?,?) ON CONFLICT(sid) DO UPDATE SET stamp=excluded.stamp`, d.Session, d.Stamp)
	do(`INSERT OR IGNORE INTO due(sid) VALUES(?)`, d.Session)
	for _, l := range d.Lines {
		do(`INSERT OR REPLACE INTO line(hash, sid, iids) VALUES(?,?,?)`, LineHash(l.Text), d.Session,
			strings.Join(l.IDs, " "))
	}
	return fault()
}

// dropLines removes a session's stamp, lines and links, and marks the links of later sessions as due, since
// they may now reach further back. What links were made of no longer says all that the table lacks.
func dropLines(ctx context.Context, tx transaction, session string) error {
	do, fault := statements(ctx, tx)
	do(`DELETE FROM stamp WHERE sid=?`, session)
	do(`DELETE FROM line WHERE sid=?`, session)
	do(`INSERT OR IGNORE INTO due SELECT json_extract(data, '$.from_session') FROM link
		WHERE json_extract(data, '$.to_session')=?`, session)
	do(`DELETE FROM due WHERE sid=?`, session)
	do(`UPDATE linked SET made=substr(made, 1, instr(made, char(10)))`)
	do(`DELETE FROM link
		WHERE ?1 IN (json_extract(data, '$.from_session'), json_extract(data, '$.to_session'))`, session)
	return fault()
}
