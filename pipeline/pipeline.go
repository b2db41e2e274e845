// Package pipeline runs the nightly job: it finds sessions, archives their bytes, then parses, redacts, distills and
// indexes what is new. Every stage can be rerun at any time: a crash costs a repeat, never a gap. A session that
// can't be read is reported and doesn't affect any other.
package pipeline

import (
	"errors"
	"time"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/internal/redact"
	"recall/library"
	"recall/payload"
)

// Sources says where sessions come from.
type Sources struct {
	Readers []ingest.Reader
	Roots   map[ingest.Source][]string // override a reader's default roots

	Exclusion ingest.Exclusion // the rules for what is left out
}

// An Archiver copies the bytes of sessions into a library without parsing them.
type Archiver struct {
	Sources
	Library  *library.Library
	Cache    string // folder for what can be rebuilt: state.db
	Now      func() time.Time
	Progress func(Progress) // called by one goroutine at a time; may be nil
}

// A Pipeline processes sessions from their sources into a library and its index.
type Pipeline struct {
	Archiver
	Index     *index.Index
	Distiller distill.Distiller
	Budget    int             // token limit of a payload.md
	Variant   payload.Variant // of payload.md
	Who       string          // author of hand edits, as edits.jsonl names them
	Shared    Shared          // nil if others share nothing

	// Beside removes forgotten sessions from caches that the pipeline doesn't own; nil if there are none.
	Beside func([]ingest.SessionID) error
}

// Progress is how far a stage has got.
type Progress struct {
	Stage       string // "archive", "distill", "ask"
	Done, Total int    // sessions
}

// Report says what a sync did.
type Report struct {
	Found     int   `json:"found"`     // sessions seen at the sources
	New       int   `json:"new"`       // archived for the first time
	Salvaged  int   `json:"salvaged"`  // of the new: only the typed prompts are left
	Grown     int   `json:"grown"`     // archived again: longer or rewritten
	Shrunk    int   `json:"shrunk"`    // their source is shorter now; what it had before is kept
	Again     int   `json:"again"`     // bytes of them were gone from the library, and are archived again
	Vanished  int   `json:"vanished"`  // with at least one file gone from the source
	Distilled int   `json:"distilled"` // sessions distilled
	Indexed   int   `json:"-"`         // sessions indexed
	Items     int   `json:"items"`     // items in what was indexed
	Edited    int   `json:"edited"`    // payloads whose hand edits were picked up
	Excluded  int   `json:"excluded"`  // newly found sessions that a rule leaves out; see Excludes
	Bytes     int64 `json:"bytes"`     // source bytes newly archived
	// sessions left for the next run: out of time, or made too recently
	Left      int              `json:"left"`
	Outdated  int              `json:"-"`                 // of these: current in the index, but made by other rules
	Unrelated bool             `json:"-"`                 // finding links of the new items is left for the next run
	Unread    []Unread         `json:"unread"`            // indexed sessions with lines that couldn't be parsed
	Unknown   map[string]int   `json:"unknown,omitempty"` // how many records, or parts of them, by types not known
	Problems  []ingest.Problem `json:"problems"`          // sessions and files skipped, each with its reason
	Busy      bool             `json:"-"`                 // a problem is only that another recall holds a lock

	salvaged bool // nothing is left to salvage; see salvage
}

// Skipped reports whether anything was skipped because of a problem.
func (r Report) Skipped() bool { return len(r.Problems) > 0 }

func (r *Report) addUnknown(types map[string]int) {
	for name, n := range types {
		if r.Unknown == nil {
			r.Unknown = map[string]int{}
		}
		r.Unknown[name] += n
	}
}

func (r *Report) problem(path string, err error) {
	r.Problems = append(r.Problems, ingest.Problem{Path: path, Err: err})
	r.Busy = r.Busy || errors.Is(err, library.ErrBusy)
}

// Time returns the current time.
func (p *Archiver) Time() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

// Tell reports progress.
func (p *Archiver) Tell(s Progress) {
	if p.Progress != nil {
		p.Progress(s)
	}
}

// version identifies everything that shapes what is derived from a session's bytes. When it changes, everything is
// derived again.
func (p *Pipeline) version() string {
	return p.Distiller.Name() + " " + redact.Version()
}

// Forget makes the next sync look at every session of the sources and the library again. Use it for an index that is
// new or was lost.
func (p *Pipeline) Forget() error {
	t := openSeen(p.Cache, false)
	t.clear()
	return t.close()
}

// LookAgain makes the next sync check the library for sessions that arrived other than by a sync.
func (p *Archiver) LookAgain() error {
	t := openSeen(p.Cache, false)
	t.setFact(finished, "")
	return t.close()
}

// Unread is a session with lines that couldn't be read. The rest of it was processed, and the library holds all of
// its bytes.
type Unread struct {
	Session ingest.SessionID `json:"session"`
	Path    string           `json:"path" show:"path"` // file of the first one, at the source
	Lines   int              `json:"lines"`            // how many
	Line    int              `json:"line"`             // of the first one
	Reason  string           `json:"reason"`           // why it couldn't be read
}

// unread describes the lines of a session that couldn't be parsed, and reports whether there are any.
func unread(e library.Entry, report ingest.Report, shown func(path string) string) (Unread, bool) {
	if report.SkippedTotal == 0 {
		return Unread{}, false
	}
	u := Unread{Session: e.ID, Lines: report.SkippedTotal, Path: e.Folder}
	var first ingest.Skip
	if len(report.Skipped) > 0 {
		first = report.Skipped[0]
	}
	u.Line, u.Reason = first.Line, first.Reason
	for _, f := range e.Files {
		if f.Name == first.File && len(f.Sources) > 0 {
			u.Path = shown(f.Sources[0].Path)
		}
	}
	return u, true
}
