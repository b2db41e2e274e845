package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library/disk"
)

// Journal adds a fact with the wall clock's time to journal.jsonl. It is the
// only file that says when recall did something.
func (l *Library) Journal(what string, facts map[string]any) error {
	line := map[string]any{"at": time.Now().UTC().Format(time.RFC3339), "what": what}
	for k, v := range facts {
		line[k] = v
	}
	return l.appendTop("journal.jsonl", line)
}

func (l *Library) appendTop(name string, record any) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	line = append(line, '\n')
	path := filepath.Join(l.dir, name)
	err = disk.AppendShared(path, line)
	if errors.Is(err, fs.ErrNotExist) {
		if err := disk.MakeDirs(filepath.Dir(path)); err != nil {
			return err
		}
		err = disk.AppendShared(path, line)
	}
	return err
}

// A Correction is a person's word about threads: two sessions belong to one
// (join) or don't (split). Later ones win.
type Correction struct {
	Op string           `json:"op"` // "join" or "split"
	A  ingest.SessionID `json:"a"`
	B  ingest.SessionID `json:"b"`
	At time.Time        `json:"at"` // when the person said so
}

// Corrections reads threads.jsonl in order.
func (l *Library) Corrections() ([]Correction, error) {
	records, err := readRecords(filepath.Join(l.dir, "threads.jsonl"))
	if err != nil {
		return nil, err
	}
	var all []Correction
	for i, r := range records {
		var c Correction
		if err := json.Unmarshal(r, &c); err != nil {
			return nil, fmt.Errorf("threads.jsonl:%d: %w", i+1, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// Correct adds a correction to threads.jsonl.
func (l *Library) Correct(c Correction) error {
	if (c.Op != "join" && c.Op != "split") || c.A == c.B || c.A == "" || c.B == "" {
		return fmt.Errorf("thread: %s %q and %q: want join or split and two sessions", c.Op, c.A, c.B)
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	unlock, err := l.lock("folders")
	if err != nil {
		return err
	}
	defer unlock()
	if err := disk.AppendLines(filepath.Join(l.dir, "threads.jsonl"), append(line, '\n')); err != nil {
		return err
	}
	return disk.SyncDir(l.dir)
}

// forgotten reports whether tombstones.jsonl has the id. A line that makes no
// sense is an error: what was forgotten must not come back by accident.
func (l *Library) forgotten(id ingest.SessionID) (bool, error) {
	path := filepath.Join(l.dir, "tombstones.jsonl")
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tombs == nil || l.tombsAt != stampOf(fi) {
		records, err := readRecords(path)
		if err != nil {
			return false, err
		}
		tombs := map[ingest.SessionID]bool{}
		for i, r := range records {
			var t struct{ ID ingest.SessionID }
			if err := json.Unmarshal(r, &t); err != nil || t.ID == "" {
				return false, fmt.Errorf("%s:%d: %w: no id", path, i+1, ErrDamaged)
			}
			tombs[t.ID] = true
		}
		l.tombs, l.tombsAt = tombs, stampOf(fi)
	}
	return l.tombs[id], nil
}
