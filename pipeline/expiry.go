package pipeline

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// Claude Code deletes transcripts whose last activity is this long ago, unless its settings say otherwise
// (cleanupPeriodDays).
const defaultCleanupDays = 30

// cleanupDays reads cleanupPeriodDays from the settings beside a Claude Code root's projects folder.
func cleanupDays(root string) int {
	for _, dir := range []string{root, filepath.Dir(root)} {
		data, err := disk.ReadRegular(filepath.Join(dir, "settings.json"), 16<<20)
		if err != nil {
			continue
		}
		var s struct {
			Days *float64 `json:"cleanupPeriodDays"`
		}
		if json.Unmarshal(data, &s) == nil && s.Days != nil && *s.Days >= 0 {
			return int(*s.Days)
		}
	}
	return defaultCleanupDays
}

// expiring picks the Claude Code transcripts that the client will delete within the given time.
func expiring(found []ingest.Found, now time.Time, within time.Duration) []ingest.Found {
	days := map[string]int{}
	var soon []ingest.Found
	for _, f := range found {
		if f.Source != ingest.ClaudeCode || len(f.Files) == 0 {
			continue
		}
		d, ok := days[f.Root]
		if !ok {
			d = cleanupDays(f.Root)
			days[f.Root] = d
		}
		if f.Files[0].Mod.AddDate(0, 0, d).Before(now.Add(within)) {
			soon = append(soon, f)
		}
	}
	return soon
}

// DeletedOn returns when the client deletes a transcript; zero if it doesn't.
func DeletedOn(f ingest.Found, transcript ingest.File) time.Time {
	if f.Source != ingest.ClaudeCode || transcript.Mod.IsZero() {
		return time.Time{}
	}
	return transcript.Mod.AddDate(0, 0, cleanupDays(f.Root))
}

// soon is how long before its deletion a transcript is reported.
const soon = 7 * 24 * time.Hour

// Expiring describes the transcripts below one folder that the client will delete soon.
type Expiring struct {
	Root     string    `json:"folder"`
	Days     int       `json:"days"`     // of quiet before deletion
	Sessions int       `json:"sessions"` // due within a week
	Unsafe   int       `json:"unsafe"`   // of these: not archived in their current state
	First    time.Time `json:"first"`    // when the first one goes; UTC

	IDs []ingest.SessionID `json:"-"` // theirs
}

// Exposed checks the sources' own places. It returns the folders in which Claude Code is about to delete
// transcripts, the sessions that the library doesn't hold in their current state, each with the reason, and the
// files that are there, by path.
func (p *Pipeline) Exposed(ctx context.Context) (
	all []Expiring, unsafe []ingest.Problem, there map[string]ingest.File) {
	there = map[string]ingest.File{}
	excluded := p.Excluded()
	for _, in := range p.search(ctx, nil, p.lastSeen()) {
		found := in.sessions
		unsafe = append(unsafe, in.problems...)
		due := expiring(found, p.Time(), soon)
		for _, file := range in.memory.Files { // each counts separately
			one := in.memory
			one.Files = []ingest.File{file}
			found = append(found, one)
		}
		lost := map[ingest.SessionID]bool{}
		for _, f := range found {
			for _, file := range f.Files {
				there[file.Path] = file
			}
			if state, err := p.Library.Safe(f); state != library.Safe && excluded[f.ID] == "" && !p.forgotten(f) {
				unsafe = append(unsafe, ingest.Problem{Path: PathOf(f), Err: err})
				lost[f.ID] = true
			}
		}
		if len(due) == 0 {
			continue
		}
		d := Expiring{Root: in.root, Days: cleanupDays(due[0].Root), Sessions: len(due)}
		for _, f := range due {
			d.IDs = append(d.IDs, f.ID)
			d.First = Earlier(d.First, f.Files[0].Mod.AddDate(0, 0, d.Days).UTC())
			if lost[f.ID] {
				d.Unsafe++
			}
		}
		all = append(all, d)
	}
	return all, unsafe, there
}

// forgotten reports whether a session is kept out of the library on purpose.
func (p *Archiver) forgotten(f ingest.Found) bool {
	gone, _ := p.Library.Forgotten(f.ID) // if unknown, it isn't
	frozen, _ := p.Library.Frozen(f.ID)
	return gone || frozen
}
