package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"recall/library/disk"
	"slices"
	"strings"
	"time"
)

// briefsName is what people hand to sessions before they start, by name:
// append-only, the last line of a name counts.
const briefsName = "briefs.jsonl"

// A Brief is what recall brief puts together, as it was asked for.
type Brief struct {
	Name    string    `json:"name"`
	Task    string    `json:"task,omitempty"` // "" takes the name away
	Project string    `json:"project,omitempty"`
	Files   []string  `json:"files,omitempty"` // absolute paths
	Budget  int       `json:"budget,omitempty"`
	At      time.Time `json:"at"`
}

// SaveBrief keeps a brief by its name, in the place of one before it.
func (l *Library) SaveBrief(b Brief) error {
	if err := l.ReadOnly(); err != nil {
		return err
	}
	line, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("%s: %w", briefsName, err)
	}
	unlock, err := l.lock("briefs")
	if err != nil {
		return err
	}
	defer unlock()
	if err := disk.AppendLines(filepath.Join(l.dir, briefsName), append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", briefsName, err)
	}
	return disk.SyncDir(l.dir)
}

// Briefs lists them by name. Damaged lines are passed by: verify tells of them.
func (l *Library) Briefs() ([]Brief, error) {
	records, err := readRecords(filepath.Join(l.dir, briefsName))
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	last := map[string]Brief{}
	for _, text := range records {
		var b Brief
		if json.Unmarshal(text, &b) == nil && b.Name != "" && !b.At.Before(last[b.Name].At) {
			last[b.Name] = b
		}
	}
	var all []Brief
	for _, b := range last {
		if b.Task != "" {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b Brief) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
