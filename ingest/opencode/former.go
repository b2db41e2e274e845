package opencode

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"recall/ingest"
)

// Versions before 1.2 kept sessions as JSON files in a folder "storage" beside where the database now is:
//
//	session/<project>/<session>.json   message/<session>/<message>.json   part/<message>/<part>.json
//
// A newer client moves them into its database, but only where there is none yet, and leaves the files. They are read as
// the rows that it would make of them, put into a database in memory; line breaks between a document's fields become
// blanks. Their paths extend the session's own file.
const (
	storageName, jsonExt = "storage", ".json"

	formerTables = `CREATE TABLE session (id, parent_id, directory, title, version, revert, time_created, time_updated,
			time_archived);
		CREATE TABLE message (id, session_id, time_created, time_updated, data);
		CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data)`
	formerSession = `INSERT INTO session SELECT ?1, j ->> 'parentID', j ->> 'directory', j ->> 'title',
		j ->> 'version', j -> 'revert', j ->> '$.time.created', j ->> '$.time.updated', j ->> '$.time.archived'
		FROM (SELECT iif(json_valid(?3), ?3, '{}') AS j) WHERE ?2 = ''`
	formerMessage = `INSERT INTO message SELECT ?1, ?2, j ->> '$.time.created', coalesce(j ->> '$.time.completed',
		j ->> '$.time.created'), ?3 FROM (SELECT iif(json_valid(?3), ?3, '{}') AS j)`
	formerPart = `INSERT INTO part SELECT ?1, ?2, ?4, NULL, coalesce(j ->> '$.time.end', j ->> '$.state.time.end',
		j ->> '$.time.start'), ?3 FROM (SELECT iif(json_valid(?3), ?3, '{}') AS j)`
)

// isFormer reports whether a path is a folder of such files.
func isFormer(path string) bool { return filepath.Base(path) == storageName && ingest.IsFolder(path) }

// nameOf returns the id of what a file holds.
func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), jsonExt) }

// formerOf returns the folder that a session's own file lies in, or lay in, "" if it is none.
func formerOf(path string) string {
	sessions := filepath.Dir(filepath.Dir(path))
	storage := filepath.Dir(sessions)
	is := filepath.Base(sessions) == sessionTable && filepath.Base(storage) == storageName
	if !is || filepath.Ext(path) != jsonExt {
		return ""
	}
	return storage
}

// formerVersion is what versionOf returns for such a folder.
func formerVersion(storage string) (version string, changed time.Time) {
	sum := uint64(0)
	for _, table := range []string{sessionTable, messageTable, partTable} {
		_ = filepath.WalkDir(filepath.Join(storage, table), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // told when it is opened
			}
			if info, err := d.Info(); err == nil {
				at, _ := strconv.ParseUint(ingest.Stamp(path, info), 36, 64)
				sum = sum*31 + at + uint64(info.ModTime().UnixNano()) + uint64(info.Size())
				if info.ModTime().After(changed) {
					changed = info.ModTime()
				}
			}
			return nil
		})
	}
	return fmt.Sprint(sum), changed
}

// openFormer opens such a folder, with the messages of some sessions, or of all.
func openFormer(storage string, ids []string) (d *database, err error) {
	d = &database{path: storage, files: map[string]string{}, unread: map[string]string{}}
	if d.Conn, err = sqlite3.Open(":memory:"); err != nil {
		return nil, err
	}
	all, _ := filepath.Glob(filepath.Join(storage, sessionTable, "*", "*"+jsonExt))
	err = cmp.Or(d.Exec("BEGIN"), d.Exec(formerTables))
	for _, file := range all {
		id := nameOf(file)
		if len(ids) == 0 || slices.Contains(ids, id) {
			err = cmp.Or(err, d.takeFormer(storage, file, id))
		}
	}
	if err = cmp.Or(err, d.readTables()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// takeFormer puts a session's files into their tables.
func (d *database) takeFormer(storage, file, id string) error {
	d.files[id] = file
	err := d.insert(formerSession, file, id, "")
	messages := filepath.Join(storage, messageTable, id)
	return cmp.Or(err, d.eachJSON(messages, func(file, message string) error {
		err := d.insert(formerMessage, file, message, id)
		return cmp.Or(err, d.eachJSON(filepath.Join(storage, partTable, message), func(file, part string) error {
			return d.insert(formerPart, file, part, message, id)
		}))
	}))
}

// insert makes a row of a file, if it can be read: its values are the first two given, the document, and the rest.
func (d *database) insert(sql, file string, values ...string) error {
	document, err := os.ReadFile(file)
	if err != nil {
		d.unread[file] = ingest.WithoutPath(err).Error()
		return nil
	}
	document = bytes.ReplaceAll(document, []byte("\n"), []byte(" "))
	return d.each(sql, func(*sqlite3.Stmt) {}, slices.Insert(values, 2, string(document))...)
}

// eachJSON calls do with the files of a folder, if it is there and can be read, and their names without extension.
func (d *database) eachJSON(dir string, do func(file, name string) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.unread[dir] = ingest.WithoutPath(err).Error()
	}
	err = nil
	for _, e := range entries {
		if name, is := strings.CutSuffix(e.Name(), jsonExt); is && e.Type().IsRegular() {
			err = cmp.Or(err, do(filepath.Join(dir, e.Name()), name))
		}
	}
	return err
}
