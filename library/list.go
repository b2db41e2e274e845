package library

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/state"
	"recall/payload"
)

// AmbiguousError is the error of Lookup if several sessions match.
type AmbiguousError struct {
	Name       string
	Candidates []Entry // newest first
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q matches %d sessions", e.Name, len(e.Candidates))
}

// Sessions lists all sessions by start time, those without one first, then by id. It looks at every session's folder
// and reads what is new or changed. What can't be read is left out; see Broken.
func (l *Library) Sessions() ([]Entry, error) {
	all, err := l.AllEntries()
	return slices.DeleteFunc(all, func(e Entry) bool { return e.Source.IsMemory() }), err
}

// AllEntries is Sessions plus what is kept like a session but isn't one: a client's memory.
func (l *Library) AllEntries() ([]Entry, error) { return l.entries(true) }

// Memories lists what is kept of clients' own memories.
func (l *Library) Memories() ([]Entry, error) {
	all, err := l.entries(false)
	return slices.DeleteFunc(all, func(e Entry) bool { return !e.Source.IsMemory() }), err
}

// entries lists the known sessions. It scans the folders if they were never scanned, and if fresh is set.
func (l *Library) entries(fresh bool) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.loaded || fresh {
		if err := l.scan(); err != nil {
			return nil, err
		}
	}
	return sorted(l.sessions), nil
}

// sorted returns the sessions in order.
func sorted(sessions map[ingest.SessionID]*known) []Entry {
	order := make([]*Entry, 0, len(sessions)) // entries are large, don't sort them
	for _, k := range sessions {
		order = append(order, &k.Entry)
	}
	slices.SortFunc(order, func(a, b *Entry) int {
		return cmp.Or(a.Start.Compare(b.Start), strings.Compare(string(a.ID), string(b.ID)))
	})
	all := make([]Entry, len(order))
	for i, e := range order {
		all[i] = *e
	}
	return all
}

// Broken lists what the last scan of the folders could not use.
func (l *Library) Broken() []ingest.Problem {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.broken)
}

// Session returns a session by its full id, as last seen by this process. The error is ErrNoSession if there is none.
func (l *Library) Session(id ingest.SessionID) (Entry, error) {
	e, ok, err := l.current(id)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w", id, ErrNoSession)
	}
	return e, err
}

// numbered finds a session by its handle, or by its project's full name and its number there.
func (l *Library) numbered(want string) (Entry, error) {
	catalog, err := l.Catalog()
	if err != nil {
		return Entry{}, err
	}
	var found []Entry
	for _, e := range catalog.Entries {
		project, n := catalog.Of(e).Name, catalog.Number[string(e.ID)]
		if strings.ToLower(payload.Handle(project, n)) == want || strings.ToLower(fmt.Sprint(project, "#", n)) == want {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, ErrNoSession
	case 1:
		return found[0], nil
	}
	return Entry{}, &AmbiguousError{Name: want, Candidates: found}
}

// Lookup finds the session that a person means: by a full id or alias, its handle (git-sync#5), an unambiguous prefix
// of an id, a title, or an unambiguous part of a title; "codex-memory" is what Codex remembers, "memory" what Claude
// Code does. The error is ErrNoSession or an AmbiguousError.
func (l *Library) Lookup(name string) (Entry, error) { return l.lookup(name, true) }

// LookupWhole is Lookup without parts of titles, as a mistyped word might be part of any.
func (l *Library) LookupWhole(name string) (Entry, error) { return l.lookup(name, false) }

func (l *Library) lookup(name string, parts bool) (Entry, error) {
	all, err := l.AllEntries()
	if err != nil {
		return Entry{}, err
	}
	want := strings.ToLower(strings.TrimSpace(name))
	if strings.Contains(want, "#") {
		if e, err := l.numbered(want); !errors.Is(err, ErrNoSession) {
			return e, err
		}
	}
	isID := func(e Entry, fits func(id string) bool) bool {
		if e.Source.IsMemory() {
			return want == string(e.ID) || want == string(e.Source) ||
				want == "memory" && e.Source == ingest.ClaudeCode.Memory()
		}
		if fits(strings.ToLower(string(e.ID))) || fits(bareID(e.ID)) {
			return true
		}
		return slices.ContainsFunc(e.Aliases,
			func(id ingest.SessionID) bool { return fits(strings.ToLower(string(id))) })
	}
	tests := []func(e Entry) bool{
		func(e Entry) bool { return strings.ToLower(string(e.ID)) == want },
		func(e Entry) bool { return isID(e, func(id string) bool { return id == want }) },
		func(e Entry) bool { return strings.ToLower(e.Title) == want },
		func(e Entry) bool {
			return isID(e, func(id string) bool { return strings.HasPrefix(id, want) })
		},
		func(e Entry) bool { return strings.HasPrefix(strings.ToLower(e.Title), want) },
		// matches "two" but not "network"
		func(e Entry) bool { return strings.Contains(" "+strings.ToLower(e.Title)+" ", " "+want+" ") },
		func(e Entry) bool { return strings.Contains(strings.ToLower(e.Title), want) },
	}
	if !parts {
		tests = tests[:4]
	}
	var ambiguous error
	for _, fits := range tests {
		var found []Entry
		for _, e := range all {
			if want != "" && fits(e) {
				found = append(found, e)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 && ambiguous == nil {
			slices.Reverse(found)
			ambiguous = &AmbiguousError{Name: name, Candidates: found}
		}
		if len(found) > 1 && len(want) > 3 {
			break // a shorter name may still match one title
		}
	}
	if ambiguous != nil {
		return Entry{}, ambiguous
	}
	return Entry{}, fmt.Errorf("%q: %w", name, ErrNoSession)
}

// current returns the entry of an id as far as this process knows.
func (l *Library) current(id ingest.SessionID) (Entry, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.loaded {
		if err := l.scan(); err != nil {
			return Entry{}, false, err
		}
	}
	if k := l.sessions[id]; k != nil {
		return k.Entry, true, nil
	}
	return Entry{}, false, nil
}

// Reload makes the next access to a session read it again.
func (l *Library) Reload() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loaded = false
}

// Remember stores an entry that this process has just written, and informs others: if that fails, they notice later.
func (l *Library) Remember(e Entry) error {
	if f, err := l.openChanges(); err == nil {
		_, _ = f.WriteAt([]byte(nextChange()), int64(len(nextChange())))
		f.Close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.setKnown(e)
}

// setKnown stores an entry that is as on disk. The caller holds l.mu.
func (l *Library) setKnown(e Entry) error {
	fi, err := os.Stat(sessionFile(e.Folder))
	if err != nil {
		return err
	}
	l.sessions[e.ID] = &known{Entry: e, Stamp: stampOf(fi)}
	l.listStale = true
	return nil
}

// reread returns a session's entry as it is on disk now. The caller holds the session's lock.
func (l *Library) reread(id ingest.SessionID) (Entry, error) {
	if e, err := l.Session(id); err == nil {
		if fresh, err := ReadEntry(e.Folder); err == nil && fresh.ID == id {
			return fresh, nil
		}
	}
	l.Reload() // it isn't known, or was moved
	return l.Session(id)
}

// SaveEntry writes session.json. The caller holds the session's lock.
func (l *Library) SaveEntry(e Entry) error {
	text, err := changed(&e, nil)
	if err == nil && text != nil {
		err = l.Put(sessionFile(e.Folder), text)
	}
	if err != nil {
		return err
	}
	return l.Remember(e)
}

// changed returns the new content of session.json, or nil if it is unchanged. saved is the new payload; if it is nil,
// the present one stays, unless the file is damaged.
func changed(e *Entry, saved []byte) ([]byte, error) {
	have, err := disk.ReadIfThere(sessionFile(e.Folder))
	if err != nil {
		return nil, err
	}
	if saved == nil && disk.SealOfJSON(have) == disk.SealGood {
		saved = payloadOf(have)
	}
	if saved == nil {
		e.Distilled = nil
	}
	text, err := e.encode(saved)
	if bytes.Equal(text, have) {
		return nil, err
	}
	return text, err
}

// ReadEntry reads session.json in a session's folder.
func ReadEntry(folder string) (Entry, error) {
	text, err := disk.ReadPlain(sessionFile(folder))
	if err != nil {
		return Entry{}, err
	}
	return DecodeEntry(text, folder)
}

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
	changed := func(k *known) bool { return k.Stamp.Mod >= recent }
	all := slices.DeleteFunc(slices.Collect(maps.Values(l.sessions)), changed)
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
