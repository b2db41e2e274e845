package hooks

import (
	"context"
	"errors"
	"io/fs"

	"recall/index"
	"recall/ingest"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// place is where a session runs.
type place struct {
	l                     *library.Library
	project, name, branch string
	own                   string // the session whose thread is meant, "" for that of the branch
}

// placeOf is the project and branch of a folder; false if it is none.
func placeOf(l *library.Library, dir string) (place, bool, error) {
	p := place{l: l}
	if p.project, p.branch = pipeline.Here(l, dir); p.project == "" {
		return p, false, nil
	}
	known, err := l.Project(p.project)
	p.name = known.Name
	return p, err == nil, err
}

// thread composes the thread that goes on at a place, nil if there is none.
func (h *Host) thread(ctx context.Context, p place) (*payload.Payload, error) {
	x, err := h.Index(p.l)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrRebuild) {
		x, err = nil, nil // slower without it, and as right
	}
	if err != nil {
		return nil, err
	}
	out, err := pipeline.Onward(ctx, p.l, x, p.project, p.branch, ingest.SessionID(p.own))
	if out != nil {
		err = nil // of a session that can't be read recall sync tells
	}
	return out, err
}
