package library

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"recall/ingest"
	"recall/internal/text"
	"recall/library/disk"
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

// Disk is the space that a library uses and that is left.
type Disk struct {
	Bytes int64 `json:"bytes"`
	Whole bool  `json:"whole"` // everything was counted; else Bytes is an estimate
	Free  int64 `json:"free"`  // 0 if unknown
}

// sessionsCounted limits the sessions whose files are counted, to keep status fast.
const sessionsCounted = 200

// DiskOf adds up the files of a library in a folder. If there are many sessions it measures a sample spread over
// time, and assumes the same ratio to the sources for the others.
func DiskOf(dir string, entries []Entry) Disk {
	n := min(len(entries), sessionsCounted)
	doc := Disk{Whole: n == len(entries), Free: disk.Free(dir)}
	sessions := map[string]bool{}
	var theirs, counted, all int64 // bytes of the sessions counted, of their sources, and of all sources
	for i, e := range entries {
		sessions[e.Folder] = true
		bytes := int64(0)
		for _, f := range e.Files {
			bytes += f.Size
		}
		all += bytes
		if i*n/len(entries) != (i+1)*n/len(entries) {
			counted += bytes
			theirs += filesIn(e.Folder, func(string) bool { return false })
		}
	}
	if counted > 0 {
		theirs = int64(float64(theirs) * (float64(all) / float64(counted)))
	}
	doc.Bytes = theirs + filesIn(dir, func(path string) bool { return sessions[path] })
	return doc
}

// filesIn adds up the files below a folder except those skipped. What can't be read is reported elsewhere.
func filesIn(dir string, skip func(path string) bool) (n int64) {
	_ = disk.Walk(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && skip(path):
			return fs.SkipDir
		}
		if fi, err := d.Info(); err == nil && fi.Mode().IsRegular() {
			n += fi.Size()
		}
		return nil
	})
	return n
}
