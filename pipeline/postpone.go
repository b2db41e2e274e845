package pipeline

import (
	"time"

	"recall/ingest"
	"recall/library"
)

// Remaking a session costs as much as the whole of it, however little it has grown: all of it
// is searched for secrets, and each passage is weighed against the rest. So that a large,
// active session doesn't cost more the more often somebody looks, it is remade only restFactor
// times the cost of making it after the last time: 640 MB every two minutes. Its bytes are
// archived at once all the same, and it counts as left. A question, which has a time budget,
// doesn't start what can't be done within it.
//
// The costs are measured: most bytes are tool results and images; a turn is what a model
// writes before its next call. Prose of a thousand bytes a turn takes twice as long
// (BenchmarkSyncHuge).
const (
	costPerByte = 10 * time.Nanosecond
	costPerTurn = 100 * time.Microsecond
	largeCost   = 1300 * time.Millisecond // 130 MB; less is never postponed
	maxPostpone = 2 * time.Minute         // whatever the size
)

// postponeUntil returns the earliest time at which a family that is due may be made; zero if now. A session that is
// asked for by name, edited, noted or missing from the index is made now.
func (r *run) postponeUntil(f *Family, stamps map[string]string) (until time.Time) {
	var takes time.Duration
	for _, m := range f.Members {
		takes += time.Duration(parsedBytes(m.Entry))*costPerByte + time.Duration(m.Entry.Turns)*costPerTurn
	}
	if takes < largeCost || r.options.Reindex {
		return time.Time{}
	}
	var last time.Time
	grown, made := false, true
	for _, of := range f.Members {
		m := of.Entry
		if r.edited[m.ID] || r.noted[m.ID] || len(r.options.From) > 0 && r.found[m.ID] {
			return time.Time{}
		}
		grown = grown || m.Behind()
		made = made && m.Distilled != nil && stamps[string(m.ID)] != ""
		if at := m.Made(); at.After(last) {
			last = at
		}
	}
	if !grown {
		return time.Time{}
	}
	now := r.Time()
	if made && !last.After(now) {
		until = last.Add(min(restFactor*takes, maxPostpone))
	}
	switch {
	case until.After(now):
		return until
	case r.options.Budget > 0 && r.start.Add(r.options.Budget).Before(time.Now().Add(takes)):
		return now
	}
	return time.Time{}
}

// parsedBytes returns how many bytes of a session a parser reads.
func parsedBytes(e library.Entry) int64 {
	var n int64
	for _, f := range e.Files {
		if f.Role != ingest.UploadFile && f.Role != ingest.OutputFile {
			n += f.Size
		}
	}
	return n
}
