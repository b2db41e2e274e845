package pipeline

import (
	"time"

	"recall/ingest"
	"recall/library"
)

// To make a session again costs as much as the whole of it, however little has
// grown: secrets are looked for in all of it, and what is said in one place is
// weighed against the rest. So that one that is large and goes on costs no more the
// oftener somebody looks, it is made again only when it has been left alone for
// restFactor times what making it takes: 640 MB every two minutes. Its bytes are
// archived at once all the same, and it counts as left. A question, which has a
// time budget, doesn't begin what can't be done within it.
//
// What making takes is measured: most bytes are results of tools and images, a turn is what
// a model writes before its next call. Prose of a thousand bytes a turn takes
// twice as long (BenchmarkSyncHuge).
const (
	byteTakes  = 10 * time.Nanosecond
	turnTakes  = 100 * time.Microsecond
	largeTakes = 1300 * time.Millisecond // 130 MB; what takes less is never put off
	mostPutOff = 2 * time.Minute         // however large
)

// putOff reports when a family, which something is to be made of, may be made at the
// earliest; zero if now. What is asked for by name, edited, noted or not in
// the index is made now.
func (r *run) putOff(f *Family, stamps map[string]string) (until time.Time) {
	var takes time.Duration
	for _, m := range f.Members {
		takes += time.Duration(parsedBytes(m.Entry))*byteTakes + time.Duration(m.Entry.Turns)*turnTakes
	}
	if takes < largeTakes || r.options.Reindex {
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
		until = last.Add(min(restFactor*takes, mostPutOff))
	}
	switch {
	case until.After(now):
		return until
	case r.options.Budget > 0 && r.start.Add(r.options.Budget).Before(time.Now().Add(takes)):
		return now
	}
	return time.Time{}
}

// parsedBytes is how many bytes of a session a parser reads.
func parsedBytes(e library.Entry) int64 {
	var n int64
	for _, f := range e.Files {
		if f.Role != ingest.UploadFile && f.Role != ingest.OutputFile {
			n += f.Size
		}
	}
	return n
}
