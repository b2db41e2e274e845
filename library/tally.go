package library

import (
	"fmt"
	"strings"
	"time"

	"recall/ingest"
	"recall/text"
)

// Tally is how sessions stand.
type Tally struct {
	Safe       int       `json:"safe"`
	Behind     int       `json:"behind"`          // sources with bytes that aren't archived
	OnlyHere   int       `json:"only_here"`       // kept, though no source is left
	Unreadable int       `json:"unreadable"`      // sources that can't be looked at
	Waiting    int       `json:"waiting"`         // archived, not distilled as they are
	Grown      int       `json:"-"`               // of those: distilled before
	Made       time.Time `json:"-"`               // when the longest ago
	Newest     time.Time `json:"newest,omitzero"` // last thing said in any session
}

// Tally counts how the sessions stand. Of sources that were found, by path, State knows.
func (s *Shelf) Tally(found map[string]ingest.File) (t Tally) {
	for _, e := range s.Entries {
		switch state, _ := e.State(found); state {
		case Safe:
			t.Safe++
		case Behind:
			t.Behind++
		case Unreadable:
			t.Unreadable++
		case OnlyHere:
			t.OnlyHere++
		}
		if e.Behind() {
			t.Waiting++
			if e.Distilled != nil {
				t.Grown++
				if made := e.Made(); t.Made.IsZero() || made.Before(t.Made) {
					t.Made = made
				}
			}
		}
		if e.End.After(t.Newest) {
			t.Newest = e.End
		}
	}
	return t
}

// States counts the sessions that are in each state.
func (t Tally) States() string {
	var parts []string
	if t.Safe > 0 || t.OnlyHere == 0 {
		parts = append(parts, fmt.Sprintf("%d safe", t.Safe))
	}
	parts = append(parts, text.Counts("kept, only here|behind|whose source can't be read", t.OnlyHere, t.Behind,
		t.Unreadable)...)
	return strings.Join(parts, "; ")
}
