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
func (p *Pipeline) Exposed(ctx context.Context) ([]Doomed, []ingest.Problem) {
	known := openSeen(p.seenPath(), p.version())
	var all []Doomed
	var unsafe []ingest.Problem
	for _, reader := range p.Readers {
		for _, root := range p.RootsOf(reader) {
			found, problems := reader.Find(ctx, root, known.session)
			unsafe = append(unsafe, problems...)
			if k, ok := reader.(ingest.Keeper); ok {
				memory, problems := k.Memory(root)
				unsafe = append(append(unsafe, problems...), p.unsafeMemory(memory)...)
			}
			for _, f := range found {
				if state, err := p.Library.Safe(f); state != library.Safe && !p.forgotten(f) {
					unsafe = append(unsafe, ingest.Problem{Path: PathOf(f), Reason: err.Error()})
				}
			}
			due := expiring(found, p.Time(), soon)
			if len(due) == 0 {
				continue
			}
			d := Doomed{Root: root, Days: cleanupDays(due[0].Root), Sessions: len(due), Unsafe: p.unsafe(due)}
			for _, f := range due {
				if at := DeletedOn(f, f.Files[0]); d.First.IsZero() || at.Before(d.First) {
					d.First = at.UTC()
				}
			}
			all = append(all, d)
		}
	}
	return all, unsafe
}

// unsafeMemory lists the files of a client's memory that the library doesn't hold as
// they are: each is something of its own.
func (p *Pipeline) unsafeMemory(all ingest.Found) []ingest.Problem {
	var unsafe []ingest.Problem
	for _, file := range all.Files {
		one := all
		one.Files = []ingest.File{file}
		if state, err := p.Library.Safe(one); state != library.Safe && !p.forgotten(all) {
			unsafe = append(unsafe, ingest.Problem{Path: file.Path, Reason: err.Error()})
		}
	}
	return unsafe
}

// forgotten reports whether it is kept out of the library on purpose.
func (p *Pipeline) forgotten(f ingest.Found) bool {
	gone, _ := p.Library.Forgotten(f.ID) // what can't be told isn't
	return gone
}
