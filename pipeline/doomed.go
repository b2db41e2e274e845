package pipeline

import (
	"context"
	"time"

	"recall/ingest"
	"recall/library"
)

// Doomed are the transcripts below one folder that the client will delete soon.
type Doomed struct {
	Root     string    `json:"folder"`
	Days     int       `json:"days"`     // after so many days of quiet
	Sessions int       `json:"sessions"` // within a week
	Unsafe   int       `json:"unsafe"`   // of these, not archived as they are now
	First    time.Time `json:"first"`    // when the first one goes; UTC
}

// Exposed looks at the sources' own places: where transcripts of Claude Code
// are about to be deleted, folders where none is left out, and which sessions
// the library doesn't hold as they are, each with the reason.
func (p *Pipeline) Exposed(ctx context.Context) (all []Doomed, unsafe []ingest.Problem) {
	p.each(ctx, nil, openSeen(p.seenPath(), p.version()), func(root string, found []ingest.Found, memory ingest.Found,
		problems []ingest.Problem) {
		unsafe = append(unsafe, problems...)
		due := expiring(found, p.Time(), soon)
		for _, file := range memory.Files { // each is something of its own
			one := memory
			one.Files = []ingest.File{file}
			found = append(found, one)
		}
		for _, f := range found {
			if state, err := p.Library.Safe(f); state != library.Safe && !p.forgotten(f) {
				unsafe = append(unsafe, ingest.Problem{Path: PathOf(f), Reason: err.Error()})
			}
		}
		if len(due) == 0 {
			return
		}
		d := Doomed{Root: root, Days: cleanupDays(due[0].Root), Sessions: len(due), Unsafe: p.unsafe(due)}
		for _, f := range due {
			d.First = Sooner(d.First, DeletedOn(f, f.Files[0]).UTC())
		}
		all = append(all, d)
	})
	return all, unsafe
}

// forgotten reports whether it is kept out of the library on purpose.
func (p *Archiver) forgotten(f ingest.Found) bool {
	gone, _ := p.Library.Forgotten(f.ID) // what can't be told isn't
	return gone
}
