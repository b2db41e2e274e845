package pipeline

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/internal/text"
	"recall/library"
	"recall/library/disk"
)

// retention is for how many days after the last activity Claude Code keeps a transcript: of its own, and of a session
// that its desktop app began, which 0 keeps for good.
type retention struct{ own, desktop int }

// retentionIn reads the settings beside a Claude Code root's projects folder. The client refuses less than a day.
func retentionIn(root string) retention {
	keeps := retention{own: 30}
	for _, dir := range []string{root, filepath.Dir(root)} {
		data, err := disk.ReadRegular(filepath.Join(dir, "settings.json"), 16<<20)
		if err != nil {
			continue
		}
		var s struct {
			Own     float64 `json:"cleanupPeriodDays"`
			Desktop float64 `json:"desktopSessionCleanupPeriodDays"`
		}
		if json.Unmarshal(data, &s) == nil {
			if s.Own >= 1 {
				keeps.own = int(s.Own)
			}
			keeps.desktop = max(0, int(s.Desktop))
			break
		}
	}
	return keeps
}

// byDesktop matches what each record of a session says that the desktop app began.
var byDesktop = text.Pattern(`"entrypoint":\s*"(claude-desktop|remote_cowork)`)

// deletes returns when the client deletes a transcript, zero if it doesn't, and after how many days.
func (k retention) deletes(transcript ingest.File) (at time.Time, days int) {
	days = k.own
	if byDesktop().MatchString(ingest.ReadStart(transcript.Path, 64<<10)) {
		days = k.desktop
	}
	if days == 0 || transcript.Mod.IsZero() {
		return time.Time{}, 0
	}
	return transcript.Mod.AddDate(0, 0, days), days
}

// expiring picks the Claude Code transcripts that the client will delete soon.
func expiring(found []ingest.Found, now time.Time) []ingest.Found {
	known := map[string]retention{}
	var all []ingest.Found
	for _, f := range found {
		if f.Source != ingest.ClaudeCode || len(f.Files) == 0 {
			continue
		}
		keeps, ok := known[f.Root]
		if !ok {
			keeps = retentionIn(f.Root)
			known[f.Root] = keeps
		}
		first := f.Files[0]
		early := keeps.own
		if keeps.desktop > 0 {
			early = min(early, keeps.desktop)
		}
		if now.Add(soon).Before(first.Mod.AddDate(0, 0, early)) {
			continue // whoever began it: it needn't be opened
		}
		if at, _ := keeps.deletes(first); !at.IsZero() && at.Before(now.Add(soon)) {
			all = append(all, f)
		}
	}
	return all
}

// DeletedOn returns when the client deletes a transcript; zero if it doesn't.
func DeletedOn(f ingest.Found, transcript ingest.File) time.Time {
	if f.Source != ingest.ClaudeCode {
		return time.Time{}
	}
	at, _ := retentionIn(f.Root).deletes(transcript)
	return at
}

// soon is how long before its deletion a transcript is reported.
const soon = 7 * 24 * time.Hour

// Expiring describes the transcripts below one folder that the client will delete soon.
type Expiring struct {
	Root     string    `json:"folder"`
	Days     int       `json:"days"`     // of quiet before deletion
	Sessions int       `json:"sessions"` // due within a week
	Overdue  int       `json:"overdue"`  // of these: due already, at the client's next start
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
		due := expiring(found, p.Time())
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
		d := Expiring{Root: in.root, Sessions: len(due)}
		for _, f := range due {
			d.IDs = append(d.IDs, f.ID)
			at, days := retentionIn(f.Root).deletes(f.Files[0])
			d.First, d.Days = Earlier(d.First, at.UTC()), days
			if at.Before(p.Time()) {
				d.Overdue++
			}
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
	closed, _ := p.Library.Closed(f.ID) // if unknown, it isn't
	return closed
}

// Earlier returns the earlier of two times, ignoring zero times.
func Earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
