package pipeline

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// seen remembers the size and time at which each file was processed, so that a sync with nothing new only looks at
// metadata. It is a cache, stored as gob: losing it, or finding one written by another version, costs one slower
// sync. A file is entered only after its session was archived, distilled and indexed, or is known to be one that
// can't be.
type seen struct {
	path  string
	dirty bool
	some  bool // a part of the table, which save appends
	seenTable
}

type seenTable struct {
	Header   string              // identifies the writer's version
	Files    map[string]seenFile // source files, by path
	Sessions map[ingest.SessionID]seenSession
	Faults   map[ingest.SessionID]fault // sessions that can't be distilled in their current state
	Handed   string                     // see indexReceived
	PackDue  time.Time                  // in archived.gob: when the next session needs packing
	Salvaged bool                       // see salvage
	Relating time.Duration              // how long the last relate took

	Excluded map[ingest.SessionID]string // sessions that are left out, with the rule
}

// fileStat identifies a version of a file.
type fileStat struct{ Size, Mod int64 } // bytes; ns

type seenFile struct {
	Was     fileStat
	Session ingest.SessionID
	Stamp   string // ingest.File.Stamp
}

type seenSession struct {
	Path string   // of payload.md, relative to the library
	Page fileStat // payload.md as last written
	Key  fileStat // session.json beside it as last read
	// a hash of how it begins if no other session begins alike (see keepAlone); else ""
	Alone string
}

// openSeen reads the table at path. One that can't be read, or whose writer differed in anything that header names,
// counts as empty.
func openSeen(path, header string) *seen {
	t, empty := newSeen(path, ""), newSeen(path, header)
	parts, err := t.read()
	if err != nil || t.Header != empty.Header {
		return empty
	}
	t.dirty = parts > 1 // merge them
	return t
}

func newSeen(path, header string) *seen {
	return &seen{path: path, seenTable: seenTable{Header: "recall seen 7 " + header, Files: map[string]seenFile{},
		Sessions: map[ingest.SessionID]seenSession{}, Faults: map[ingest.SessionID]fault{},
		Excluded: map[ingest.SessionID]string{}}}
}

// read reads the table and what was appended to it, each a gob of its own, later ones overriding earlier ones. It
// returns the number of gobs and ignores those after the first that can't be read.
func (t *seen) read() (parts int, err error) {
	f, err := disk.OpenPlain(t.path, os.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20) // lets each decoder read no further than its gob
	for {
		if err := gob.NewDecoder(in).Decode(&t.seenTable); err != nil {
			if parts > 0 {
				err = nil
			}
			return parts, err
		}
		parts++
	}
}

// append appends to the table, if there is one.
func (t *seen) append() error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&t.seenTable); err != nil {
		return err
	}
	f, err := disk.OpenPlain(t.path, os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the next full sync creates it
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}

// lastSeen looks up the session of a file whose name doesn't tell. It reads the table on first use.
func (p *Pipeline) lastSeen() ingest.Seen {
	seen := sync.OnceValue(func() *seen { return openSeen(p.seenPath(), p.version()) })
	return func(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
		return seen().session(path, size, mod)
	}
}

// session implements ingest.Seen.
func (t *seen) session(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
	f, ok := t.Files[path]
	if !ok || f.Was != (fileStat{size, mod.UnixNano()}) {
		return "", false
	}
	return f.Session, true
}

// has reports whether every file of f is unchanged since it was last processed.
func (t *seen) has(f ingest.Found) bool {
	for _, file := range f.Files {
		id, ok := t.session(file.Path, file.Size, file.Mod)
		if !ok || id != f.ID || t.Files[file.Path].Stamp != file.Stamp {
			return false
		}
	}
	return true
}

func (t *seen) add(f ingest.Found) {
	for _, file := range f.Files {
		if file.Path == "" { // salvaged
			continue
		}
		t.Files[file.Path] = seenFile{fileStat{file.Size, file.Mod.UnixNano()}, f.ID, file.Stamp}
		t.dirty = true
	}
}

// drop removes a session, so that it is processed again.
func (t *seen) drop(id ingest.SessionID) {
	for path, f := range t.Files {
		if f.Session == id {
			delete(t.Files, path)
		}
	}
	delete(t.Sessions, id)
	delete(t.Faults, id)
	delete(t.Excluded, id)
	t.dirty = true
}

// set records the state in which a session's folder is left, so that a hand edit is noticed.
func (t *seen) set(id ingest.SessionID, s seenSession) {
	if t.Sessions[id] != s {
		t.Sessions[id], t.dirty = s, true
	}
}

// save writes the table if it changed.
func (t *seen) save() error {
	if !t.dirty {
		return nil
	}
	if t.some {
		return t.append()
	}
	if err := writeGob(t.path, &t.seenTable); err != nil {
		return err
	}
	t.dirty = false
	return nil
}

func writeGob(path string, v any) error {
	err := disk.ReplaceCache(path, func(w io.Writer) error { return gob.NewEncoder(w).Encode(v) })
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func readGob(path string, v any) error {
	f, err := disk.OpenPlain(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewDecoder(bufio.NewReaderSize(f, 1<<20)).Decode(v)
}

// unfinished is a marker file that exists while a sync is at work. Finding it at the start means that the last sync
// was interrupted, so the library may hold sessions that were archived but not distilled.
type unfinished string

func (u unfinished) set() error {
	if err := os.MkdirAll(filepath.Dir(string(u)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(string(u), nil, 0o600)
}

func (u unfinished) clear() error { return disk.RemoveIfThere(string(u)) }

func (u unfinished) isSet() bool {
	_, err := os.Stat(string(u))
	return err == nil
}
