// Package pipeline is the nightly story: find the sessions, archive their
// bytes, parse, redact and distill what is new, index it. Every stage may be
// run again at any time: a crash costs a repeat, never a gap. A session that
// can't be read is reported and costs no other session.
package pipeline

import (
	"errors"
	"path/filepath"
	"time"

	"recall/distill"
	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/redact"
)

// Sources are where sessions come from.
type Sources struct {
	Readers []ingest.Reader
	Roots   map[ingest.Source][]string // instead of a reader's own roots; absent: the reader's

	Exclusion func() ingest.Exclusion // as it is now; nil for none
}

// An Archiver takes the bytes of sessions into a library: it parses nothing.
type Archiver struct {
	Sources
	Library  *library.Library
	Cache    string // folder for what may be lost: the seen tables
	Now      func() time.Time
	Progress func(Progress) // called from one goroutine at a time; nil for silence
}

// A Pipeline takes sessions from their sources into a library and its index.
type Pipeline struct {
	Archiver
	Index     *index.Index
	Distiller distill.Distiller
	Rules     *redact.Rules
	Budget    int             // tokens of a payload.md
	Variant   payload.Variant // of payload.md
	Who       string          // author of hand edits, as edits.jsonl names them

	// Beside removes what other caches have of sessions of which something was forgotten; nil where there are none.
	Beside func([]ingest.SessionID) error
}

// Progress is how far a stage has come.
type Progress struct {
	Stage       string // "archive", "distill", "ask"
	Done, Total int    // sessions
	Bytes       int64  // archived so far
}

// Report is what a sync did.
type Report struct {
	Found     int   `json:"found"`       // sessions seen at the sources
	New       int   `json:"new"`         // archived for the first time
	Salvaged  int   `json:"salvaged"`    // of the new: only what was typed is left
	Grown     int   `json:"grown"`       // archived again: longer or rewritten
	Vanished  int   `json:"vanished"`    // of which a file, or all, isn't at the source any more
	Distilled int   `json:"distilled"`   // sessions distilled
	Indexed   int   `json:"-"`           // sessions indexed
	Items     int   `json:"items"`       // items in what was indexed
	Edited    int   `json:"edited"`      // payloads whose hand edits were taken in
	Notes     int   `json:"-"`           // of the inbox, now with their sessions
	Excluded  int   `json:"excluded"`    // sessions newly found that their user doesn't want kept; see Excludes
	Bytes     int64 `json:"bytes"`       // source bytes newly archived
	Packed    int   `json:"packed"`      // sessions whose segments were packed; of Archive
	Saved     int64 `json:"saved_bytes"` // bytes on the disk that packing saved
	// sessions left for the next time, the time budget being used up or made only lately
	Left      int  `json:"left"`
	Outdated  int  `json:"-"` // of these, in the index as they are, but made by other rules
	Unrelated bool `json:"-"` // how what is new bears on the rest is left for the next time
	// when the first of those left that are large may be made; zero if none is
	Until    time.Time        `json:"-"`
	Unread   []Unread         `json:"unread"`   // sessions with lines that no parser could use, of those indexed
	Expiring int              `json:"expiring"` // transcripts that the client will delete within 7 days
	Unsafe   int              `json:"unsafe"`   // of those: not archived as they are now
	Problems []ingest.Problem `json:"problems"` // sessions and files skipped, each with its reason
	Busy     bool             `json:"-"`        // one of them since another recall held it: it may soon be had

	salvaged bool // no client remembers more than was taken in
}

// Skipped reports whether anything was left out for a fault.
func (r Report) Skipped() bool { return len(r.Problems) > 0 }

func (r *Report) problem(path string, err error) {
	r.Problems = append(r.Problems, ingest.Problem{Path: path, Reason: err.Error()})
	r.Busy = r.Busy || errors.Is(err, library.ErrBusy)
}

// Time is now.
func (p *Archiver) Time() time.Time {
	if p.Now != nil {
		return p.Now()
	}
	return time.Now()
}

// Tell passes on how far something has come.
func (p *Archiver) Tell(s Progress) {
	if p.Progress != nil {
		p.Progress(s)
	}
}

// version names everything that shapes what is derived from a session's
// bytes: another version, and it is derived again.
func (p *Pipeline) version() string {
	return p.Distiller.Name() + " " + p.Rules.Version()
}

func (p *Archiver) seenPath() string       { return filepath.Join(p.Cache, "seen.gob") }
func (p *Archiver) unfinished() unfinished { return unfinished(filepath.Join(p.Cache, "unfinished")) }

// Forget makes the next sync look at every session of the sources and of the
// library again. It is for an index that is new or was lost.
func (p *Pipeline) Forget() error {
	if err := errors.Join(unfinished(p.seenPath()).clear(), p.glanceFile().clear()); err != nil {
		return err
	}
	return p.unfinished().set()
}
