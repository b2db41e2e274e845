package opencode

import (
	"cmp"
	"errors"
	"io"

	"github.com/ncruces/go-sqlite3"
)

// rows gives rows of a database in lines.
type rows struct {
	*database
	left  []place
	taken map[string]*sqlite3.Stmt // by table
	line  []byte                   // what isn't given yet of the last one
	buf   []byte
	large *sqlite3.Blob // what is in data of the last one, where that is large
}

type place struct {
	table table
	row   int64
}

// openRows opens the rows of sessions: what was said in the first, or what else is kept of all of them.
func openRows(path string, spoken bool, ids ...string) (io.ReadCloser, error) {
	d, err := open(path)
	if err != nil {
		return nil, err
	}
	r := &rows{database: d, taken: map[string]*sqlite3.Stmt{}}
	if spoken {
		err = r.placeSpoken(ids[0])
	} else {
		for _, id := range ids {
			for _, t := range d.tables {
				if err == nil && !t.spoken() {
					err = r.each("SELECT rowid FROM "+name(t.name)+" WHERE "+t.of()+" = ? ORDER BY rowid",
						func(s *sqlite3.Stmt) { r.left = append(r.left, place{t, s.ColumnInt64(0)}) }, id)
				}
			}
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return r, nil
}

// placeSpoken lists the rows of messages in the order of their times and ids, each with those of its parts behind it.
// Parts of messages that aren't there come last.
func (r *rows) placeSpoken(id string) error {
	parts, order := map[string][]place{}, []string{}
	messages := map[string]place{}
	for _, t := range r.tables {
		sql := "SELECT rowid, "
		switch {
		case t.name == messageTable && t.has("time_created"):
			sql += "id FROM message WHERE session_id = ? ORDER BY time_created, id"
		case t.spoken():
			sql += map[string]string{messageTable: "id", partTable: "message_id"}[t.name] + " FROM " + t.name +
				" WHERE session_id = ? ORDER BY id"
		default:
			continue
		}
		err := r.each(sql, func(s *sqlite3.Stmt) {
			of, at := s.ColumnText(1), place{t, s.ColumnInt64(0)}
			if t.name == messageTable {
				messages[of], order = at, append(order, of)
				return
			}
			if _, known := messages[of]; !known && parts[of] == nil {
				order = append(order, of)
			}
			parts[of] = append(parts[of], at)
		}, id)
		if err != nil {
			return err
		}
	}
	for _, of := range order {
		if at, ok := messages[of]; ok {
			r.left = append(r.left, at)
		}
		r.left = append(r.left, parts[of]...)
	}
	return nil
}

// Close lets go of the database.
func (r *rows) Close() error {
	for _, s := range r.taken {
		s.Close()
	}
	if r.large != nil {
		r.large.Close()
	}
	return r.database.Close()
}

func (r *rows) Read(b []byte) (n int, err error) {
	defer caught(&err)
	for len(r.line) == 0 {
		if r.large != nil {
			n, err = r.large.Read(b)
			if !errors.Is(err, io.EOF) {
				return n, err
			}
			r.line = append(r.line, lineEnd...)
			err = r.large.Close()
			if r.large = nil; n > 0 || err != nil {
				return n, err
			}
			continue
		}
		if len(r.left) == 0 {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n = copy(b, r.line)
	r.line = r.line[n:]
	return n, nil
}

// next makes the line of the next row, but for data if that is large.
func (r *rows) next() (err error) {
	at := r.left[0]
	r.left = r.left[1:]
	s := r.taken[at.table.name]
	if s == nil {
		if s, _, err = r.Prepare("SELECT " + at.table.row() + " FROM " + name(at.table.name) +
			" WHERE rowid = ?"); err != nil {
			return err
		}
		r.taken[at.table.name] = s
	}
	if err := s.BindInt64(1, at.row); err != nil {
		return err
	}
	if s.Step() {
		r.line = append(r.buf[:0], s.ColumnRawText(0)...)
		if at.table.has(dataColumn) {
			r.line = append(append(r.line, beforeData...), s.ColumnRawBlob(1)...)
		}
		if s.ColumnType(1) == sqlite3.NULL {
			r.large, err = r.OpenBlob("main", at.table.name, dataColumn, at.row, false)
		} else {
			r.line = append(r.line, lineEnd...)
		}
		r.buf = r.line
	}
	return cmp.Or(err, s.Reset())
}
