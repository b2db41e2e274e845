package library

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
	"recall/library/disk"
	"recall/library/registry"
	"recall/library/state"
)

// Tombstones lists the ids of forgotten sessions.
func (l *Library) Tombstones() ([]ingest.SessionID, error) { return l.tombstoneIDs(false) }

// ForgottenStamp returns a stamp of Tombstones: "" without any, and a different one after each addition.
func (l *Library) ForgottenStamp() (string, error) {
	ids, err := l.Tombstones()
	if len(ids) == 0 {
		return "", err
	}
	return disk.HexSum(bytes.Join(Quoted(ids), nil))[:16], err
}

// RemoveFolder removes a folder of a session: it first moves it out of sight and informs other processes.
func (l *Library) RemoveFolder(id ingest.SessionID, folder string) error {
	return l.withFolders(func() error {
		aside, err := l.tempName()
		if err != nil {
			return err
		}
		err = l.rearrange(func() error {
			err := disk.Rename(folder, aside)
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			if k := l.sessions[id]; err == nil && k != nil && k.Entry.Folder == folder {
				delete(l.sessions, id)
				l.listStale = true
			}
			return err
		})
		if err != nil {
			return err
		}
		above := filepath.Dir(folder)
		if err := disk.SyncDir(above); err != nil {
			return err
		}
		disk.Unlink(above) // if it is empty now
		return disk.Do(disk.OpRemove, aside, "", func() error { return disk.UnlinkAll(aside) })
	})
}

// RewriteLines rewrites an append-only file without the lines to be dropped. The caller holds the folders lock.
func (l *Library) RewriteLines(path string, drop func(line []byte) bool) error {
	return l.ReplaceShared(path, func(text []byte) ([]byte, error) {
		all := disk.SplitLines(text)
		stay := slices.DeleteFunc(slices.Clone(all), drop)
		torn := bytes.LastIndexByte(text, '\n')+1 < len(text) // a line cut off by a crash may match too
		if len(stay) == len(all) && !(torn && drop(text)) {
			return text, nil
		}
		rest := append(bytes.Join(stay, []byte("\n")), '\n')
		if strings.HasSuffix(path, ".jsonl") {
			rest = disk.SealLines(rest)
		}
		return rest, nil
	})
}

// DropProjects removes projects that have no session left.
func (l *Library) DropProjects() error {
	all, err := l.AllEntries()
	if err != nil {
		return err
	}
	if len(l.Broken()) > 0 {
		return nil // their projects aren't known
	}
	used := map[string]bool{}
	for _, e := range all {
		for _, id := range e.projects() {
			used[id] = true
		}
	}
	return l.changeRegistry(func(r *registry.Registry) error {
		r.Projects = slices.DeleteFunc(r.Projects, func(p Project) bool {
			return !used[p.ID] && !slices.ContainsFunc(p.Ids, func(id string) bool { return used[id] })
		})
		return nil
	})
}

// DropList removes the remembered list of sessions (see KeepListIn), which has their titles. Close writes it again.
func (l *Library) DropList() error {
	if l.listDir == "" {
		return nil
	}
	l.mu.Lock()
	l.listStale = true
	l.mu.Unlock()
	return l.changeList(state.Change{SQL: "DELETE FROM list"})
}

// Rel returns a path relative to the library, to show to people.
func (l *Library) Rel(path string) string {
	if rel, err := filepath.Rel(l.dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// Names reports whether a line contains one of the names.
func Names(line []byte, names [][]byte) bool {
	return slices.ContainsFunc(names, func(n []byte) bool { return bytes.Contains(line, n) })
}

// Quoted returns session ids as they appear in lines.
func Quoted(ids []ingest.SessionID) (names [][]byte) {
	for _, id := range ids {
		names = append(names, fmt.Appendf(nil, "%q", id))
	}
	return names
}

// ForgottenNamed finds the one forgotten session whose id begins with name.
func (l *Library) ForgottenNamed(name string) (ingest.SessionID, bool) {
	ids, err := l.Tombstones()
	if err != nil || len(name) < 4 {
		return "", false
	}
	found := slices.DeleteFunc(ids, func(id ingest.SessionID) bool {
		return !strings.HasPrefix(text.BareID(id), text.BareID(name))
	})
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}
