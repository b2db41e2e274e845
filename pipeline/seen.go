package pipeline

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"recall/ingest"
)

// seen remembers which files were taken in at which size and time, so that a
// sync with nothing new only looks at metadata. It is a cache: a line a file,
//
//	"s" or "p" TAB size TAB modification time in ns TAB session TAB path
//
// s for a source's file, p for a session's payload.md in the library,
// under a header naming what made it. Losing it, or a header of another
// version, costs one slower sync. A file is entered only after its session was
// archived, distilled and indexed.
type seen struct {
	path   string
	header string
	files  map[string]seenFile
	dirty  bool

	payloads map[ingest.SessionID]string // path of its payload.md, among files
}

type seenFile struct {
	size    int64
	mod     int64
	session ingest.SessionID
}

// openSeen reads the table at path; what can't be read or was made by another
// version of anything named in header counts as empty.
func openSeen(path, header string) *seen {
	t := &seen{path: path, header: "recall seen 2 " + header, files: map[string]seenFile{}, payloads: map[ingest.SessionID]string{}}
	f, err := os.Open(path)
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
		parts := strings.SplitN(sc.Text(), "\t", 5)
		if len(parts) != 5 {
			continue
		}
		size, err1 := strconv.ParseInt(parts[1], 10, 64)
		mod, err2 := strconv.ParseInt(parts[2], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		id := ingest.SessionID(parts[3])
		t.files[parts[4]] = seenFile{size, mod, id}
		if parts[0] == "p" {
			t.payloads[id] = parts[4]
		}
	}
	return t
}

// session answers as ingest.Seen.
func (t *seen) session(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
	f, ok := t.files[path]
	if !ok || f.size != size || f.mod != mod.UnixNano() {
		return "", false
	}
	return f.session, true
}

// has says whether every file of f is as it was when it was last taken in.
func (t *seen) has(f ingest.Found) bool {
	for _, file := range f.Files {
		id, ok := t.session(file.Path, file.Size, file.Mod)
		if !ok || id != f.ID {
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
		t.files[file.Path] = seenFile{file.Size, file.Mod.UnixNano(), f.ID}
		t.dirty = true
	}
}

// addPayload enters a session's payload.md, so that a hand edit is noticed.
func (t *seen) addPayload(id ingest.SessionID, folder string) {
	path := filepath.Join(folder, "payload.md")
	if old := t.payloads[id]; old != "" && old != path {
		delete(t.files, old)
	}
	t.payloads[id] = path
	if fi, err := os.Stat(path); err == nil {
		t.add(ingest.Found{ID: id, Files: []ingest.File{{Path: path, Size: fi.Size(), Mod: fi.ModTime()}}})
	}
}

// handEdited lists the sessions whose payload.md isn't as it was written.
func (r *run) handEdited() []ingest.SessionID {
	var ids []ingest.SessionID
	for id, path := range r.seen.payloads {
		f := r.seen.files[path]
		fi, err := os.Stat(path)
		if err != nil || fi.Size() != f.size || fi.ModTime().UnixNano() != f.mod {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
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
		kind := "s"
		if t.payloads[f.session] == path {
			kind = "p"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", kind, f.size, f.mod, f.session, path)
	}
	err = errors.Join(w.Flush(), tmp.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", t.path, err)
	}
	t.dirty = false
	return os.Rename(tmp.Name(), t.path)
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
