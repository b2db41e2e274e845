// Package opencodetest creates databases like OpenCode's.
package opencodetest

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// The tables of version 1.2 and later, without the columns that nothing here needs.
const tables = `PRAGMA journal_mode = WAL;
	CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, parent_id text, directory text, title text, version text,
		revert text, time_created integer, time_updated integer, time_archived integer);
	CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text, time_created integer,
		time_updated integer, data text);
	CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text, session_id text, time_created integer,
		time_updated integer, data text);
	CREATE TABLE IF NOT EXISTS todo (session_id text, content text, position integer)`

// Open opens a database for writing, and creates its folder and missing tables.
func Open(path string) (*sqlite3.Conn, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	c, err := sqlite3.Open("file:" + path)
	if err != nil {
		return nil, err
	}
	return c, c.Exec(tables)
}

// Exec creates or changes a database by statements, and closes it.
func Exec(path, statements string) error {
	c, err := Open(path)
	if err != nil {
		return err
	}
	return cmp.Or(c.Exec(statements), c.Close())
}
