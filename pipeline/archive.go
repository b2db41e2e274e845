package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library"
)

// ArchiveOptions say what an Archive looks at.
type ArchiveOptions struct {
	From []string      // files and folders instead of the sources' own roots
	Pack time.Duration // pack quiet sessions for at most so long; 0 packs none
}

// archivedTable is what made archived.gob: what seen.gob is to Sync, it is to
// Archive. A session's Path there is its session.json's, so that a folder that is
// gone or was written over is noticed.
const archivedTable = "archived 1"

func (p *Archiver) archivedPath() string { return filepath.Join(p.Cache, "archived.gob") }

// Archive makes the bytes of all that is new or has grown durable, and outputs among
// them visible; no more: it parses nothing, makes nothing of it and opens no index. The
// next Sync finds what it archived as new.
func (p *Archiver) Archive(ctx context.Context, o ArchiveOptions) (Report, error) {
	if err := p.Library.ReadOnly(); err != nil {
		return Report{}, err
	}
	r := p.intake(Options{From: o.From}, openSeen(p.archivedPath(), archivedTable))
	stat := r.stat()
	for id, s := range r.seen.Sessions {
		if stat(s.Path) != s.Page { // it may be all right, moved, damaged or gone, and the library looks
			r.seen.drop(id)
		}
	}
	changed := r.discover(ctx)
	err := ctx.Err()
	if err == nil && len(changed) > 0 {
		err = r.archive(ctx, changed)
		for id, all := range r.touched {
			e, gone := p.Library.Session(id)
			if gone != nil {
				continue // all of its sources have vanished before they were ever read
			}
			if fault := p.Library.SaveOutputs(ctx, id); fault != nil { // its bytes are safe; a sync tries again
				r.report.Problems = append(r.report.Problems, ingest.Problem{Path: e.Folder, Reason: fault.Error()})
			}
			r.enter(e)
			for _, f := range all {
				r.seen.add(f)
			}
		}
	}
	if err == nil && r.report.New+r.report.Grown+r.report.Vanished > 0 {
		rep := r.report
		err = p.Library.Journal("archive", map[string]any{"new": rep.New, "grown": rep.Grown, "vanished": rep.Vanished,
			"bytes": rep.Bytes, "skipped": len(rep.Problems), "ms": time.Since(r.start).Milliseconds()})
	}
	if err == nil && o.Pack > 0 {
		err = r.pack(ctx, o.Pack)
	}
	r.countExpiring()
	r.sayUnusable()
	return r.report, errors.Join(err, r.seen.save())
}

// enter keeps a session's folder from looking changed.
func (r *intake) enter(e library.Entry) {
	path := filepath.Join(e.Folder, "session.json")
	if rel, err := filepath.Rel(r.of.Library.Dir(), path); err == nil {
		r.seen.set(e.ID, seenSession{Path: filepath.ToSlash(rel), Page: statPage(path)})
	}
}
