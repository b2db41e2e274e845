package library

import (
	"errors"
	"slices"
	"strings"
	"time"

	"recall/library/ledger"
)

// briefsName is what people hand to sessions before they start, by name: append-only, a name's last line counts.
const briefsName = "briefs.jsonl"

// A Brief is what recall prepare puts together, as it was asked for.
type Brief struct {
	Name    string    `json:"name"`
	Task    string    `json:"task,omitempty"` // "" takes the name away
	Project string    `json:"project,omitempty"`
	Files   []string  `json:"files,omitempty"` // absolute paths
	Budget  int       `json:"budget,omitempty"`
	At      time.Time `json:"at"`
}

func (l *Library) briefs() ledger.Log[Brief] {
	return logOf(l, briefsName, func(b Brief) bool { return b.Name != "" })
}

// SaveBrief keeps a brief by its name, in the place of one before it.
func (l *Library) SaveBrief(b Brief) error { return add(l, "briefs", l.briefs(), b) }

// Briefs lists them by name. Damaged lines are passed by: verify tells of them.
func (l *Library) Briefs() ([]Brief, error) {
	lines, err := l.briefs().All()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return nil, err
	}
	last := map[string]Brief{}
	for _, b := range lines {
		if !b.At.Before(last[b.Name].At) {
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
