package library

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"recall/ingest"
)

// AmbiguousError is the error of Lookup where several sessions fit.
type AmbiguousError struct {
	Name       string
	Candidates []Entry // newest first
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q may be any of %d sessions", e.Name, len(e.Candidates))
}

// ErrAmbiguous is what an AmbiguousError is, for errors.Is.
var ErrAmbiguous = errors.New("ambiguous name")

func (e *AmbiguousError) Is(target error) bool { return target == ErrAmbiguous }

// Sessions lists all sessions by start time, those without one first, then by
// id. It looks at every session's folder and reads what is new or changed.
// What can't be read is left out; Broken tells of it.
func (l *Library) Sessions() ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.scan(); err != nil {
		return nil, err
	}
	return l.sorted(), nil
}

// listed is Sessions as this process knows them.
func (l *Library) listed() ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.loaded {
		if err := l.scan(); err != nil {
			return nil, err
		}
	}
	return l.sorted(), nil
}

// sorted are the known sessions in order. The caller holds l.mu.
func (l *Library) sorted() []Entry {
	order := make([]*Entry, 0, len(l.sessions)) // entries are large, don't sort them
	for _, k := range l.sessions {
		order = append(order, &k.Entry)
	}
	slices.SortFunc(order, func(a, b *Entry) int {
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	all := make([]Entry, len(order))
	for i, e := range order {
		all[i] = *e
	}
	return all
}

// Broken tells what the last look at the folders could not use.
func (l *Library) Broken() []ingest.Problem {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.broken)
}

// Session is one session by its full id, as last seen by this process. The
// error is ErrNoSession if there is none.
func (l *Library) Session(id ingest.SessionID) (Entry, error) {
	e, ok, err := l.current(id)
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w", id, ErrNoSession)
	}
	return e, err
}

// Lookup finds the session that a person means: a full id or alias, an
// unambiguous beginning of an id, a title, or an unambiguous part of a title. The error is ErrNoSession or ErrAmbiguous.
func (l *Library) Lookup(name string) (Entry, error) {
	all, err := l.Sessions()
	if err != nil {
		return Entry{}, err
	}
	want := strings.ToLower(strings.TrimSpace(name))
	isID := func(e Entry, fits func(id string) bool) bool {
		if fits(strings.ToLower(string(e.ID))) || fits(bareID(e.ID)) {
			return true
		}
		return slices.ContainsFunc(e.Aliases, func(id ingest.SessionID) bool { return fits(strings.ToLower(string(id))) })
	}
	tests := []func(e Entry) bool{
		func(e Entry) bool { return strings.ToLower(string(e.ID)) == want },
		func(e Entry) bool { return isID(e, func(id string) bool { return id == want }) },
		func(e Entry) bool { return strings.ToLower(e.Title) == want },
		func(e Entry) bool {
			return isID(e, func(id string) bool { return strings.HasPrefix(id, want) })
		},
		func(e Entry) bool { return strings.Contains(strings.ToLower(e.Title), want) },
	}
	var ambiguous error
	for _, fits := range tests {
		var found []Entry
		for _, e := range all {
			if want != "" && fits(e) {
				found = append(found, e)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 && ambiguous == nil {
			slices.Reverse(found)
			ambiguous = &AmbiguousError{Name: name, Candidates: found}
		}
		if len(found) > 1 && len(want) > 3 {
			break // of fewer letters, a title may still mean one
		}
	}
	if ambiguous != nil {
		return Entry{}, ambiguous
	}
	return Entry{}, fmt.Errorf("%q: %w", name, ErrNoSession)
}

// current is the entry of an id as far as this process knows.
func (l *Library) current(id ingest.SessionID) (Entry, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.loaded {
		if err := l.scan(); err != nil {
			return Entry{}, false, err
		}
	}
	k, ok := l.sessions[id]
	return k.Entry, ok, nil
}

func (l *Library) known(id ingest.SessionID) (Entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.sessions[id]
	return k.Entry, ok
}

// forget makes the next look at a session a fresh one.
func (l *Library) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loaded = false
}

// remember notes an entry that this process has just written.
func (l *Library) remember(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.note(e)
}

// note is remember for those who hold l.mu.
func (l *Library) note(e Entry) error {
	fi, err := os.Stat(sessionFile(e.Folder))
	if err != nil {
		return err
	}
	l.sessions[e.ID] = known{Entry: e, Stamp: stampOf(fi)}
	l.listStale = true
	l.notePart(e.ID)
	return nil
}

// reread is a session's entry as it is on disk now. The caller holds the
// session's lock.
func (l *Library) reread(id ingest.SessionID) (Entry, error) {
	e, ok := l.known(id)
	if ok {
		if fresh, err := readEntry(e.Folder); err == nil && fresh.ID == id {
			return fresh, nil
		}
	}
	l.mu.Lock() // it isn't known, or moved away
	err := l.scan()
	k, ok := l.sessions[id]
	l.mu.Unlock()
	if err == nil && !ok {
		err = fmt.Errorf("%s: %w", id, ErrNoSession)
	}
	return k.Entry, err
}

// saveEntry writes session.json. The caller holds the session's lock.
func (l *Library) saveEntry(e Entry) error {
	text, err := e.encode()
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(sessionFile(e.Folder)); err != nil || !bytes.Equal(have, text) {
		if err := l.put(sessionFile(e.Folder), text); err != nil {
			return err
		}
		if err := syncDir(e.Folder); err != nil {
			return err
		}
	}
	return l.remember(e)
}

func readEntry(folder string) (Entry, error) {
	text, err := os.ReadFile(sessionFile(folder))
	if err != nil {
		return Entry{}, err
	}
	return decodeEntry(text, folder)
}

// generation is another text after each folder that anybody made or moved.
func (l *Library) generation() string {
	text, _ := os.ReadFile(filepath.Join(l.dir, ".locks", "generation"))
	return string(text)
}

// refresh looks at the folders again if somebody else has made or moved one
// (the first time always: before that, nobody knew that we go by the
// generation). The caller holds the lock of folders.
func (l *Library) refresh() error {
	if err := l.ensureStage(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loaded && l.writes && l.generation() == l.seen {
		return nil
	}
	if err := l.scan(); err != nil {
		return err
	}
	l.writes = true
	return nil
}

// relocate renames a session's folder to e.Folder and tells the other
// processes: the generation begins with "moving" meanwhile, so that nobody who
// looks at the folders misses it between two of them. The caller holds the
// lock of folders and has called refresh.
func (l *Library) relocate(from string, e Entry) error {
	path := filepath.Join(l.dir, ".locks", "generation")
	next := fmt.Sprintf("%d %d", time.Now().UnixNano(), os.Getpid()) // never the same again
	if err := os.WriteFile(path, []byte(moving+next), 0o600); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	err := os.Rename(from, e.Folder)
	if err == nil {
		err = l.note(e)
	}
	l.seen = next
	return errors.Join(err, os.WriteFile(path, []byte(next), 0o600))
}

const moving = "moving "

// scan looks at every session's folder. The caller holds l.mu.
func (l *Library) scan() error {
	if !l.loaded && len(l.sessions) == 0 {
		l.loadList()
	}
	for try := 0; ; try++ {
		before := l.generation()
		if strings.HasPrefix(before, moving) && try < 20 { // of a dead process for good
			time.Sleep(time.Millisecond)
			continue
		}
		if err := l.scanOnce(); err != nil {
			return err
		}
		// A folder that was moved meanwhile may have been missed.
		if l.seen = l.generation(); l.seen == before || try >= 20 {
			break
		}
	}
	l.loaded = true
	return nil
}

func (l *Library) scanOnce() error {
	groups, err := os.ReadDir(l.dir)
	if err != nil {
		return fmt.Errorf("library: %w", err)
	}
	l.broken = nil
	var folders []string
	for _, g := range groups {
		if !g.IsDir() || ownFolder(g.Name()) {
			continue
		}
		dir := filepath.Join(l.dir, g.Name())
		inside, err := os.ReadDir(dir)
		if err != nil {
			l.broken = append(l.broken, ingest.Problem{Path: dir, Reason: err.Error()})
			continue
		}
		for _, f := range inside {
			if f.IsDir() {
				folders = append(folders, filepath.Join(dir, f.Name()))
			}
		}
	}
	old := make(map[string]known, len(l.sessions))
	for _, k := range l.sessions {
		old[k.Entry.Folder] = k
	}
	seen := make([]looked, len(folders))
	inParallel(len(folders), func(i int) { seen[i] = look(folders[i], old) })
	l.sessions, l.parts = make(map[ingest.SessionID]known, len(folders)), map[string][]ingest.SessionID{}
	for i, s := range seen {
		l.take(folders[i], s)
		l.listStale = l.listStale || s.known.Stamp != old[folders[i]].Stamp
	}
	l.listStale = l.listStale || len(l.sessions) != len(old)
	return nil
}

// take notes what was seen of one folder. The caller holds l.mu.
func (l *Library) take(folder string, s looked) {
	twin, ok := l.sessions[s.known.Entry.ID]
	switch {
	case s.err != nil:
		l.broken = append(l.broken, ingest.Problem{Path: folder, Reason: s.err.Error()})
	case s.none:
	case ok:
		l.broken = append(l.broken, ingest.Problem{Path: folder, Reason: "the same session as in " + twin.Entry.Folder})
	default:
		l.sessions[s.known.Entry.ID] = s.known
		l.notePart(s.known.Entry.ID)
	}
}

// looked is what a look at a folder gave: an entry, an error, or none where
// the folder isn't a session's.
type looked struct {
	known known
	none  bool
	err   error
}

// look reads a folder's session.json, unless it is as it was in old.
func look(folder string, old map[string]known) looked {
	fi, err := os.Stat(sessionFile(folder))
	if errors.Is(err, fs.ErrNotExist) {
		if exists(filepath.Join(folder, "raw")) {
			return looked{err: errors.New("no session.json")}
		}
		return looked{none: true}
	}
	if err != nil {
		return looked{err: err}
	}
	if k, ok := old[folder]; ok && k.Stamp == stampOf(fi) {
		return looked{known: k}
	}
	e, err := readEntry(folder)
	if err != nil {
		return looked{err: fmt.Errorf("session.json: %w", err)}
	}
	return looked{known: known{Entry: e, Stamp: stampOf(fi)}}
}

// inParallel calls do for 0 to n-1, on a few goroutines where that pays.
func inParallel(n int, do func(i int)) {
	const block = 256
	workers := min(runtime.GOMAXPROCS(0), 8, (n+block-1)/block)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				from := int(next.Add(block)) - block
				if from >= n {
					return
				}
				for i := from; i < min(from+block, n); i++ {
					do(i)
				}
			}
		})
	}
	wg.Wait()
}

// ownFolder says whether a name at the top of the library isn't a project.
func ownFolder(name string) bool {
	return strings.HasPrefix(name, ".") || name == "cache" || name == "inbox"
}
