package index

import (
	"context"
	"database/sql"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"recall/text"
)

// Line is a line of a payload.md and the items that it shows.
type Line struct {
	Text string
	IDs  []string
}

// Stamps tells for each session what its entry was made from: Doc.Stamp.
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

// Known reports whether a line equals one that was written into a payload.md of
// another session than the given ones, and for which items.
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

// LineHashes lists the LineHash of every line that Known knows: a caller with
// many lines asks for those alone.
func (x *Index) LineHashes(ctx context.Context) (map[int64]bool, error) {
	all, err := columnSet[int64](ctx, x.db, `SELECT hash FROM line`)
	return all, x.fail("read index", err)
}

// Listed reports whether a line is one of a list.
func Listed(line string) bool { return listMark(strings.TrimSpace(line)) > 0 }

// LineHash is what a line is known by. Where it stood doesn't count: neither
// white space nor bullet, nor the session that a composed payload names after it.
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

// listMark is how many bytes a list's bullet or number takes at the beginning of
// a line, with the white space behind it.
func listMark(line string) int {
	if line == "" || strings.IndexByte("-*+0123456789\xe2", line[0]) < 0 { // most lines
		return 0
	}
	return len(bullet().FindString(line))
}

var bullet = text.Pattern(`^(?:[-*+•]|\d{1,3}[.)])\s+`)

var origin = text.Pattern(`\s*\((?:session )?[^()]*, [A-Z][a-z]{2} \d{1,2}(?:, \d{4})?\)$`)

// putLines replaces a session's stamp, adds its lines, and has its links looked
// at again. Lines stay when a
// payload changes: an older rendering may have been pasted.
func putLines(ctx context.Context, tx *sql.Tx, d Doc) error {
	do, fault := statements(ctx, tx)
	do(`INSERT INTO stamp(sid, stamp) VALUES(?,?) ON CONFLICT(sid) DO UPDATE SET stamp=excluded.stamp`, d.Session, d.Stamp)
	do(`INSERT OR IGNORE INTO due(sid) VALUES(?)`, d.Session)
	for _, l := range d.Lines {
		do(`INSERT OR REPLACE INTO line(hash, sid, iids) VALUES(?,?,?)`, LineHash(l.Text), d.Session,
			strings.Join(l.IDs, " "))
	}
	return fault()
}

// dropLines forgets a session's stamp, lines and links. The sessions that bore on
// it have their links looked at again: theirs may now reach further back.
func dropLines(ctx context.Context, tx *sql.Tx, session string) error {
	do, fault := statements(ctx, tx)
	do(`DELETE FROM stamp WHERE sid=?`, session)
	do(`DELETE FROM line WHERE sid=?`, session)
	do(`INSERT OR IGNORE INTO due SELECT json_extract(data, '$.from_session') FROM link
		WHERE json_extract(data, '$.to_session')=?`, session)
	do(`DELETE FROM due WHERE sid=?`, session)
	do(`DELETE FROM link
		WHERE ?1 IN (json_extract(data, '$.from_session'), json_extract(data, '$.to_session'))`, session)
	return fault()
}
