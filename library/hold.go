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

// Hold lets a long-lived process reuse its last scan of the sessions for up to d, as long as no recall has written to
// the library since. Changes made by hand in a session's folder are noticed after that time. Call it before using the
// library.
func (l *Library) Hold(d time.Duration) { l.hold = d }

// held reports whether the last full scan may still be used. The caller holds l.mu.
func (l *Library) held() bool {
	return l.loaded && time.Since(l.looked) < l.hold && l.lookedAt != "" && l.lookedAt == l.Stamp()
}

// heldCatalog returns the catalog made from the last scan, or nil if that scan is out of date.
func (l *Library) heldCatalog() *Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.catalog == nil || !l.held() {
		return nil
	}
	s := *l.catalog
	s.Closed = maps.Clone(s.Closed)
	return &s
}

// holdCatalog keeps a catalog whose making began at the given time, unless a scan came later.
func (l *Library) holdCatalog(s *Catalog, begun time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held() && l.looked.Before(begun) {
		l.catalog = &Catalog{Entries: s.Entries, Project: s.Project, Number: s.Number, Closed: maps.Clone(s.Closed)}
	}
}

// Stamp returns a text that differs after anything recall writes about sessions, and after a change of files. It
// covers the files at the library's top, the times of the last folder moved and the last session.json written, and
// files. It is "" if any of these changed within the last two seconds, as the coarsest file system clocks can't tell
// two such changes apart.
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

// entriesName is a file that is written after each session.json; tidy removes it.
const entriesName = ".locks/entries"

// announce lets processes that reuse their scan (Hold) know that a session.json was written. If it fails, they notice
// when their scan expires.
func (l *Library) announce() {
	f, err := disk.OpenPlain(filepath.Join(l.dir, entriesName), os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, _ = f.WriteAt([]byte(nextGeneration()), 0)
		f.Close()
	}
}
