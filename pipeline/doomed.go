package pipeline

import (
	"context"
	"time"
)

// Doomed are the transcripts below one folder that the client will delete soon.
type Doomed struct {
	Root     string
	Days     int       // after so many days of quiet
	Sessions int       // within a week
	Unsafe   int       // of these, not archived as they are now
	First    time.Time // when the first one goes
}

// Doomed looks where transcripts in Claude Code's own places are about to be
// deleted. Folders where none is are left out.
func (p *Pipeline) Doomed(ctx context.Context) []Doomed {
	known := openSeen(p.seenPath(), p.version())
	archived := openSeen(p.archivedPath(), archivedTable)
	var all []Doomed
	for _, reader := range p.Readers {
		for _, root := range p.RootsOf(reader) {
			found, _ := reader.Find(ctx, root, known.session)
			due := expiring(found, p.now(), soon)
			if len(due) == 0 {
				continue
			}
			d := Doomed{Root: root, Days: cleanupDays(due[0].Root), Sessions: len(due)}
			for _, f := range due {
				if !known.has(f) && !archived.has(f) {
					d.Unsafe++
				}
				if at := deletedOn(f, f.Files[0]); d.First.IsZero() || at.Before(d.First) {
					d.First = at
				}
			}
			all = append(all, d)
		}
	}
	return all
}
