package pipeline

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/state"
)

// watchedFiles is how many source files a question checks, the last written ones: checking a hundred and their
// sessions' pages takes half a millisecond. A smaller library is checked whole.
const watchedFiles = 500

// LookHolds is how long questions rely on a full sync before everything is checked again in the background.
const LookHolds = 5 * time.Minute

// lookedHere identifies the program and the places that it searches: if either changes, everything is checked.
func (p *Archiver) lookedHere() string {
	var said strings.Builder
	if self, err := os.Executable(); err == nil {
		fmt.Fprintln(&said, self, disk.Mark(self))
	}
	for _, reader := range p.Readers {
		fmt.Fprintln(&said, reader.Source(), p.RootsOf(reader))
	}
	fmt.Fprintln(&said, p.exclusion())
	return said.String()
}

// Unchanged tells a question from a session ("" if unknown) whether anything is new, without a look at every session,
// and when everything was last checked. The last full sync recorded the state of the folders and files in which
// something shows (the table watched); the files that were written last are checked too. While all of them are
// unchanged, the only thing that can be new is a change to a session that isn't among those, which may go unseen for
// LookHolds.
func (p *Archiver) Unchanged(from ingest.SessionID) (since time.Time, same bool) {
	t := openSeen(p.Cache, false)
	defer t.close() // nothing is changed
	since, err := time.Parse(time.RFC3339, t.facts[looked])
	unsure := err != nil || since.After(p.Time()) || t.facts[finished] == ""
	if unsure || t.facts[lookedBy] != p.lookedHere() || !p.watchedSame(t) {
		return since, false
	}
	paths, err := p.lastWritten(t)
	watched := map[ingest.SessionID]bool{}
	for _, path := range paths {
		f := t.files[path]
		fi, err := os.Stat(path)
		if err != nil {
			return since, false
		}
		now := seenFile{f.Session, fi.Size(), fi.ModTime().UnixNano(), ingest.Stamp(path, fi), true}
		if f != now {
			return since, false
		}
		if !watched[f.Session] {
			watched[f.Session] = true
			if !p.asLeft(t.sessions[f.Session]) {
				return since, false
			}
		}
	}
	return since, err == nil && (from == "" || watched[from])
}

// lastWritten reads what is remembered of the source files that were written last, and of their sessions.
func (p *Archiver) lastWritten(t *seen) (paths []string, err error) {
	const last = `JOIN session ON id = session ORDER BY mod DESC LIMIT ?`
	n := int64(watchedFiles)
	if p.Watched > 0 {
		n = int64(p.Watched)
	}
	err = t.db.Each(`SELECT path, session, size, mod, stamp, done, folder, page, key FROM file `+last,
		func(r state.Row) {
			path, id := r.ColumnText(0), ingest.SessionID(r.ColumnText(1))
			t.files[path] = seenFile{id, r.ColumnInt64(2), r.ColumnInt64(3), r.ColumnText(4), r.ColumnBool(5)}
			t.sessions[id] = seenSession{r.ColumnText(6), r.ColumnText(7), r.ColumnText(8)}
			if ingest.OnDisk(path) == path { // otherwise the database that contains it is watched
				paths = append(paths, path)
			}
		}, n)
	return paths, err
}

// watchedSame reports whether the watched folders and files are as they were, and none is new.
func (p *Archiver) watchedSame(t *seen) bool {
	was := map[string]string{}
	err := t.db.Each("SELECT path, was FROM watched", func(r state.Row) { was[r.ColumnText(0)] = r.ColumnText(1) })
	if err != nil {
		return false
	}
	for path, mark := range was {
		if disk.Mark(path) != mark {
			return false
		}
	}
	return !slices.ContainsFunc(p.atTop(), func(path string) bool { return was[path] == "" })
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

// watch records the current state of a path. What changed since the run began has none that could be relied on.
func (r *run) watch(path string) {
	now := disk.Mark(path)
	racy := r.start.Add(-2 * time.Second) // the coarsest clock of any file system
	if fi, err := os.Stat(path); err == nil && !fi.ModTime().Before(racy) {
		now = ""
	}
	r.seen.change("INSERT OR REPLACE INTO watched VALUES(?, ?)", path, now)
}

// keepLook records what a question needs to check from now on, if everything was checked and processed.
func (r *run) keepLook(err error) error {
	// The next question must run into a fault itself, to report it.
	faulty := err != nil || r.report.Left > 0 || r.report.Skipped() || r.seen.facts[finished] == ""
	switch {
	case !r.options.whole() || r.options.Reindex || r.seen.db == nil:
		return nil
	case faulty || r.p.Library.ReadOnly() != nil || r.report.Unrelated:
		r.seen.setFact(looked, "")
		return nil
	}
	now := r.p.Time()
	before, fault := time.Parse(time.RFC3339, r.seen.facts[looked])
	recent := fault == nil && now.Sub(before) >= 0 && now.Sub(before) < LookHolds/2
	idle := !r.work && len(r.touched) == 0 && !r.moved && r.seen.facts[lookedBy] == r.p.lookedHere()
	if idle && recent && r.p.watchedSame(r.seen) {
		return nil // an idle sync writes nothing
	}
	r.seen.setFact(looked, now.UTC().Format(time.RFC3339))
	r.seen.setFact(lookedBy, r.p.lookedHere())
	r.seen.change("DELETE FROM watched")
	for _, reader := range r.p.Readers {
		for _, root := range r.p.RootsOf(reader) {
			for _, dir := range ingest.WatchedIn(reader.Source(), disk.RealPath(root)) {
				r.watch(dir)
				r.watchBelow(dir)
			}
		}
	}
	if err := r.seen.save(); err != nil { // lastWritten reads it
		return err
	}
	last, fault := r.p.lastWritten(r.seen)
	if fault != nil {
		return fault
	}
	dirs := map[string]bool{filepath.Join(r.p.Library.Dir(), "inbox"): true}
	for _, path := range last {
		dirs[filepath.Dir(path)] = true
	}
	for _, s := range r.seen.sessions {
		dirs[filepath.Join(r.p.Library.Dir(), filepath.Dir(s.Folder))] = true
	}
	for _, path := range r.p.atTop() {
		dirs[path] = true
	}
	for path := range dirs {
		r.watch(path)
	}
	return nil
}

// watchBelow watches the folders below dir in which a new session may turn up, skipping those of a session's own files.
func (r *run) watchBelow(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir() || path == dir:
			return nil
		case unwatched[d.Name()] || r.found[ingest.SessionID(d.Name())]:
			return fs.SkipDir
		}
		r.watch(path)
		return nil
	})
}

// unwatched are folders that tools fill with files that belong to no session.
var unwatched = map[string]bool{"node_modules": true, ".git": true, ".venv": true, "venv": true, "__pycache__": true,
	".cache": true, "vm_bundles": true, "claude-code-vm": true}
