package pipeline

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// seen remembers which files were taken in at which size and time, so that a
// sync with nothing new only looks at metadata. It is a cache, kept as gob: losing it,
// or a table that something else made, costs one slower sync. A file is entered only
// after its session was archived, distilled and indexed, or found to be one of those
// that can't be.
type seen struct {
	path  string
	dirty bool
	seenTable
}

// seenTable is what is kept.
type seenTable struct {
	Header   string              // what made it
	Files    map[string]seenFile // of sources, by path
	Sessions map[ingest.SessionID]seenSession
	Faults   map[ingest.SessionID]fault // sessions that can't be distilled as they are
	Handed   string                     // see indexReceived
	PackDue  time.Time                  // before it no session needs packing; of archived.gob
}

// fileStat tells a file from what it was.
type fileStat struct{ Size, Mod int64 } // bytes; ns

type seenFile struct {
	Was     fileStat
	Session ingest.SessionID
	Stamp   string // ingest.File.Stamp
}

// seenSession is a session's folder as it was left.
type seenSession struct {
	Path string   // of payload.md, relative to the library
	Page fileStat // payload.md as last written
	Key  fileStat // session.json beside it as last read
}

// openSeen reads the table at path; what can't be read or was made by another
// version of anything named in header counts as empty.
func openSeen(path, header string) *seen {
	t := &seen{path: path}
	header = "recall seen 6 " + header
	if err := readGob(path, &t.seenTable); err != nil || t.Header != header {
		t.seenTable = seenTable{Header: header}
	}
	if t.Files == nil { // an empty map isn't kept
		t.Files = map[string]seenFile{}
	}
	if t.Sessions == nil {
		t.Sessions = map[ingest.SessionID]seenSession{}
	}
	if t.Faults == nil {
		t.Faults = map[ingest.SessionID]fault{}
	}
	return t
}

// session answers as ingest.Seen.
func (t *seen) session(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
	f, ok := t.Files[path]
	if !ok || f.Was != (fileStat{size, mod.UnixNano()}) {
		return "", false
	}
	return f.Session, true
}

// has reports whether every file of f is as it was when it was last taken in.
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

// drop forgets a session, so that it is taken in again.
func (t *seen) drop(id ingest.SessionID) {
	for path, f := range t.Files {
		if f.Session == id {
			delete(t.Files, path)
		}
	}
	delete(t.Sessions, id)
	delete(t.Faults, id)
	t.dirty = true
}

// set enters what a session's folder is left as, so that a hand edit is noticed.
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
	if err := writeGob(t.path, &t.seenTable); err != nil {
		return err
	}
	t.dirty = false
	_ = os.Remove(strings.TrimSuffix(t.path, ".gob") + ".tsv") // that earlier versions kept
	return nil
}

func writeGob(path string, v any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".seen-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	err = errors.Join(gob.NewEncoder(tmp).Encode(v), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
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

// unfinished is a mark that a sync was at work. Finding it at the start means
// that the last one was cut off, so the library may hold sessions that were
// archived and not distilled.
type unfinished string

func (u unfinished) set() error {
	if err := os.MkdirAll(filepath.Dir(string(u)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(string(u), nil, 0o600)
}

func (u unfinished) clear() error {
	if err := os.Remove(string(u)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (u unfinished) isSet() bool {
	_, err := os.Stat(string(u))
	return err == nil
}
