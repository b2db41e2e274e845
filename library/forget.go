package library

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/needle"
	"recall/library/registry"
	"recall/library/state"
)

// Forgetting is the only way something leaves the library. It happens in this order, so that repeating it finishes
// what was interrupted:
//
//	tombstones.jsonl       gets the ids, and only those, so that the sessions never return
//	received.jsonl         loses handoffs that hold items of the sessions
//	the sessions' folders  are removed, with everything archived and derived
//	lines at the top       are removed if they name the sessions: threads, links, inbox
//	projects.toml          loses projects without any session left
//	cache/                 loses models' answers that hold their words

// Tombstones lists the ids of forgotten sessions.
func (l *Library) Tombstones() ([]ingest.SessionID, error) { return l.tombstoneIDs(false) }

// ForgottenStamp returns a stamp of Tombstones: "" without any, and a different one after each addition.
func (l *Library) ForgottenStamp() (string, error) {
	ids, err := l.Tombstones()
	if len(ids) == 0 {
		return "", err
	}
	return disk.HexSum(bytes.Join(quoted(ids), nil))[:16], err
}

// Forget removes sessions and everything that names them, and everything at the top of the library that holds one of
// the texts. Repeating it finishes an interrupted run and is harmless.
func (l *Library) Forget(ids []ingest.SessionID, texts *needle.Needles) error {
	// Move what waits in the inbox to its sessions first, so that no file is rewritten that others may append to.
	if _, err := l.FoldInbox(); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	if err := l.MarkForgotten(ids); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	// This must precede removing the folders, which say which items were theirs.
	if err := l.dropReceived(ids); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	for _, id := range ids {
		if err := l.removeFolders(id); err != nil {
			return fmt.Errorf("forget %s: %w", id, err)
		}
	}
	err := errors.Join(l.dropLines(quoted(ids), texts), l.Inside().DropProjects(), l.dropAnswers(ids, texts))
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}

// MarkForgotten adds the ids to tombstones.jsonl unless they are there.
func (l *Library) MarkForgotten(ids []ingest.SessionID) error {
	return l.underLock("folders", func() error {
		var lines []tombstone
		for _, id := range ids {
			if !ValidID(id) {
				return fmt.Errorf("%q is not a session id", id)
			}
			gone, err := l.Forgotten(id)
			if err != nil {
				return err
			}
			if !gone {
				lines = append(lines, tombstone{ID: id})
			}
		}
		if len(lines) == 0 {
			return nil
		}
		return l.tombstones().Add(lines...)
	})
}

// removeFolders removes every folder of a session, including unusable ones.
func (l *Library) removeFolders(id ingest.SessionID) error {
	return l.underLock(SessionLock(id), func() error {
		for {
			if _, err := l.AllEntries(); err != nil { // there may be a second folder with that id
				return err
			}
			var folders []string
			if e, ok := l.known(id); ok {
				folders = append(folders, e.Folder)
			}
			for _, b := range l.Broken() {
				if SessionIn(b.Path) == id {
					folders = append(folders, b.Path)
				}
			}
			if len(folders) == 0 {
				return nil
			}
			for _, folder := range folders {
				if err := l.removeFolder(id, folder, true); err != nil {
					return err
				}
			}
		}
	})
}

// RemoveFolder removes a folder that is not the session's current one.
func (l Inside) RemoveFolder(id ingest.SessionID, folder string) error {
	return l.removeFolder(id, folder, false)
}

// removeFolder removes a folder: it first moves it out of sight and informs other processes. The error is ErrStale if
// it is the session's current folder and own is false.
func (l *Library) removeFolder(id ingest.SessionID, folder string, own bool) error {
	return l.withFolders(func() error {
		if e, ok := l.known(id); ok && e.Folder == folder && !own {
			return ErrStale
		}
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

// dropLines removes lines that contain one of the names or texts from the append-only files at the top and in the
// projects.
func (l *Library) dropLines(names [][]byte, texts *needle.Needles) error {
	var bare [][]byte
	for _, n := range names {
		bare = append(bare, bytes.Trim(n, `"`))
	}
	work := func() error {
		var all []string
		for _, pattern := range []string{"*.jsonl", filepath.Join("inbox", "*"), filepath.Join("*", "*.jsonl"),
			"*.damaged", filepath.Join("*", "*.damaged")} { // set aside by repair
			paths, err := disk.Glob(l.dir, pattern)
			if err != nil {
				return err
			}
			all = append(all, paths...)
		}
		slices.Sort(all)
		for _, path := range slices.Compact(all) {
			base := strings.TrimSuffix(filepath.Base(path), ".damaged")
			fi, err := os.Lstat(path)
			if base == "tombstones.jsonl" || base == forgottenName || err != nil || !fi.Mode().IsRegular() {
				continue
			}
			byID := base != "journal.jsonl" && base != UsageName // in these, ids may stay
			torn := strings.HasSuffix(path, ".damaged")          // so an id may have lost its quotes
			drop := func(line []byte) bool {
				return byID && (Names(line, names) || torn && Names(line, bare)) || texts.In(line)
			}
			if err := l.rewriteLines(path, drop); err != nil {
				return err
			}
		}
		return nil
	}
	for _, lock := range []string{"folders", "received", "inbox", "links"} { // whoever writes there holds one of these
		inside := work
		work = func() error { return l.underLock(lock, inside) }
	}
	return work()
}

// rewriteLines rewrites an append-only file without the lines to be dropped. The caller holds the folders lock.
func (l *Library) rewriteLines(path string, drop func(line []byte) bool) error {
	text, err := disk.ReadPlain(path)
	if err != nil {
		return err
	}
	all := disk.SplitLines(text)
	stay := slices.DeleteFunc(slices.Clone(all), drop)
	torn := bytes.LastIndexByte(text, '\n')+1 < len(text) // a line cut off by a crash may match too
	if len(stay) == len(all) && !(torn && drop(text)) {
		return nil
	}
	rest := append(bytes.Join(stay, []byte("\n")), '\n')
	if strings.HasSuffix(path, ".jsonl") {
		rest = disk.SealLines(rest)
	}
	return l.replaceShared(path, text, rest, drop)
}

// DropProjects removes projects that have no session left.
func (l Inside) DropProjects() error {
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
