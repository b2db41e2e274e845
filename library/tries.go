package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// triesName says what came of asking a model about sessions that have no
// payload of it: else one that it always fails at would be asked about, and
// paid for, every night. It is no cache: losing it costs money.
const triesName = "tries.jsonl"

// Try is a line of tries.jsonl: how a session stands with the model. The line
// with the latest time counts.
type Try struct {
	Session ingest.SessionID `json:"session"`
	Input   string           `json:"input"` // Entry.Input that it was about
	At      time.Time        `json:"at"`
	Failed  int              `json:"failed,omitempty"` // times in a row
	Slow    int              `json:"slow,omitempty"`   // times that didn't count as failed yet: it may have been the service
	Fault   string           `json:"fault,omitempty"`  // the last one, in a few words that say nothing of the session
	Unripe  bool             `json:"unripe,omitempty"` // it says too little to ask about

	Unlinked bool `json:"unlinked,omitempty"` // it has the model's payload, whose items aren't compared with others' yet
}

// Tries reads tries.jsonl. Lines that can't be read are an error beside the
// others.
func (l *Library) Tries() (map[ingest.SessionID]Try, error) {
	path := filepath.Join(l.dir, triesName)
	lines, err := disk.WholeLines(path)
	if err != nil {
		return nil, err
	}
	last := map[ingest.SessionID]Try{}
	now := time.Now()
	var bad []error
	for i, line := range lines {
		var t Try
		if err := json.Unmarshal(line, &t); err != nil || t.Session == "" {
			bad = append(bad, fmt.Errorf("%s:%d: %w", path, i+1, ErrDamaged))
			continue
		}
		// What was written by a clock that was ahead counts for no longer than until
		// the next line.
		if old, ok := last[t.Session]; !ok || !t.At.Before(old.At) || old.At.After(now) {
			last[t.Session] = t
		}
	}
	return last, errors.Join(bad...)
}

// NoteTry adds a line. The caller holds what AskAlone gives.
func (l *Library) NoteTry(t Try) error {
	t.At = t.At.UTC()
	return l.appendTop(triesName, t)
}

// TidyTries leaves the last line of each session that keep wants, where many
// others have gathered. The caller holds what AskAlone gives.
func (l *Library) TidyTries(keep func(Try) bool) error {
	path := filepath.Join(l.dir, triesName)
	lines, err := disk.WholeLines(path)
	if err != nil || len(lines) < 1000 {
		return err
	}
	last, err := l.Tries()
	if err != nil {
		return err // verify tells, and repair mends it
	}
	var stay []Try
	for _, t := range last {
		if keep(t) {
			stay = append(stay, t)
		}
	}
	if len(lines) < 2*len(stay) {
		return nil
	}
	slices.SortFunc(stay, func(a, b Try) int { return strings.Compare(string(a.Session), string(b.Session)) })
	var text bytes.Buffer
	for _, t := range stay {
		line, err := json.Marshal(t)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
	}
	unlock, err := l.lock("folders") // forgetting rewrites it too
	if err != nil {
		return err
	}
	defer unlock()
	return errors.Join(l.put(path, disk.SealLines(text.Bytes())), disk.SyncDir(l.dir))
}

// AskAlone makes sure that no other process asks a model about sessions of this
// library until done is called: else both might pay for the same answer. It
// doesn't wait: the error is ErrBusy where somebody else is at it. This is the
// one lock that is held for long; nothing else waits for it.
func (l *Library) AskAlone() (done func(), err error) {
	if err := l.upgrade(); err != nil {
		return nil, err
	}
	path := filepath.Join(l.dir, ".locks", "ask.lock")
	for range 10 {
		if err := disk.MakeDirs(filepath.Dir(path)); err != nil {
			return nil, err
		}
		f := disk.NewLock(path)
		ok, err := f.TryLock()
		switch {
		case err == nil && ok && sameFile(f):
			return func() { removeLock(f) }, nil
		case err == nil && !ok:
			return nil, fmt.Errorf("ask a model: %w", ErrBusy)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("ask a model: %w", err)
		}
		f.Unlock() // it was tidied away at this moment
	}
	return nil, fmt.Errorf("ask a model: %w", ErrBusy)
}
