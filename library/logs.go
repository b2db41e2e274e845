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
	"recall/library/ledger"
)

// Journal adds a fact with the wall clock's time to journal.jsonl. It is the
// only file that says when recall did something.
func (l *Library) Journal(what string, facts map[string]any) error {
	line := map[string]any{"at": time.Now().UTC().Format(time.RFC3339), "what": what}
	for k, v := range facts {
		line[k] = v
	}
	if err := l.ReadOnly(); err != nil {
		return err
	}
	return ledger.Log[map[string]any]{Path: filepath.Join(l.dir, "journal.jsonl")}.Share(line)
}

// A Correction is a person's word about threads: two sessions belong to one
// (join) or don't (split). Later ones win.
type Correction struct {
	Op string           `json:"op"` // "join" or "split"
	A  ingest.SessionID `json:"a"`
	B  ingest.SessionID `json:"b"`
	At time.Time        `json:"at"` // when the person said so
}

func (l *Library) threads() ledger.Log[Correction] {
	return ledger.Log[Correction]{Path: filepath.Join(l.dir, "threads.jsonl")}
}

// Corrections reads threads.jsonl in order.
func (l *Library) Corrections() ([]Correction, error) {
	all, err := l.threads().All()
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Correct adds a correction to threads.jsonl.
func (l *Library) Correct(c Correction) error {
	if (c.Op != "join" && c.Op != "split") || c.A == c.B || c.A == "" || c.B == "" {
		return fmt.Errorf("thread: %s %q and %q: want join or split and two sessions", c.Op, c.A, c.B)
	}
	unlock, err := l.lock("folders")
	if err != nil {
		return err
	}
	defer unlock()
	return l.threads().Add(c)
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
