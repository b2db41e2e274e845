package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
)

// A glance spares a question the look at every session: it is what the last look at
// everything left of the files and folders in which something happens next. While they are as
// they were, nothing is new but what somebody did to a session that isn't among those last
// written to, and then GlanceHolds says how long that may go unseen. It is a cache.
type glance struct {
	Header   string                    // what made it
	Looked   time.Time                 // when everything was looked at
	Sessions map[ingest.SessionID]bool // that are watched
	Was      map[string]glanced        // by path; a folder's, too
}

type glanced struct {
	Was   fileStat
	Stamp string // ingest.Stamp of a source's file; "" of others
}

// glancedAtMost is how many files of sources are watched, those last written to: a hundred and
// their sessions' pages take half a millisecond. A smaller library is watched whole.
var glancedAtMost = 500

const (
	// foldersGlanced is more than anybody has; where there are more, there is no glance.
	foldersGlanced = 4000
	// GlanceHolds is how long a question goes by a glance before everything is looked at again
	// in the background.
	GlanceHolds = lookAnyway
)

func (p *Archiver) glanceFile() unfinished { return unfinished(filepath.Join(p.Cache, "glance.gob")) }

// glanceHeader names the program and where it looks: another one, or another place, and
// everything is looked at.
func (p *Archiver) glanceHeader() string {
	var said strings.Builder
	if self, err := os.Executable(); err == nil {
		fmt.Fprintln(&said, self, statPage(self))
	}
	for _, reader := range p.Readers {
		fmt.Fprintln(&said, reader.Source(), p.RootsOf(reader))
	}
	return said.String()
}

// Unchanged reports whether a glance shows that nothing is new since everything was looked
// at and taken in, and when that was. The session that it is asked from, "" if
// that isn't known, must be among those that are watched.
func (p *Archiver) Unchanged(from ingest.SessionID) (looked time.Time, ok bool) {
	var g glance
	unsure := readGob(string(p.glanceFile()), &g) != nil || g.Header != p.glanceHeader() || p.unfinished().isSet() ||
		from != "" && !g.Sessions[from] || g.Looked.After(p.Time())
	if unsure {
		return time.Time{}, false
	}
	for path, was := range g.Was {
		if now := glanceAt(path, was.Stamp != ""); now != was {
			return time.Time{}, false
		}
	}
	return g.Looked, true
}

func glanceAt(path string, stamped bool) glanced {
	fi, err := os.Stat(path)
	if err != nil {
		return glanced{Was: fileStat{Size: edited}}
	}
	g := glanced{Was: fileStat{fi.Size(), fi.ModTime().UnixNano()}}
	if stamped {
		g.Stamp = ingest.Stamp(path, fi)
	}
	return g
}

// keepGlance leaves a glance behind if everything was looked at and is taken in, and removes it where
// a question must find a fault itself to tell of it. What changed since the look began is
// entered as no file ever is.
func (r *run) keepGlance(err error) error {
	if len(r.options.From) > 0 || r.options.Only != "" || r.options.Reindex || r.options.salvaged != nil {
		return err
	}
	faulty := err != nil || r.report.Left > 0 || r.report.Skipped() || r.unfinished().isSet() ||
		r.Library.ReadOnly() != nil
	if faulty {
		return errors.Join(err, r.glanceFile().clear())
	}
	g := glance{r.glanceHeader(), r.Time(), map[ingest.SessionID]bool{}, map[string]glanced{}}
	racy := r.start.Add(-2 * time.Second).UnixNano() // the coarsest clock of a file system
	look := func(path string) {
		if _, done := g.Was[path]; done {
			return
		}
		now := glanceAt(path, false)
		if now.Was.Mod >= racy {
			now.Was.Size = edited - 1
		}
		g.Was[path] = now
	}
	for _, reader := range r.Readers {
		for _, root := range r.RootsOf(reader) {
			for _, dir := range ingest.WatchedIn(reader.Source(), root) {
				look(dir)
				r.folders(dir, look)
			}
		}
	}
	if len(g.Was) > foldersGlanced {
		return r.glanceFile().clear()
	}
	files := make([]string, 0, len(r.seen.Files))
	for path := range r.seen.Files {
		files = append(files, path)
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Compare(r.seen.Files[b].Was.Mod, r.seen.Files[a].Was.Mod)
	})
	for _, path := range files[:min(len(files), glancedAtMost)] {
		f := r.seen.Files[path]
		g.Sessions[f.Session] = true
		g.Was[path] = glanced{f.Was, f.Stamp}
		look(filepath.Dir(path))
	}
	for id, s := range r.seen.Sessions {
		page := filepath.Join(r.Library.Dir(), s.Path)
		look(filepath.Dir(filepath.Dir(page)))
		if g.Sessions[id] {
			look(page)
			look(filepath.Join(filepath.Dir(page), "session.json"))
		}
	}
	for _, dir := range []string{r.Library.Dir(), filepath.Join(r.Library.Dir(), "inbox")} {
		look(dir)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			look(filepath.Join(dir, e.Name()))
		}
	}
	var had glance // an idle sync writes nothing
	if readGob(string(r.glanceFile()), &had) == nil && had.Header == g.Header && maps.Equal(had.Was, g.Was) &&
		g.Looked.Sub(had.Looked) < GlanceHolds/2 {
		return nil
	}
	return writeGob(string(r.glanceFile()), &g)
}

// folders calls do for the folders below one in which a new session may turn up: not for those of a
// session's own files.
func (r *run) folders(dir string, do func(path string)) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir() || path == dir:
			return nil
		case notTold[d.Name()] || r.found[ingest.SessionID(d.Name())]:
			return fs.SkipDir
		}
		do(path)
		return nil
	})
}
