package index

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"recall/ingest"
)

// ErrRebuild means that the index can't be used: it was made by an older or newer recall, or is damaged. Remove
// it (see Remove) and reindex from the library.
var ErrRebuild = errors.New("the index must be rebuilt")

// schema is the version of everything in the file: tables, word splitting, the columns' content. Raise it when
// any of them changes.
const (
	schema = 38
	appID  = 0x7265636c // "recl", in the file's header
)

//go:embed schema.sql
var schemaSQL string

// Index is an open index. Safe for concurrent use; any number of processes may have it open.
type Index struct {
	db   *sql.DB
	path string
	near *Vectors // nil without any

}

// Open opens the index for reading and writing, creating it and its folder if needed. The error is ErrRebuild
// if the file has another version or is damaged.
func Open(path string) (*Index, error) {
	if err := createFile(path); err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	x, err := open(path, "_txlock=immediate&_pragma=busy_timeout(30000)&_pragma=synchronous(NORMAL)"+
		"&_pragma=temp_store(MEMORY)")
	if err != nil {
		return nil, err
	}
	if err := retryBusy(func() error { return x.prepare(context.Background()) }); err != nil {
		x.Close()
		return nil, x.fail("open index", err)
	}
	return x, nil
}

// createFile opens or creates the file at path, which SQLite would create with the umask's permissions.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := checkPath(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// checkPath reports a folder in the file's place, which SQLite would call a disk error, and a missing file.
func checkPath(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder: %w", path, ErrRebuild)
	}
	return err
}

// retryBusy retries for half a minute while the file is locked: when several processes create the index, SQLite
// sometimes reports that at once in spite of its busy_timeout (seen once in several hundred runs under load). It also
// retries a few times after a disk error, which a process gets that opens the log while the last one to close it
// removes it (seen once in two hundred such runs).
func retryBusy(do func() error) error {
	end, faults := time.Now().Add(30*time.Second), 0
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := do()
		if errors.Is(err, sqlite3.IOERR) && faults < 8 {
			faults++
		} else if !busy(err) || time.Now().After(end) {
			return err
		}
		time.Sleep(wait)
	}
}

// OpenRead opens an existing index for searching, at the least start-up cost. The error is fs.ErrNotExist if
// there is none, ErrRebuild if it has another version or is damaged.
func OpenRead(path string) (*Index, error) {
	if err := checkPath(path); err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	x, err := open(path, "mode=ro&_pragma=busy_timeout(2000)&_pragma=cache_size(-16000)")
	if err != nil {
		return nil, err
	}
	v, err := x.version(context.Background())
	if err == nil && v != schema {
		err = fmt.Errorf("its version is %d, not %d: %w", v, schema, ErrRebuild)
	}
	if err != nil {
		x.Close()
		return nil, x.fail("open index", err)
	}
	return x, nil
}

func open(path, params string) (*Index, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	for _, end := range []string{"-wal", "-shm"} { // SQLite would create both with the umask's permissions
		if f, err := os.OpenFile(abs+end, os.O_RDWR|os.O_CREATE, 0o600); err == nil {
			f.Close()
		}
	}
	db, err := driver.Open(ingest.DatabaseURI(abs, params), fts5.Register)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return &Index{db: db, path: path}, nil
}

// Close closes the index. The last process to close it folds the write-ahead log into the file.
func (x *Index) Close() error { return x.db.Close() }

// Remove deletes an index file and the files that SQLite keeps beside it.
func Remove(path string) (err error) {
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if failed := os.Remove(path + end); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// prepare sets up a new file or checks an existing one.
func (x *Index) prepare(ctx context.Context) error {
	v, err := x.version(ctx)
	if err != nil {
		return err
	}
	if v == schema {
		return nil
	}
	if v != 0 {
		return fmt.Errorf("its version is %d, not %d: %w", v, schema, ErrRebuild)
	}
	if _, err := x.db.ExecContext(ctx, `PRAGMA journal_mode=WAL`); err != nil {
		return err
	}
	return inTransaction(ctx, x.db, func(tx transaction) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&n); err != nil {
			return err
		}
		if n > 0 { // another process has just created it, or it is a foreign file
			var v int
			if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&v); err != nil || v == schema {
				return err
			}
			return fmt.Errorf("not an index of recall: %w", ErrRebuild)
		}
		settings := fmt.Sprintf(`PRAGMA application_id=%d; PRAGMA user_version=%d`, appID, schema)
		_, err := tx.Tx.ExecContext(ctx, schemaSQL+settings) // several statements
		return err
	})
}

func (x *Index) version(ctx context.Context) (int, error) {
	var v int
	err := x.db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&v)
	return v, err
}

// fail adds the operation to an error, and turns SQLite's various errors for damage into ErrRebuild.
func (x *Index) fail(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrRebuild):
		return fmt.Errorf("%s %s: %w", op, x.path, err)
	case damaged(err):
		return fmt.Errorf("%s %s: %v: %w", op, x.path, err, ErrRebuild)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// Check has SQLite read the whole index. Damage that it finds is reported as ErrRebuild.
func (x *Index) Check(ctx context.Context) error {
	var found string
	err := x.db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&found)
	if err == nil && found != "ok" {
		err = fmt.Errorf("%s: %w", found, ErrRebuild)
	}
	return x.fail("check", err)
}

// Unwritable reports whether an error may mean that there is no room to write an index.
func Unwritable(err error) bool {
	return errors.Is(err, sqlite3.FULL) || errors.Is(err, sqlite3.IOERR) || errors.Is(err, sqlite3.CANTOPEN)
}

// Interrupted reports whether a statement was cut short, which may hide that its context was cancelled.
func Interrupted(err error) bool { return errors.Is(err, sqlite3.INTERRUPT) }

func busy(err error) bool { return errors.Is(err, sqlite3.BUSY) }

func damaged(err error) bool {
	switch {
	case errors.Is(err, sqlite3.CORRUPT), errors.Is(err, sqlite3.NOTADB):
		return true
	case errors.Is(err, sqlite3.CONSTRAINT): // new numbers are taken already
		return true
	case errors.Is(err, sqlite3.ERROR):
		return strings.Contains(err.Error(), "no such ") // table or column
	}
	// A required row is missing, or a number isn't one.
	return errors.Is(err, sql.ErrNoRows) || strings.Contains(err.Error(), "sql: Scan error")
}
