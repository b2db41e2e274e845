// Package inbox takes what arrives while nobody can wait for a lock, and moves it into the notes of its sessions.
package inbox

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
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
	"recall/library"
	"recall/library/disk"
	"recall/library/ledger"
)

// inbox/ holds what arrived while nobody could wait for a lock:
//
//	events.jsonl       appended to by anybody, one write per event
//	events-<n>.jsonl   set aside by a fold and removed when that is done
//	waiting.jsonl      events of sessions that aren't in the library yet
//	unreadable.txt     lines that are no events
//
// Every event has an id, so folding it twice has no further effect.
const (
	eventsName  = "events.jsonl"
	waitingName = "waiting.jsonl"
)

// An Event has the fields of an inbox line that a fold needs. The whole line goes into the session's notes.jsonl.
type Event struct {
	ID      string           `json:"event"`
	Session ingest.SessionID `json:"session"`
	At      time.Time        `json:"at"`
}

// Add takes a note or a hook event for the next sync, without the locks that a sync holds for long. record is
// a JSON object whose "session" says what it belongs to; "event", an id, and "at", the time, are added if
// missing.
func Add(l *library.Library, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("inbox: %w", err)
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("inbox: %s is not an object: %w", text, err)
	}
	if fields["event"] == nil {
		fields["event"], _ = json.Marshal(strings.ToLower(rand.Text()[:16]))
	}
	if fields["at"] == nil {
		fields["at"], _ = json.Marshal(time.Now().UTC().Truncate(time.Millisecond))
	}
	log := ledger.Log[map[string]json.RawMessage]{Path: filepath.Join(l.Dir(), "inbox", eventsName)}
	return library.Share(l, log, fields)
}

// Report says what a fold of the inbox did.
type Report struct {
	Notes    int                // events added to a session's notes.jsonl
	Sessions []ingest.SessionID // the sessions of those, each once
	Waiting  int                // events of sessions that aren't in the library
	Problems []ingest.Problem   // lines that are no events, which are kept
}

// Fold moves the inbox into the notes of its sessions. If there is nothing it only lists one folder.
func Fold(l *library.Library) (Report, error) {
	var out Report
	dir := filepath.Join(l.Dir(), "inbox")
	names, err := disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || len(names) == 0 {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("inbox: %w", err)
	}
	if err := l.ReadOnly(); err != nil {
		return out, err
	}
	f := &folding{l: l, dir: dir, out: &out, byID: map[ingest.SessionID][]json.RawMessage{}, seen: map[string]bool{}}
	if err := l.UnderLock("inbox", f.run); err != nil {
		return out, fmt.Errorf("inbox: %w", err)
	}
	return out, nil
}

// folding is a fold in progress.
type folding struct {
	l       *library.Library
	dir     string
	out     *Report
	byID    map[ingest.SessionID][]json.RawMessage
	waiting [][]byte
	bad     []byte
	seen    map[string]bool
	aliases map[ingest.SessionID]ingest.SessionID
}

func (f *folding) run() error {
	events := filepath.Join(f.dir, eventsName)
	if fi, err := os.Stat(events); err == nil && fi.Size() > 0 {
		aside := disk.FreeName(f.dir, fmt.Sprintf("events-%d.jsonl", time.Now().UnixNano()))
		err := f.l.Appending(func() error { return errors.Join(disk.Rename(events, aside), disk.SyncDir(f.dir)) })
		if err != nil {
			return err
		}
	}
	paths, err := disk.Glob(f.dir, "events-*.jsonl")
	if err != nil {
		return err
	}
	had, _ := disk.ReadPlain(filepath.Join(f.dir, waitingName))
	for _, path := range append([]string{filepath.Join(f.dir, waitingName)}, paths...) {
		if err := f.read(path); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(f.byID)) {
		if err := f.note(id); err != nil {
			return err
		}
	}
	now := disk.SealLines(bytes.Join(append(f.waiting, nil), []byte("\n")))
	if len(now)+len(had) > 0 && !bytes.Equal(now, had) {
		if err := f.l.Put(filepath.Join(f.dir, waitingName), now); err != nil {
			return err
		}
	}
	f.out.Waiting = len(f.waiting)
	return f.clear(paths)
}

// read sorts the lines of one file.
func (f *folding) read(path string) error {
	text, err := disk.ReadIfThere(path)
	if err != nil {
		return err
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			f.take(path, n, line)
		}
	}
	return nil
}

func (f *folding) take(path string, n int, line []byte) {
	var e Event
	if disk.SealOf(line) == disk.SealBad || json.Unmarshal(line, &e) != nil || e.Session == "" || e.ID == "" {
		f.bad = append(append(f.bad, line...), '\n')
		f.out.Problems = append(f.out.Problems, ingest.Problem{Path: path,
			Err: fmt.Errorf("line %d is not an event: kept in inbox/unreadable.txt", n)})
		return
	}
	if f.seen[e.ID] {
		return
	}
	f.seen[e.ID] = true
	id, ok := f.session(e.Session)
	if !ok {
		f.waiting = append(f.waiting, bytes.Clone(line))
		return
	}
	f.byID[id] = append(f.byID[id], bytes.Clone(line))
}

// session finds a session by its id or an alias.
func (f *folding) session(id ingest.SessionID) (ingest.SessionID, bool) {
	if _, err := f.l.Session(id); err == nil {
		return id, true
	}
	if f.aliases == nil {
		f.aliases = map[ingest.SessionID]ingest.SessionID{}
		all, _ := f.l.Sessions()
		for _, e := range all {
			for _, a := range e.Aliases {
				f.aliases[a] = e.ID
			}
		}
	}
	id, ok := f.aliases[id]
	return id, ok
}

// note adds a session's events to its notes, except those already there.
func (f *folding) note(id ingest.SessionID) error {
	have, err := f.l.Notes(id)
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return err
	}
	in := map[string]bool{}
	for _, text := range have {
		in[string(unsealed(text))] = true
	}
	var fresh []json.RawMessage
	for _, text := range f.byID[id] {
		if !in[string(unsealed(text))] {
			fresh = append(fresh, text)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := f.l.AppendNotes(id, fresh); err != nil {
		return err
	}
	f.out.Notes += len(fresh)
	f.out.Sessions = append(f.out.Sessions, id)
	return nil
}

// unsealed returns a line without its checksum.
func unsealed(line []byte) []byte {
	if disk.SealOf(line) == disk.SealGood {
		return disk.Unseal(line)
	}
	return line
}

// clear removes the files that were read but keeps what was unreadable.
func (f *folding) clear(paths []string) error {
	if len(f.bad) > 0 {
		path := filepath.Join(f.dir, "unreadable.txt")
		have, _ := disk.ReadPlain(path)
		if bytes.Contains(have, f.bad) {
			f.out.Problems = nil // reported before an earlier fold was interrupted
		} else if err := disk.AppendAside(path, f.bad); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if err := disk.RemoveIfThere(path); err != nil {
			return err
		}
	}
	return nil
}
