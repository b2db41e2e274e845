package library

import (
	"fmt"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
)

// Tally counts sessions by state.
type Tally struct {
	Safe       int       `json:"safe"`
	Shorter    int       `json:"shorter,omitempty"` // kept, with a source that is shorter now
	Behind     int       `json:"behind"`            // sources with bytes that aren't archived
	OnlyHere   int       `json:"only_here"`         // archived, with no source left
	Unreadable int       `json:"unreadable"`        // sources that can't be read
	Lost       int       `json:"lost,omitempty"`    // whose bytes are gone from the library, and at their sources
	Waiting    int       `json:"waiting"`           // archived, but the current bytes aren't distilled
	Grown      int       `json:"-"`                 // of those: an earlier state was distilled
	Made       time.Time `json:"-"`                 // the oldest of those payloads
	Newest     time.Time `json:"newest,omitzero"`   // last thing said in any session
}

// Tally counts the sessions by state. For found, see Entry.State.
func (s *Catalog) Tally(found map[string]ingest.File) (t Tally) {
	states := make([]State, len(s.Entries))
	inParallel(len(states), 256, func(i int) { states[i] = s.State(s.Entries[i], found) })
	for i, e := range s.Entries {
		switch states[i] {
		case Safe:
			t.Safe++
		case Shorter:
			t.Shorter++
		case Behind:
			t.Behind++
		case Unreadable:
			t.Unreadable++
		case Lost:
			t.Lost++
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

// States describes the number of sessions in each state.
func (t Tally) States() string {
	var parts []string
	if t.Safe > 0 || t.OnlyHere+t.Shorter == 0 {
		parts = append(parts, fmt.Sprintf("%d safe", t.Safe))
	}
	parts = append(parts, text.Counts("kept, only here|kept, with a source that is shorter now|behind|whose source can't be read|whose bytes are gone from here and from its source",
		t.OnlyHere, t.Shorter, t.Behind, t.Unreadable, t.Lost)...)
	return strings.Join(parts, "; ")
}
