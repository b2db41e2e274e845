// Package forget removes sessions from a library.
package forget

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
	"recall/library/inbox"
	"recall/library/needle"
	"recall/library/received"
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

// Sessions removes sessions and everything that names them, and everything at the top of the library that holds one of
// the texts. Repeating it finishes an interrupted run and is harmless.
func Sessions(l *library.Library, ids []ingest.SessionID, texts *needle.Needles) error {
	// Move what waits in the inbox to its sessions first, so that no file is rewritten that others may append to.
	if _, err := inbox.Fold(l); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	if err := l.MarkForgotten(ids); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	// This must precede removing the folders, which say which items were theirs.
	if err := received.Drop(l, ids); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	for _, id := range ids {
		if err := removeFolders(l, id); err != nil {
			return fmt.Errorf("forget %s: %w", id, err)
		}
	}
	err := errors.Join(dropLines(l, library.Quoted(ids), texts), l.DropProjects(),
		l.DropAnswers(ids, texts))
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}

// removeFolders removes every folder of a session, including unusable ones.
func removeFolders(l *library.Library, id ingest.SessionID) error {
	return l.UnderLock(library.SessionLock(id), func() error {
		for {
			if _, err := l.AllEntries(); err != nil { // there may be a second folder with that id
				return err
			}
			var folders []string
			if e, err := l.Session(id); err == nil {
				folders = append(folders, e.Folder)
			}
			for _, b := range l.Broken() {
				if library.SessionIn(b.Path) == id {
					folders = append(folders, b.Path)
				}
			}
			if len(folders) == 0 {
				return nil
			}
			for _, folder := range folders {
				if err := l.RemoveFolder(id, folder); err != nil {
					return err
				}
			}
		}
	})
}

// dropLines removes lines that contain one of the names or texts from the append-only files at the top and in the
// projects.
func dropLines(l *library.Library, names [][]byte, texts *needle.Needles) error {
	var bare [][]byte
	for _, n := range names {
		bare = append(bare, bytes.Trim(n, `"`))
	}
	work := func() error {
		var all []string
		for _, pattern := range []string{"*.jsonl", filepath.Join("inbox", "*"), filepath.Join("*", "*.jsonl"),
			"*.damaged", filepath.Join("*", "*.damaged")} { // set aside by repair
			paths, err := disk.Glob(l.Dir(), pattern)
			if err != nil {
				return err
			}
			all = append(all, paths...)
		}
		slices.Sort(all)
		for _, path := range slices.Compact(all) {
			base := strings.TrimSuffix(filepath.Base(path), ".damaged")
			fi, err := os.Lstat(path)
			if base == "tombstones.jsonl" || err != nil || !fi.Mode().IsRegular() {
				continue
			}
			byID := base != "journal.jsonl" && base != library.UsageName // in these, ids may stay
			torn := strings.HasSuffix(path, ".damaged")                  // so an id may have lost its quotes
			drop := func(line []byte) bool {
				return byID && (library.Names(line, names) || torn && library.Names(line, bare)) || texts.In(line)
			}
			if err := l.RewriteLines(path, drop); err != nil {
				return err
			}
		}
		return nil
	}
	for _, lock := range []string{"folders", "inbox", "links"} { // whoever writes there holds one of these
		inside := work
		work = func() error { return l.UnderLock(lock, inside) }
	}
	return work()
}
