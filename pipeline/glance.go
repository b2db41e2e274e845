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

// A Glance spares a question the look at every session: it is what the last look at
// everything left of the files and folders in which something happens next. While they are as
// they were, nothing is new but what somebody did to a session that isn't among those last
// written to, and then GlanceHolds says how long that may go unseen. Where nothing but sources
// of sessions has grown, those alone are taken in (see syncGrown). It is a cache: a part of seen,
// and what that is silent about.
type Glance struct {
	Header   string    // what made it
	Looked   time.Time // when everything was looked at
	Relating time.Duration
	Sessions map[ingest.SessionID]seenSession // that are watched
	Was      map[string]seenFile              // by path; a folder's, too; Session "" of what is no source

	grown map[ingest.SessionID]bool // of which a source isn't as it was
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
	fmt.Fprintln(&said, p.exclusion())
	return said.String()
}

// Glance looks at what is watched. It is nil unless that shows all that is new since everything was
// looked at and taken in. The session that it is asked from, "" if that isn't known, must be among
// those that are watched.
func (p *Archiver) Glance(from ingest.SessionID) *Glance {
	g := &Glance{grown: map[ingest.SessionID]bool{}}
	unsure := readGob(string(p.glanceFile()), g) != nil || g.Header != p.glanceHeader() || p.unfinished().isSet() ||
		g.Looked.After(p.Time())
	if _, watched := g.Sessions[from]; unsure || from != "" && !watched {
		return nil
	}
	for path, was := range g.Was {
		now := glanceAt(path, was.Session)
		switch {
		case now == was:
		case was.Session == "" || now.Was.Size == edited || g.Sessions[was.Session].Alone == "":
			return nil
		default:
			g.grown[was.Session] = true
		}
	}
	for _, path := range p.atTop() {
		if _, ok := g.Was[path]; !ok {
			return nil
		}
	}
	return g
}

// Same reports whether nothing is new at all.
func (g *Glance) Same() bool { return len(g.grown) == 0 }

// Recent reports whether it may still be gone by.
func (g *Glance) Recent() bool { return time.Since(g.Looked) < GlanceHolds }

func glanceAt(path string, of ingest.SessionID) seenFile {
	fi, err := os.Stat(path)
	if err != nil {
		return seenFile{Was: fileStat{Size: edited}, Session: of}
	}
	g := seenFile{Was: fileStat{fi.Size(), fi.ModTime().UnixNano()}, Session: of}
	if of != "" {
		g.Stamp = ingest.Stamp(path, fi)
	}
	return g
}

// atTop lists what lies at the top of the library and in its inbox, but for what is there while
// recall is at work. Of the top itself nothing more is looked at: that changes with each run.
func (p *Archiver) atTop() (paths []string) {
	for _, dir := range []string{p.Library.Dir(), filepath.Join(p.Library.Dir(), "inbox")} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				paths = append(paths, filepath.Join(dir, e.Name()))
			}
		}
	}
	return paths
}

// watch enters how a path is now. One that changed since the run began is entered as no file ever
// is; not a ledger, which only grows.
func (r *run) watch(g *Glance, path string) {
	if _, done := g.Was[path]; done {
		return
	}
	now := glanceAt(path, "")
	racy := r.start.Add(-2 * time.Second).UnixNano() // the coarsest clock of a file system
	if now.Was.Mod >= racy && filepath.Ext(path) != ".jsonl" {
		now.Was.Size = edited - 1
	}
	g.Was[path] = now
}

// watchSession enters a session's page as it was left, which is how a look at everything notices
// a hand edit, too.
func (r *run) watchSession(g *Glance, id ingest.SessionID) {
	s := r.seen.Sessions[id]
	g.Sessions[id] = s
	g.Was[filepath.Join(r.Library.Dir(), s.Path)] = seenFile{Was: s.Page}
}

// faulty reports whether a question must find a fault itself to tell of it.
func (r *run) faulty(err error) bool {
	told := err != nil || r.report.Left > 0 || r.report.Skipped()
	return told || r.unfinished().isSet() || r.Library.ReadOnly() != nil
}

// keepGlance leaves a glance behind if everything was looked at and is taken in, and removes
// the one that is there otherwise.
func (r *run) keepGlance(err error) error {
	if len(r.options.From) > 0 || r.options.Only != "" || r.options.Reindex || r.options.salvaged != nil {
		return err
	}
	if r.faulty(err) || r.report.Unrelated {
		return errors.Join(err, r.glanceFile().clear())
	}
	g := Glance{Header: r.glanceHeader(), Looked: r.Time(), Relating: r.seen.Relating,
		Sessions: map[ingest.SessionID]seenSession{}, Was: map[string]seenFile{}}
	for _, reader := range r.Readers {
		for _, root := range r.RootsOf(reader) {
			for _, dir := range ingest.WatchedIn(reader.Source(), root) {
				r.watch(&g, dir)
				r.folders(dir, func(path string) { r.watch(&g, path) })
			}
		}
	}
	if len(g.Was) > foldersGlanced {
		return r.glanceFile().clear()
	}
	type written struct {
		path string
		at   int64
	}
	files := make([]written, 0, len(r.seen.Files))
	for path, f := range r.seen.Files {
		if _, ok := r.seen.Sessions[f.Session]; ok { // nothing is made of a client's memory
			files = append(files, written{path, f.Was.Mod})
		}
	}
	slices.SortFunc(files, func(a, b written) int { return cmp.Compare(b.at, a.at) })
	for _, file := range files[:min(len(files), glancedAtMost)] {
		f := r.seen.Files[file.path]
		if ingest.OnDisk(file.path) == file.path { // else what it lies in is watched
			g.Was[file.path] = f
		}
		r.watch(&g, filepath.Dir(file.path))
		r.watchSession(&g, f.Session)
	}
	for _, s := range r.seen.Sessions {
		r.watch(&g, filepath.Dir(filepath.Dir(filepath.Join(r.Library.Dir(), s.Path))))
	}
	r.watch(&g, filepath.Join(r.Library.Dir(), "inbox"))
	for _, path := range r.atTop() {
		r.watch(&g, path)
	}
	var had Glance // an idle sync writes nothing
	bad := readGob(string(r.glanceFile()), &had)
	same := had.Header == g.Header && maps.Equal(had.Was, g.Was) && maps.Equal(had.Sessions, g.Sessions)
	if bad == nil && same && g.Looked.Sub(had.Looked) < GlanceHolds/2 {
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
