package library

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"time"

	"recall/library/disk"
	"recall/library/state"
)

// The list of sessions is remembered between runs in state.db, in the folder given to KeepListIn: blocks of sessions in
// gob, which decodes many at once in less than half the time of JSON (starting a block costs as much as thirty
// sessions). A damaged block counts as missing. An entry is used only while its session.json has the same size and
// time. Raise state's version whenever Entry gets another field.

// listBlock is the largest number of sessions in a block; each block is decoded by one core.
const listBlock = 256

// readList reads the remembered list, empty if there is none.
func (l *Library) readList() []*known {
	if l.listDir == "" {
		return nil
	}
	db, err := state.Open(l.listDir)
	if err != nil {
		return nil
	}
	defer db.Close()
	own := false
	err = db.Each("SELECT id, dir FROM library", func(r state.Row) {
		own = r.ColumnText(0) == l.id && r.ColumnText(1) == l.dir
	})
	if err != nil || !own {
		return nil
	}
	var blocks [][]byte
	err = db.Each("SELECT sum, sessions FROM list", func(r state.Row) {
		if b := r.ColumnBlob(1, nil); int64(crc32.Checksum(b, disk.Castagnoli)) == r.ColumnInt64(0) {
			blocks = append(blocks, b)
		}
	})
	if err != nil {
		return nil
	}
	within := make([][]*known, len(blocks))
	inParallel(len(blocks), 1, func(i int) {
		if gob.NewDecoder(bytes.NewReader(blocks[i])).Decode(&within[i]) != nil {
			within[i] = nil
		}
	})
	return slices.Concat(within...)
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
	all := slices.DeleteFunc(slices.Collect(maps.Values(l.sessions)), func(k *known) bool { return k.Stamp.Mod >= recent })
	changes := []state.Change{{SQL: "DELETE FROM list"}, {SQL: "DELETE FROM library"},
		{SQL: "INSERT INTO library VALUES(?, ?)", Args: []any{l.id, l.dir}}}
	for some := range slices.Chunk(all, listBlock) {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(some); err != nil {
			return fmt.Errorf("list of sessions: %w", err)
		}
		changes = append(changes, state.Change{SQL: "INSERT INTO list VALUES(?, ?)",
			Args: []any{int64(crc32.Checksum(b.Bytes(), disk.Castagnoli)), b.Bytes()}})
	}
	if err := l.changeList(changes...); err != nil {
		return fmt.Errorf("list of sessions: %w", err)
	}
	return nil
}

func (l *Library) changeList(changes ...state.Change) error {
	db, err := state.Open(l.listDir)
	if err != nil {
		return err
	}
	return errors.Join(db.Write(changes...), db.Close())
}
