package library

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"

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
func (l *Library) forget(ingest.SessionID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loaded = false
}

// remember notes an entry that this process has just written.
func (l *Library) remember(e Entry) error {
	fi, err := os.Stat(sessionFile(e.Folder))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sessions[e.ID] = known{Entry: e, Stamp: stampOf(fi)}
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

// generation counts the folders made and moved, by anybody.
func (l *Library) generation() string {
	text, _ := os.ReadFile(filepath.Join(l.dir, ".locks", "generation"))
	return string(text)
}

// refresh looks at the folders again if somebody else has made or moved one.
// The caller holds the lock of folders.
func (l *Library) refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loaded && l.generation() == l.seen {
		return nil
	}
	return l.scan()
}

// moved counts a folder made or moved by this process. The caller holds the
// lock of folders and has called refresh.
func (l *Library) moved() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, _ := strconv.ParseUint(l.seen, 10, 64)
	next := strconv.FormatUint(n+1, 10)
	if err := os.WriteFile(filepath.Join(l.dir, ".locks", "generation"), []byte(next), 0o600); err != nil {
		return err
	}
	l.seen = next
	return nil
}

// scan looks at every session's folder. The caller holds l.mu.
func (l *Library) scan() error {
	if !l.loaded && len(l.sessions) == 0 {
		l.loadList()
	}
	for try := 0; ; try++ {
		before := l.generation()
		if err := l.scanOnce(); err != nil {
			return err
		}
		// A folder that was moved meanwhile may have been missed.
		if l.seen = l.generation(); l.seen == before || try == 3 {
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
	old := make(map[string]known, len(l.sessions))
	for _, k := range l.sessions {
		old[k.Entry.Folder] = k
	}
	next := make(map[ingest.SessionID]known, len(old))
	l.broken = nil
	for _, g := range groups {
		if !g.IsDir() || ownFolder(g.Name()) {
			continue
		}
		dir := filepath.Join(l.dir, g.Name())
		folders, err := os.ReadDir(dir)
		if err != nil {
			l.broken = append(l.broken, ingest.Problem{Path: dir, Reason: err.Error()})
			continue
		}
		for _, f := range folders {
			if f.IsDir() {
				l.look(filepath.Join(dir, f.Name()), old, next)
			}
		}
	}
	l.sessions, l.parts = next, map[string][]ingest.SessionID{}
	for id := range next {
		l.notePart(id)
	}
	return nil
}

// look takes one folder into next.
func (l *Library) look(folder string, old map[string]known, next map[ingest.SessionID]known) {
	path := sessionFile(folder)
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if exists(filepath.Join(folder, "raw")) {
			l.broken = append(l.broken, ingest.Problem{Path: folder, Reason: "no session.json"})
		}
		return
	}
	k, ok := old[folder]
	if err == nil && (!ok || k.Stamp != stampOf(fi)) {
		k.Stamp = stampOf(fi)
		k.Entry, err = readEntry(folder)
	}
	if err != nil {
		l.broken = append(l.broken, ingest.Problem{Path: path, Reason: err.Error()})
		return
	}
	if twin, ok := next[k.Entry.ID]; ok {
		l.broken = append(l.broken, ingest.Problem{Path: path, Reason: "the same session as in " + twin.Entry.Folder})
		return
	}
	next[k.Entry.ID] = k
}

// ownFolder says whether a name at the top of the library isn't a project.
func ownFolder(name string) bool {
	return strings.HasPrefix(name, ".") || name == "cache" || name == "inbox"
}

// savedList is the cached list of sessions. Racy entries are left out: a file
// changed twice within one tick of the clock looks the same.
type savedList struct {
	Library string
	Dir     string
	Known   []known
	Folders []string
}

func (l *Library) listFile() string { return filepath.Join(l.listDir, "sessions-"+l.id+".json") }

func (l *Library) loadList() {
	if l.listDir == "" {
		return
	}
	var s savedList
	text, err := os.ReadFile(l.listFile())
	if err != nil || json.Unmarshal(text, &s) != nil || s.Library != l.id || s.Dir != l.dir || len(s.Folders) != len(s.Known) {
		return // it is only a cache
	}
	for i, k := range s.Known {
		k.Entry.Folder = s.Folders[i]
		l.sessions[k.Entry.ID] = k
	}
}

func (l *Library) saveList() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listDir == "" || !l.loaded {
		return nil
	}
	s := savedList{Library: l.id, Dir: l.dir}
	recent := time.Now().Add(-2 * time.Second).UnixNano()
	for _, k := range l.sessions {
		if k.Stamp.Mod < recent {
			s.Known = append(s.Known, k)
			s.Folders = append(s.Folders, k.Entry.Folder)
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(l.listDir, 0o700); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d.tmp", l.listFile(), os.Getpid())
	if err := os.WriteFile(temp, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, l.listFile())
}
