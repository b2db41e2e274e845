package opencode

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// rows reads rows of a database as lines.
type rows struct {
	*database
	all   []rowRef
	left  []rowRef                 // the rest of all
	stmts map[string]*sqlite3.Stmt // by table
	line  []byte                   // unread rest of the current line
	buf   []byte
}

type rowRef struct {
	table table
	row   int64
}

// openRows opens the rows of sessions: the conversation of the first, or everything else of all of them.
func openRows(path string, spoken bool, ids ...string) (io.ReadCloser, error) {
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	r := &rows{database: d, stmts: map[string]*sqlite3.Stmt{}}
	list := func(sql, id string) {
		err = cmp.Or(err, d.each(sql, func(s *sqlite3.Stmt) {
			r.all = append(r.all, rowRef{d.tables[s.ColumnInt(0)], s.ColumnInt64(1)})
		}, id))
	}
	if spoken {
		list(d.inOrder(), ids[0])
		ids = nil
	}
	for _, id := range ids {
		for i, t := range d.tables {
			if !t.isConversation() {
				list(fmt.Sprintf("SELECT %d, rowid FROM %s WHERE %s = ? ORDER BY rowid", i, name(t.name), t.sessionColumn()), id)
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	r.left = r.all
	return r, nil
}

// inOrder returns the SQL for the rows of a session's messages ordered by time and id, each followed by its parts.
// Parts of missing messages come last.
func (d *database) inOrder() string {
	var of []string
	for i, t := range d.tables {
		if t.name == partTable {
			of = append(of, fmt.Sprintf(`SELECT %d, p.rowid, coalesce(m.time_created, 1 << 62), p.message_id, p.id FROM part p
				LEFT JOIN message m ON m.id = p.message_id WHERE p.session_id = ?1`, i))
		} else if t.isConversation() {
			of = append(of, fmt.Sprintf("SELECT %d, rowid, time_created, id, '' FROM %s WHERE session_id = ?1", i,
				t.name))
		}
	}
	return strings.Join(of, " UNION ALL ") + " ORDER BY 3, 4, 1, 5"
}

// Seek moves to an offset from the beginning, in the same state of the database.
func (r *rows) Seek(offset int64, _ int) (int64, error) {
	r.left, r.line = r.all, nil
	return io.CopyN(io.Discard, r, offset)
}

// Close closes the database.
func (r *rows) Close() error {
	for _, s := range r.stmts {
		s.Close()
	}
	return r.database.Close()
}

func (r *rows) Read(b []byte) (n int, err error) {
	defer recoverError(&err)
	for len(r.line) == 0 {
		if len(r.left) == 0 {
			return 0, cmp.Or(r.checkUnchanged(), io.EOF)
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n = copy(b, r.line)
	r.line = r.line[n:]
	return n, nil
}

// next builds the line of the next row.
func (r *rows) next() (err error) {
	at := r.left[0]
	r.left = r.left[1:]
	s := r.stmts[at.table.name]
	if s == nil {
		if s, _, err = r.Prepare("SELECT " + at.table.row() + " FROM " + name(at.table.name) +
			" WHERE rowid = ?"); err != nil {
			return err
		}
		r.stmts[at.table.name] = s
	}
	if err := s.BindInt64(1, at.row); err != nil {
		return err
	}
	if s.Step() {
		r.line = append(r.buf[:0], s.ColumnRawText(0)...)
		if at.table.has(dataColumn) {
			r.line = append(append(r.line, beforeData...), s.ColumnRawBlob(1)...)
		}
		r.line = append(r.line, lineEnd...)
		r.buf = r.line
	}
	return s.Reset()
}
