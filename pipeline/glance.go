package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
)

// A Glance spares a question the check of every session. It holds what the last full sync recorded of the files and
// folders in which something is likely to happen next. While they are unchanged, the only thing that can be new is a
// change to a session that isn't among those last written, and that may go unseen for GlanceHolds. If only sources
// of sessions have grown, just those are processed (see syncGrown). It is a cache: a part of seen, plus what seen
// doesn't record.
type Glance struct {
	Header   string    // identifies the writer; see glanceHeader
	Looked   time.Time // when everything was last checked
	Relating time.Duration
	Sessions map[ingest.SessionID]seenSession // those being watched
	Was      map[string]seenFile              // files and folders by path; Session is "" for non-sources

	grown map[ingest.SessionID]bool // sessions with a source that changed
}

// maxGlanced is how many source files are watched, the last written ones: checking a hundred and their sessions'
// pages takes half a millisecond. A smaller library is watched whole.
var maxGlanced = 500

const (
	// maxGlancedFolders is more than anybody has; with more, no glance is kept.
	maxGlancedFolders = 4000
	// GlanceHolds is how long questions rely on a glance before everything is checked again in the background.
	GlanceHolds = lookAnyway
)

func (p *Archiver) glanceFile() unfinished { return unfinished(filepath.Join(p.Cache, "glance.gob")) }

// glanceHeader identifies the program and the places that it searches: if either changes, everything is checked.
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

// Glance checks what is watched. It returns nil if the watched files can't show everything that is new since the
// last full sync, or if from, the session that is asking ("" if unknown), isn't watched.
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

// Same reports whether nothing is new.
func (g *Glance) Same() bool { return len(g.grown) == 0 }

// Recent reports whether the glance can still be relied on.
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

// atTop lists the entries at the top of the library and of its inbox, except those that exist only while recall is
// at work. The top folder itself isn't watched: it changes with each run.
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

// watch records the current state of a path. One that changed since the run began is recorded as a state that no
// file has, except a ledger, which only grows.
func (r *run) watch(g *Glance, path string) {
	if _, done := g.Was[path]; done {
		return
	}
	now := glanceAt(path, "")
	racy := r.start.Add(-2 * time.Second).UnixNano() // the coarsest clock of any file system
	if now.Was.Mod >= racy && filepath.Ext(path) != ".jsonl" {
		now.Was.Size = edited - 1
	}
	g.Was[path] = now
}

// watchSession records a session's payload.md as it was left, which is also how a full sync notices a hand edit.
func (r *run) watchSession(g *Glance, id ingest.SessionID) {
	s := r.seen.Sessions[id]
	g.Sessions[id] = s
	g.Was[filepath.Join(r.Library.Dir(), s.Path)] = seenFile{Was: s.Page}
}

// faulty reports whether the next question must run into a fault itself, to report it.
func (r *run) faulty(err error) bool {
	told := err != nil || r.report.Left > 0 || r.report.Skipped()
	return told || r.unfinished().isSet() || r.Library.ReadOnly() != nil
}

// keepGlance writes a glance if everything was checked and processed, and otherwise removes the existing one.
func (r *run) keepGlance(err error) error {
	if len(r.options.From) > 0 || r.options.Only != "" || r.options.Reindex || r.options.salvaged != nil {
		return err
	}
	if r.faulty(err) || r.report.Unrelated {
		return errors.Join(err, r.glanceFile().clear())
	}
	if idle := !r.work && len(r.touched) == 0 && !r.moved; idle {
		if g := r.Glance(""); g != nil && g.Same() && r.Time().Sub(g.Looked) < GlanceHolds/2 {
			return nil // an idle sync writes nothing
		}
	}
	g := Glance{Header: r.glanceHeader(), Looked: r.Time(), Relating: r.seen.Relating,
		Sessions: map[ingest.SessionID]seenSession{}, Was: map[string]seenFile{}}
	for _, reader := range r.Readers {
		for _, root := range r.RootsOf(reader) {
			for _, dir := range ingest.WatchedIn(reader.Source(), RealOf(root)) {
				r.watch(&g, dir)
				r.folders(dir, func(path string) { r.watch(&g, path) })
			}
		}
	}
	if len(g.Was) > maxGlancedFolders {
		return r.glanceFile().clear()
	}
	type written struct {
		path string
		at   int64
	}
	files := make([]written, 0, len(r.seen.Files))
	for path, f := range r.seen.Files {
		if _, ok := r.seen.Sessions[f.Session]; ok { // not so for a client's memory
			files = append(files, written{path, f.Was.Mod})
		}
	}
	slices.SortFunc(files, func(a, b written) int { return cmp.Compare(b.at, a.at) })
	for _, file := range files[:min(len(files), maxGlanced)] {
		f := r.seen.Files[file.path]
		if ingest.OnDisk(file.path) == file.path { // otherwise the database that contains it is watched
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
	return writeGob(string(r.glanceFile()), &g)
}

// folders calls do for the folders below dir in which a new session may turn up, skipping those of a session's own
// files.
func (r *run) folders(dir string, do func(path string)) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir() || path == dir:
			return nil
		case unwatched[d.Name()] || r.found[ingest.SessionID(d.Name())]:
			return fs.SkipDir
		}
		do(path)
		return nil
	})
}
