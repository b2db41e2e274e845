package library

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/library/disk"
	"recall/library/state"
)

// The list of sessions is remembered between runs in state.db, in the folder given to KeepListIn: blocks of a project's
// sessions in gob, which decodes many at once in less than half the time of JSON (starting a block costs as much as
// thirty sessions). A damaged block counts as missing. An entry is used only while its session.json has the same size
// and time. Raise state's version whenever Entry gets another field.

// listBlock is the largest number of sessions in a block; each block is decoded by one core.
const listBlock = 256

// mostUnlisted is how many folders missing from the list are read to list some projects' sessions; with more, the
// list is rebuilt.
const mostUnlisted = 32

// block is some of a project's sessions.
type block struct {
	folders  []string // relative to the library
	sessions []byte   // nil if they weren't asked for
	sum      int64
}

// readList reads the remembered list, nil if there is none. With a filter it reads only sessions of such projects, and
// returns the folders of the rest in others.
func (l *Library) readList(project func(id string) bool) (all []*known, others map[string]bool) {
	blocks, err := l.readBlocks(project)
	if err != nil {
		return nil, nil
	}
	within := make([][]*known, len(blocks))
	inParallel(len(blocks), 1, func(i int) {
		b := blocks[i]
		if int64(crc32.Checksum(b.sessions, disk.Castagnoli)) != b.sum ||
			gob.NewDecoder(bytes.NewReader(b.sessions)).Decode(&within[i]) != nil || len(within[i]) != len(b.folders) {
			within[i] = nil
		}
	})
	others = map[string]bool{}
	for i, b := range blocks {
		for n, name := range b.folders {
			folder := l.dir + string(filepath.Separator) + name
			switch {
			case within[i] != nil:
				within[i][n].Entry.Folder = folder
				all = append(all, within[i][n])
			case b.sessions == nil:
				others[folder] = true
			}
		}
	}
	return all, others
}

func (l *Library) readBlocks(project func(id string) bool) (blocks []block, err error) {
	if l.listDir == "" {
		return nil, nil
	}
	db, err := state.Open(l.listDir)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if id, dir, err := listedLibrary(db); err != nil || id != l.id || dir != l.dir {
		return nil, err
	}
	err = db.Each("SELECT project, folders, sum, sessions FROM list", func(r state.Row) {
		b := block{folders: strings.Split(r.ColumnText(1), "\n"), sum: r.ColumnInt64(2)}
		if project == nil || slices.ContainsFunc(strings.Fields(r.ColumnText(0)), project) {
			b.sessions = r.ColumnBlob(3, nil)
		}
		blocks = append(blocks, b)
	})
	return blocks, err
}

// listedLibrary returns the library whose sessions are listed, and its folder.
func listedLibrary(db *state.DB) (id, dir string, err error) {
	err = db.Each("SELECT id, dir FROM library", func(r state.Row) { id, dir = r.ColumnText(0), r.ColumnText(1) })
	return id, dir, err
}

// saveList writes what has changed of the list. It omits sessions written within the last two seconds, because after
// another change within the same clock tick they would look unchanged.
func (l *Library) saveList() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listDir == "" || !l.loaded || !l.listStale {
		return nil
	}
	recent := time.Now().Add(-2 * time.Second).UnixNano()
	of := map[string][]*known{} // by projects
	for _, e := range sorted(l.sessions) {
		if k := l.sessions[e.ID]; k.Stamp.Mod < recent {
			in := strings.Join(e.projects(), " ")
			of[in] = append(of[in], k)
		}
	}
	changes := []state.Change{{SQL: "DELETE FROM list"}, {SQL: "DELETE FROM library"},
		{SQL: "INSERT INTO library VALUES(?, ?)", Args: []any{l.id, l.dir}}}
	var err error
	for project, all := range of {
		part := int64(0)
		for some := range slices.Chunk(all, listBlock) {
			change, bad := l.listBlock(project, part, some)
			changes, err = append(changes, change), errors.Join(err, bad)
			part++
		}
	}
	if err == nil {
		err = l.changeList(changes...)
	}
	if err != nil {
		return fmt.Errorf("list of sessions: %w", err)
	}
	return nil
}

func (l *Library) listBlock(project string, part int64, some []*known) (c state.Change, err error) {
	var folders []string
	for _, k := range some {
		folder, bad := filepath.Rel(l.dir, k.Entry.Folder)
		folders, err = append(folders, folder), errors.Join(err, bad)
	}
	var b bytes.Buffer
	err = errors.Join(err, gob.NewEncoder(&b).Encode(some))
	sum := int64(crc32.Checksum(b.Bytes(), disk.Castagnoli))
	return state.Change{SQL: "INSERT INTO list VALUES(?, ?, ?, ?, ?)",
		Args: []any{project, part, strings.Join(folders, "\n"), sum, b.Bytes()}}, err
}

func (l *Library) changeList(changes ...state.Change) error {
	db, err := state.Open(l.listDir)
	if err != nil {
		return err
	}
	return errors.Join(db.Write(changes...), db.Close())
}
