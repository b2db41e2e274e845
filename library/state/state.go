// Package state is state.db in a library's cache folder: what recall remembers between runs of the sources and the
// library, so that a run with nothing new only compares metadata. It is a cache: if it is deleted or damaged it is made
// again, which costs one slower run. Nothing is in it alone, and nothing counts as safe because of it.
package state

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/ncruces/go-sqlite3"

	"recall/ingest"
	"recall/library/disk"
)

// version must change whenever a table changes, or what its rows hold: also if library.Entry gets another field.
const version = 6

//go:embed schema.sql
var schema string

// Name is the file's name in a cache folder.
const Name = "state.db"

// A DB is an open state.db. It is safe for concurrent use, and any number of processes may have it open.
type DB struct {
	mu   sync.Mutex
	conn *sqlite3.Conn // nil while there is no file
	path string
}

// A Row is a row of an answer.
type Row = *sqlite3.Stmt

// A Change is a statement with its arguments: string, int64, bool or []byte.
type Change struct {
	SQL  string
	Args []any
}

// Open opens the file in a folder; both are made when something is written. One that is damaged, or of another version,
// is made again.
func Open(dir string) (*DB, error) {
	d := &DB{path: filepath.Join(dir, Name)}
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	err := d.open()
	if unusable(err) {
		err = d.remake()
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", d.path, err)
	}
	return d, nil
}

var errOther = errors.New("it is another version's")

func (d *DB) open() error {
	if err := disk.MakeAllDirs(filepath.Dir(d.path)); err != nil {
		return err
	}
	f, err := disk.OpenPlain(d.path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would make it readable for others
	if err != nil {
		return err
	}
	f.Close()
	// What power loss leaves is made again; what is deleted may have been forgotten on purpose.
	d.conn, err = sqlite3.Open(ingest.DatabaseURI(d.path,
		"_pragma=busy_timeout(5000)&_pragma=synchronous(OFF)&_pragma=secure_delete(ON)"))
	if err != nil {
		return err
	}
	found := 0
	err = d.each("PRAGMA user_version", func(r Row) { found = r.ColumnInt(0) })
	switch {
	case err != nil:
	case found == 0:
		err = d.conn.Exec(fmt.Sprintf("BEGIN IMMEDIATE; %s; PRAGMA user_version=%d; COMMIT", schema, version))
	case found != version:
		err = errOther
	}
	if err != nil {
		d.close()
	}
	return err
}

// unusable reports whether the file has to be made again.
func unusable(err error) bool {
	return errors.Is(err, errOther) || errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB) ||
		errors.Is(err, sqlite3.ERROR) || errors.Is(err, sqlite3.CONSTRAINT)
}

// remake replaces the file by an empty one.
func (d *DB) remake() error {
	for _, path := range []string{d.path, d.path + "-journal"} {
		if err := disk.RemoveIfThere(path); err != nil {
			return err
		}
	}
	return d.open()
}

// Close closes the file.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.close()
}

func (d *DB) close() error {
	err := d.conn.Close() // nil is fine
	d.conn = nil
	return err
}

// Each calls row for each row of an answer. With an error, what was answered so far doesn't count.
func (d *DB) Each(query string, row func(Row), args ...any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil {
		return nil
	}
	err := d.each(query, row, args...)
	return d.fail(err, err)
}

// Write makes all changes, or none. In a damaged file that was made again they have no place, which is no error.
func (d *DB) Write(changes ...Change) error {
	if len(changes) == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn == nil {
		if err := d.open(); err != nil {
			return d.fail(err, nil)
		}
	}
	return d.fail(d.write(changes), nil)
}

// fail makes a damaged file again, returning otherwise if that succeeds, and says of which file an error is.
func (d *DB) fail(err, otherwise error) error {
	if unusable(err) {
		d.close()
		if err = d.remake(); err == nil {
			err = otherwise
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	return nil
}

func (d *DB) write(changes []Change) error {
	err := d.conn.Exec("BEGIN IMMEDIATE")
	for _, c := range changes {
		if err == nil {
			err = d.each(c.SQL, func(Row) {}, c.Args...)
		}
	}
	if err == nil {
		err = d.conn.Exec("COMMIT")
	}
	if err != nil {
		_ = d.conn.Exec("ROLLBACK") // there may be nothing to roll back
	}
	return err
}

func (d *DB) each(query string, row func(Row), args ...any) error {
	s, _, err := d.conn.Prepare(query)
	if err != nil {
		return err
	}
	defer s.Close()
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			err = s.BindText(i+1, arg)
		case int64:
			err = s.BindInt64(i+1, arg)
		case bool:
			err = s.BindBool(i+1, arg)
		case []byte:
			err = s.BindBlob(i+1, arg)
		}
		if err != nil {
			return err
		}
	}
	for s.Step() {
		row(s)
	}
	return s.Err()
}
