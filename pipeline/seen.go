package pipeline

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// seen remembers which files were taken in at which size and time, so that a
// sync with nothing new only looks at metadata. It is a cache: a line a file,
//
//	"s" TAB size TAB modification time in ns TAB session TAB stamp TAB path
//	"p" TAB size TAB modification time in ns TAB session TAB path
//	"k" TAB size TAB modification time in ns TAB session TAB
//	"f" TAB 0 TAB time in ns TAB session TAB fault as JSON
//	"r" TAB 0 TAB 0 TAB TAB what the entries of handoffs were made from
//
// s for a source's file, p for a session's payload.md, whose path is relative to
// the library, k for the session.json beside it when it was last read, f for a
// session that can't be distilled as it is, under a header naming what made it. Losing it, or a header of another version, costs one
// slower sync. A file is entered only after its session was archived,
// distilled and indexed, or found to be one of those that can't be.
type seen struct {
	path   string
	header string
	files  map[string]seenFile           // of sources, by path
	pages  map[ingest.SessionID]seenFile // payload.md as last written
	places map[ingest.SessionID]string   // path of payload.md
	keys   map[ingest.SessionID]seenFile // session.json as last read
	faults map[ingest.SessionID]fault
	handed string // see indexReceived
	dirty  bool
}

type seenFile struct {
	size    int64
	mod     int64
	session ingest.SessionID
	stamp   string // ingest.File.Stamp, of a source
}

// openSeen reads the table at path; what can't be read or was made by another
// version of anything named in header counts as empty.
func openSeen(path, header string) *seen {
	t := &seen{path: path, header: "recall seen 4 " + header, files: map[string]seenFile{},
		pages: map[ingest.SessionID]seenFile{}, places: map[ingest.SessionID]string{}, keys: map[ingest.SessionID]seenFile{}, faults: map[ingest.SessionID]fault{}}
	f, err := disk.OpenPlain(path, os.O_RDONLY, 0)
	if err != nil {
		return t
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	if !sc.Scan() || sc.Text() != t.header {
		return t
	}
	for sc.Scan() {
		t.read(sc.Text())
	}
	return t
}

// read takes over a line; one that makes no sense is left out.
func (t *seen) read(line string) {
	parts := strings.SplitN(line, "\t", 5)
	if len(parts) != 5 {
		return
	}
	size, err1 := strconv.ParseInt(parts[1], 10, 64)
	mod, err2 := strconv.ParseInt(parts[2], 10, 64)
	if err1 != nil || err2 != nil {
		return
	}
	id := ingest.SessionID(parts[3])
	switch parts[0] {
	case "s":
		if stamp, path, ok := strings.Cut(parts[4], "\t"); ok {
			t.files[path] = seenFile{size, mod, id, stamp}
		}
	case "p":
		t.pages[id], t.places[id] = seenFile{size: size, mod: mod, session: id}, parts[4]
	case "k":
		t.keys[id] = seenFile{size: size, mod: mod, session: id}
	case "r":
		t.handed = parts[4]
	case "f":
		f := fault{At: time.Unix(0, mod)}
		if json.Unmarshal([]byte(parts[4]), &f) == nil {
			t.faults[id] = f
		}
	}
}

// session answers as ingest.Seen.
func (t *seen) session(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
	f, ok := t.files[path]
	if !ok || f.size != size || f.mod != mod.UnixNano() {
		return "", false
	}
	return f.session, true
}

// has reports whether every file of f is as it was when it was last taken in.
func (t *seen) has(f ingest.Found) bool {
	for _, file := range f.Files {
		id, ok := t.session(file.Path, file.Size, file.Mod)
		if !ok || id != f.ID || t.files[file.Path].stamp != file.Stamp {
			return false
		}
	}
	return true
}

func (t *seen) add(f ingest.Found) {
	for _, file := range f.Files {
		// A path with a line break can't be written here; its session is
		// looked at again each time.
		if strings.ContainsAny(file.Path, "\n\r") {
			continue
		}
		t.files[file.Path] = seenFile{file.Size, file.Mod.UnixNano(), f.ID, file.Stamp}
		t.dirty = true
	}
}

// drop forgets a session, so that it is taken in again.
func (t *seen) drop(id ingest.SessionID) {
	for path, f := range t.files {
		if f.session == id {
			delete(t.files, path)
		}
	}
	delete(t.pages, id)
	delete(t.places, id)
	delete(t.keys, id)
	delete(t.faults, id)
	t.dirty = true
}

// setPage enters a session's payload.md, so that a hand edit is noticed.
func (t *seen) setPage(id ingest.SessionID, path string, f seenFile) {
	f.session = id
	if t.pages[id] != f || t.places[id] != path {
		t.pages[id], t.places[id] = f, path
		t.dirty = true
	}
}

// setKey enters a session's session.json as it was when it was good.
func (t *seen) setKey(id ingest.SessionID, f seenFile) {
	f.session = id
	if t.keys[id] != f {
		t.keys[id], t.dirty = f, true
	}
}

// save writes the table if it changed.
func (t *seen) save() error {
	if !t.dirty {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(t.path), ".seen-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	w := bufio.NewWriter(tmp)
	fmt.Fprintln(w, t.header)
	for path, f := range t.files {
		fmt.Fprintf(w, "s\t%d\t%d\t%s\t%s\t%s\n", f.size, f.mod, f.session, f.stamp, path)
	}
	for id, f := range t.pages {
		fmt.Fprintf(w, "p\t%d\t%d\t%s\t%s\n", f.size, f.mod, id, t.places[id])
	}
	for id, f := range t.keys {
		fmt.Fprintf(w, "k\t%d\t%d\t%s\t\n", f.size, f.mod, id)
	}
	if t.handed != "" {
		fmt.Fprintf(w, "r\t0\t0\t\t%s\n", t.handed)
	}
	for id, f := range t.faults {
		text, err := json.Marshal(f)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "f\t0\t%d\t%s\t%s\n", f.At.UnixNano(), id, text)
	}
	err = errors.Join(w.Flush(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), t.path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", t.path, err)
	}
	t.dirty = false
	return nil
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
