package library

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/library/disk"
)

// Hold has a process that lives long go by its last look at the sessions while no recall has written to the library
// since, for so long at most: what a hand changes in a session's folder is seen then. Set it before the library is
// used.
func (l *Library) Hold(d time.Duration) { l.hold = d }

// held reports whether the last look at all sessions still holds. The caller holds l.mu.
func (l *Library) held() bool {
	return l.loaded && time.Since(l.looked) < l.hold && l.lookedAt != "" && l.lookedAt == l.Stamp()
}

// heldShelf is the shelf that was made of the last look, nil where that doesn't hold.
func (l *Library) heldShelf() *Shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shelf == nil || !l.held() {
		return nil
	}
	s := *l.shelf
	s.Closed = maps.Clone(s.Closed)
	return &s
}

// holdShelf notes a shelf that was begun at some time, unless a look at the sessions came later.
func (l *Library) holdShelf(s *Shelf, begun time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held() && l.looked.Before(begun) {
		l.shelf = &Shelf{Entries: s.Entries, Project: s.Project, Number: s.Number, Closed: maps.Clone(s.Closed)}
	}
}

// Stamp is another text after whatever recall writes of sessions, and to other files: of what lies at the library's
// top, the times of the last folder moved and the last session.json written, and those of the files. It is "" where
// that was within the last two seconds: the coarsest clock of a file system tells no two of those apart.
func (l *Library) Stamp(files ...string) string {
	var b strings.Builder
	recent := time.Now().Add(-2 * time.Second)
	for _, name := range append(slices.Sorted(maps.Keys(topFiles)), "", ".locks/generation", entriesName) {
		files = append(files, filepath.Join(l.dir, name))
	}
	for _, path := range files {
		fi, err := os.Stat(path)
		switch {
		case err != nil:
			b.WriteString("-\n")
		case fi.ModTime().After(recent):
			return ""
		default:
			fmt.Fprintln(&b, stampOf(fi))
		}
	}
	return b.String()
}

// entriesName is a file that is written after each session.json, see tidy for when it goes.
const entriesName = ".locks/entries"

// tell has processes that hold their look at the sessions know that a session.json was written. Where it can't, they
// see it when their look ends.
func (l *Library) tell() {
	f, err := disk.OpenPlain(filepath.Join(l.dir, entriesName), os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, _ = f.WriteAt([]byte(nextGeneration()), 0)
		f.Close()
	}
}
