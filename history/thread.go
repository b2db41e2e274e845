package history

import (
	"context"
	"slices"
	"time"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Thread is the sessions of one task.
type Thread struct {
	Project  string             `json:"project"`
	Branch   string             `json:"branch,omitempty"`
	Goal     string             `json:"goal,omitempty"`
	Start    time.Time          `json:"start,omitzero"`
	End      time.Time          `json:"end,omitzero"`
	Sessions []ingest.SessionID `json:"sessions"` // oldest first

	Refs []library.SessionRef `json:"-"`
}

// Threads are those of a project, or the one that a session is of, "" for all. The index may be nil.
func Threads(ctx context.Context, l *library.Library, x *index.Index, shelf *library.Shelf, project string,
	of ingest.SessionID) (all []Thread, err error) {
	threads, err := pipeline.Threads(ctx, l, x, shelf.In(project))
	for _, t := range threads {
		if d := threadOf(t, shelf, project); of == "" || slices.Contains(d.Sessions, of) {
			all = append(all, d)
		}
	}
	return all, err
}

func threadOf(t []payload.ThreadInfo, shelf *library.Shelf, project string) Thread {
	d := Thread{Project: shelf.Project[project].Name, Start: t[0].Start}
	for _, s := range t {
		d.Refs = append(d.Refs, shelf.Ref(s.Session))
		d.Sessions = append(d.Sessions, ingest.SessionID(s.Session))
		if s.End.After(d.End) {
			d.End, d.Branch = s.End, s.Branch
		}
		if s.Goal != "" {
			d.Goal = s.Goal
		}
	}
	return d
}
