package opencode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"recall/ingest"
)

// A database is one of the client's databases, opened read-only in a single state of it.
type database struct {
	*sqlite3.Conn
	path      string
	was       string // its version
	immutable bool   // nobody was writing to it
	tables    []table
}

// versionOf returns what identifies the state of a database with its write-ahead log, "" if it isn't there; when either
// was last written; and whether there is a log that must be read as well.
func versionOf(path string) (version string, changed time.Time, logged bool) {
	for _, at := range []string{path, path + "-wal"} {
		info, err := os.Stat(at)
		if err != nil {
			continue
		}
		version += fmt.Sprintln(info.Size(), info.ModTime().UnixNano(), ingest.Stamp(at, info))
		logged = at != path && info.Size() > 0
		if info.ModTime().After(changed) {
			changed = info.ModTime()
		}
	}
	return version, changed, logged
}

// busyTimeout is how long to wait for a locked database.
const busyTimeout = time.Second

// open opens a database for reading. Where there is no write-ahead log to be read, it takes no locks and creates no
// files.
func open(path string) (d *database, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if !ingest.IsFile(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	was, _, logged := versionOf(path)
	d = &database{path: path, was: was, immutable: !logged && !ingest.IsFile(path+"-journal")}
	how := "mode=ro"
	if d.immutable {
		how += "&immutable=1"
	}
	d.Conn, err = sqlite3.OpenFlags(ingest.DatabaseURI(path, how), sqlite3.OPEN_READONLY|sqlite3.OPEN_URI)
	if err == nil {
		err = cmp.Or(d.BusyTimeout(busyTimeout), d.Exec("BEGIN"), d.readTables())
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// checkUnchanged returns an error if what was read so far might not be a state that the database was ever in.
func (d *database) checkUnchanged() error {
	if now, _, _ := versionOf(d.path); d.immutable && now != d.was {
		return errors.New("the client wrote to it while it was being read; it will be read again next time")
	}
	return nil
}

// A table is one whose rows belong to sessions.
type table struct {
	name    string
	columns []string
}

func (t table) has(column string) bool { return slices.Contains(t.columns, column) }

// sessionColumn returns the column that says which session a row belongs to.
func (t table) sessionColumn() string {
	if t.isSessions() {
		return "id"
	}
	return "session_id"
}

// The tables that sessions are made from, and those of version 2, beside which an upgraded database keeps them as they
// were; all others with a column "session_id" are kept beside.
const (
	sessionTable, messageTable, partTable = "session", "message", "part"
	newerSessions, newerTable             = "session_v2", "session_message"
)

// isSessions reports whether a table's rows are sessions.
func (t table) isSessions() bool { return t.name == sessionTable || t.name == newerSessions }

// isConversation reports whether a table's rows are the conversation itself.
func (t table) isConversation() bool {
	return t.name == messageTable || t.name == partTable || t.name == newerTable && t.has("time_created")
}

// readTables finds the tables, ordered by name. A virtual one has no rows of its own, and may need a module that isn't
// here.
func (d *database) readTables() error {
	lacks := map[string]bool{"session.id": true, "message.time_created": true, "part.message_id": true}
	newer := map[string]bool{"session_v2.id": true, "session_message.time_created": true}
	var t table
	add := func() {
		if t.has(t.sessionColumn()) {
			d.tables = append(d.tables, t)
		}
	}
	err := d.each(`SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY m.name, c.cid`, func(s *sqlite3.Stmt) {
		if name := s.ColumnText(0); name != t.name {
			add()
			t = table{name: name}
		}
		t.columns = append(t.columns, s.ColumnText(1))
		delete(lacks, t.name+"."+s.ColumnText(1))
		delete(newer, t.name+"."+s.ColumnText(1))
	})
	add()
	if len(newer) == 0 {
		return err
	}
	for column := range lacks {
		err = cmp.Or(err, errors.New("it has no "+column+", which this version needs to find sessions"))
	}
	return err
}

// recoverError turns a panic, as by SQLite when out of memory, into an error.
func recoverError(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%v", r)
	}
}

// each calls do with each row of a query.
func (d *database) each(query string, do func(*sqlite3.Stmt), args ...string) (err error) {
	defer recoverError(&err)
	s, _, err := d.Prepare(query)
	if err != nil {
		return err
	}
	for i, arg := range args {
		err = cmp.Or(err, s.BindText(i+1, arg))
	}
	for err == nil && s.Step() {
		do(s)
	}
	return cmp.Or(err, s.Close())
}

// A row becomes a line as it is stored: its columns in order as JSON, except that the content of "data", which the
// client stores as JSON, is copied verbatim and comes last. lineSize gives a line's length.

// head returns the SQL for a line up to data.
func (t table) head() string {
	table, _ := json.Marshal(t.name)
	sql := literal(`{"table":` + string(table))
	for _, c := range t.columns {
		if c != dataColumn {
			column, _ := json.Marshal(c)
			sql += " || " + literal(","+string(column)+":") + " || " + value(name(c))
		}
	}
	return sql
}

const dataColumn, beforeData, lineEnd = "data", `,"data":`, "}\n"

// row returns the SQL for a line's head, and for the content of data.
func (t table) row() string {
	if !t.has(dataColumn) {
		return t.head()
	}
	return t.head() + ", CASE WHEN typeof(data) IN ('text', 'blob') THEN data ELSE " + value("data") + " END"
}

// lineSize returns the SQL for the length of a line in bytes. It doesn't read data.
func (t table) lineSize() string {
	sql := fmt.Sprintf("octet_length(%s) + %d", t.head(), len(lineEnd))
	if t.has(dataColumn) {
		sql += fmt.Sprintf(` + %d + CASE WHEN typeof(data) IN ('text', 'blob') THEN octet_length(data)
			ELSE octet_length(%s) END`, len(beforeData), value("data"))
	}
	return sql
}

// value returns the SQL for a column's value as JSON.
func value(column string) string {
	return fmt.Sprintf(`CASE typeof(%[1]s) WHEN 'blob' THEN '"' || hex(%[1]s) || '"' ELSE json_quote(%[1]s) END`, column)
}

func name(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

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
				list(fmt.Sprintf("SELECT %d, rowid FROM %s WHERE %s = ? ORDER BY rowid", i, name(t.name),
					t.sessionColumn()), id)
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
			of = append(of, fmt.Sprintf(`SELECT %d, p.rowid, coalesce(m.time_created, 1 << 62), p.message_id, p.id
				FROM part p LEFT JOIN message m ON m.id = p.message_id WHERE p.session_id = ?1`, i))
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
