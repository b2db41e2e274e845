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
	"sync"
	"time"

	"recall/ingest"
	"recall/library/disk"
	"recall/library/state"
)

// seen is what state.db remembers of the sources and of the library's folders, and what this run learned of them: each
// change is kept here, and written by save.
type seen struct {
	db      *state.DB
	fault   error // why nothing can be remembered
	changes []state.Change

	files    map[string]seenFile // by path
	sessions map[ingest.SessionID]seenSession
	excluded map[ingest.SessionID]string // sessions that are left out, with the rule
	facts    map[fact]string
}

// seenFile is a source file as it was last archived.
type seenFile struct {
	Session   ingest.SessionID
	Size, Mod int64  // bytes; ns
	Stamp     string // ingest.File.Stamp
	// Its session is also distilled and indexed, or known to be one that can't or needn't be.
	Done bool
}

// seenSession is a session's folder as recall left it.
type seenSession struct {
	Folder string // relative to the library
	Page   string // mark of payload.md; "" if it isn't known
	Key    string // mark of session.json
}

// A fact is something that is remembered of all sessions together.
type fact string

const (
	// the last sync ended, and nothing arrived other than by a sync; without it the library is looked at
	finished fact = "finished"
	version  fact = "version"   // what made all that is done
	handed   fact = "handed"    // see indexReceived
	shared   fact = "shared"    // see indexShared
	salvaged fact = "salvaged"  // see salvage; followed by a memory's id, its Input when it was done
	looked   fact = "looked"    // see Unchanged
	lookedBy fact = "looked by" // see Unchanged
)

// openSeen reads what is remembered in a cache folder; unless all is wanted, without files and sessions. If it can't be
// read, nothing is.
func openSeen(cache string, all bool) *seen {
	t := &seen{}
	t.empty()
	if t.db, t.fault = state.Open(cache); t.fault == nil && t.load(all) != nil {
		t.empty()
	}
	return t
}

func (t *seen) empty() {
	t.files, t.sessions = map[string]seenFile{}, map[ingest.SessionID]seenSession{}
	t.excluded, t.facts = map[ingest.SessionID]string{}, map[fact]string{}
}

func (t *seen) load(all bool) error {
	err := t.db.Each("SELECT name, value FROM fact", func(r state.Row) {
		t.facts[fact(r.ColumnText(0))] = r.ColumnText(1)
	})
	err = errors.Join(err, t.db.Each("SELECT session, rule FROM excluded", func(r state.Row) {
		t.excluded[ingest.SessionID(r.ColumnText(0))] = r.ColumnText(1)
	}))
	if !all {
		return err
	}
	return errors.Join(err, t.db.Each("SELECT path, session, size, mod, stamp, done FROM file", func(r state.Row) {
		t.files[r.ColumnText(0)] = seenFile{Session: ingest.SessionID(r.ColumnText(1)), Size: r.ColumnInt64(2),
			Mod: r.ColumnInt64(3), Stamp: r.ColumnText(4), Done: r.ColumnBool(5)}
	}), t.db.Each("SELECT id, folder, page, key FROM session", func(r state.Row) {
		t.sessions[ingest.SessionID(r.ColumnText(0))] = seenSession{r.ColumnText(1), r.ColumnText(2), r.ColumnText(3)}
	}))
}

func (t *seen) change(sql string, args ...any) {
	t.changes = append(t.changes, state.Change{SQL: sql, Args: args})
}

// save writes the changes since the last time.
func (t *seen) save() error {
	if t.db == nil || len(t.changes) == 0 {
		return t.fault
	}
	if err := t.db.Write(t.changes...); err != nil {
		return err
	}
	t.changes = nil
	return nil
}

// close is save at the end.
func (t *seen) close() error {
	err := t.save()
	if t.db != nil {
		err = errors.Join(err, t.db.Close())
	}
	return err
}

// clear removes everything but what is left out, so that all of the sources and the library is looked at.
func (t *seen) clear() {
	excluded := t.excluded
	t.empty()
	t.excluded = excluded
	for _, table := range []string{"file", "session", "fact", "watched"} {
		t.change("DELETE FROM " + table)
	}
}

// lastSeen looks up the session of a file whose name doesn't tell. It reads what is remembered on first use.
func (p *Archiver) lastSeen() ingest.Seen {
	seen := sync.OnceValue(func() *seen {
		t := openSeen(p.Cache, true)
		_ = t.close() // nothing was changed
		return t
	})
	return func(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
		return seen().sessionOf(path, size, mod)
	}
}

// sessionOf implements ingest.Seen.
func (t *seen) sessionOf(path string, size int64, mod time.Time) (ingest.SessionID, bool) {
	f, ok := t.files[path]
	if !ok || f.Size != size || f.Mod != mod.UnixNano() {
		return "", false
	}
	return f.Session, true
}

// has reports whether every file of f is as it was when it was last archived and, if done, processed too.
func (t *seen) has(f ingest.Found, done bool) bool {
	for _, file := range f.Files {
		was, ok := t.files[file.Path]
		now := seenFile{Session: f.ID, Size: file.Size, Mod: file.Mod.UnixNano(), Stamp: file.Stamp, Done: was.Done}
		if !ok || was != now || done && !was.Done {
			return false
		}
	}
	return true
}

// add records the state in which the files of f are archived and, if done, processed too.
func (t *seen) add(f ingest.Found, done bool) {
	for _, file := range f.Files {
		if file.Path == "" { // salvaged
			continue
		}
		now := seenFile{f.ID, file.Size, file.Mod.UnixNano(), file.Stamp, done}
		if was, ok := t.files[file.Path]; ok && was == now {
			continue
		}
		t.files[file.Path] = now
		t.change("INSERT OR REPLACE INTO file VALUES(?, ?, ?, ?, ?, ?)", file.Path, string(f.ID), now.Size, now.Mod,
			now.Stamp, done)
	}
}

// dropFile removes a file.
func (t *seen) dropFile(path string) {
	delete(t.files, path)
	t.change("DELETE FROM file WHERE path = ?", path)
}

// drop removes a session, so that it is processed again.
func (t *seen) drop(id ingest.SessionID) {
	for path, f := range t.files {
		if f.Session == id {
			delete(t.files, path)
		}
	}
	delete(t.sessions, id)
	t.change("DELETE FROM file WHERE session = ?", string(id))
	t.change("DELETE FROM session WHERE id = ?", string(id))
	t.exclude(id, "")
}

// set records the state in which a session's folder is left, so that a change is noticed.
func (t *seen) set(id ingest.SessionID, s seenSession) {
	if was, ok := t.sessions[id]; !ok || was != s {
		t.sessions[id] = s
		t.change("INSERT OR REPLACE INTO session VALUES(?, ?, ?, ?)", string(id), s.Folder, s.Page, s.Key)
	}
}

// setFact records a fact, or that there is none.
func (t *seen) setFact(name fact, value string) {
	if t.facts[name] != value {
		t.facts[name] = value
		t.change("INSERT OR REPLACE INTO fact VALUES(?, ?)", string(name), value)
	}
}

// exclude records the rule by which a session is left out, or that none does.
func (t *seen) exclude(id ingest.SessionID, rule string) {
	switch {
	case t.excluded[id] == rule:
	case rule == "":
		delete(t.excluded, id)
		t.change("DELETE FROM excluded WHERE session = ?", string(id))
	default:
		t.excluded[id] = rule
		t.change("INSERT OR REPLACE INTO excluded VALUES(?, ?)", string(id), rule)
	}
}

// watchedFiles is how many source files a question checks, the last written ones, with their sessions' folders: that
// takes a millisecond. A smaller library is checked whole.
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
	fmt.Fprintln(&said, p.Exclusion)
	return said.String()
}

// Unchanged reports whether anything is new, without a look at every session, and when everything was last checked. The
// last full sync recorded the state of the folders and files in which something shows (the table watched). While all of
// them are unchanged, the only thing that can be new is a change to a session whose files weren't among those written
// last, which may go unseen for LookHolds.
func (p *Archiver) Unchanged() (since time.Time, same bool) {
	t := openSeen(p.Cache, false)
	defer t.close() // nothing is changed
	since, err := time.Parse(time.RFC3339, t.facts[looked])
	unsure := err != nil || since.After(p.Time()) || t.facts[finished] == ""
	return since, !unsure && t.facts[lookedBy] == p.lookedHere() && p.watchedSame(t)
}

// watchedSame reports whether the watched folders and files are as they were, and none is new.
func (p *Archiver) watchedSame(t *seen) bool {
	was := map[string]string{}
	err := t.db.Each("SELECT path, was FROM watched", func(r state.Row) { was[r.ColumnText(0)] = r.ColumnText(1) })
	if err != nil {
		return false
	}
	for path, mark := range was {
		if now, _ := markOf(path); now != mark {
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

// markOf identifies a state of a file or folder, of a file also where neither its size nor its time has changed. at is
// when it was written.
func markOf(path string) (mark string, at time.Time) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return "none", at
	case fi.IsDir():
		return disk.MarkOf(fi), fi.ModTime()
	}
	return disk.MarkOf(fi) + " " + ingest.Stamp(path, fi), fi.ModTime()
}

// watch records the current state of a path. What changed since the run began has none that could be relied on.
func (r *run) watch(path string) {
	now, at := markOf(path)
	if !at.Before(r.start.Add(-2 * time.Second)) { // the coarsest clock of any file system
		now = ""
	}
	r.seen.change("INSERT OR REPLACE INTO watched VALUES(?, ?)", path, now)
}

// keepLook records what a question needs to check from now on, if everything was checked and processed.
func (r *run) keepLook(err error) {
	// The next question must run into a fault itself, to report it.
	faulty := err != nil || r.report.Left > 0 || r.report.Skipped() || r.seen.facts[finished] == ""
	switch {
	case !r.options.whole() || r.options.Reindex || r.seen.db == nil:
		return
	case faulty || r.p.Library.ReadOnly() != nil || r.report.Unrelated:
		r.seen.setFact(looked, "")
		return
	}
	now := r.p.Time()
	before, fault := time.Parse(time.RFC3339, r.seen.facts[looked])
	recent := fault == nil && now.Sub(before) >= 0 && now.Sub(before) < LookHolds/2
	idle := !r.work && len(r.touched) == 0 && !r.moved && r.seen.facts[lookedBy] == r.p.lookedHere()
	if idle && recent && r.p.watchedSame(r.seen) {
		return // an idle sync writes nothing
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
	dirs := map[string]bool{filepath.Join(r.p.Library.Dir(), "inbox"): true}
	last := slices.SortedFunc(maps.Keys(r.seen.files), func(a, b string) int {
		return cmp.Compare(r.seen.files[b].Mod, r.seen.files[a].Mod)
	})
	for _, path := range last[:min(len(last), watchedFiles)] {
		if ingest.OnDisk(path) == path { // otherwise the database that contains it is watched
			dirs[path], dirs[filepath.Dir(path)] = true, true
		}
		s := r.seen.sessions[r.seen.files[path].Session]
		for _, name := range []string{"payload.md", "session.json", "raw"} {
			dirs[r.p.inFolder(s, name)] = true
		}
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
