package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"time"

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

// Archive makes the bytes of all that is new or has grown durable, and nothing
// else: it parses nothing, makes nothing of it and opens no index. The next
// Sync finds what it archived as new.
func (p *Archiver) Archive(ctx context.Context, o ArchiveOptions) (Report, error) {
	if err := p.Library.ReadOnly(); err != nil {
		return Report{}, err
	}
	r := p.intake(Options{From: o.From}, openSeen(p.archivedPath(), archivedTable))
	r.dropMoved()
	changed := r.discover(ctx)
	err := ctx.Err()
	if err == nil && len(changed) > 0 {
		err = r.archive(ctx, changed)
		r.archivedAll()
	}
	if err == nil && r.report.New+r.report.Grown+r.report.Vanished > 0 {
		rep := r.report
		err = p.Library.Journal("archive", map[string]any{"new": rep.New, "grown": rep.Grown, "vanished": rep.Vanished,
			"bytes": rep.Bytes, "skipped": len(rep.Problems), "ms": time.Since(r.start).Milliseconds()})
	}
	if err == nil && o.Pack > 0 {
		err = r.pack(ctx, o.Pack)
	}
	r.report.Expiring, r.report.Unsafe = len(r.expiring), p.unsafe(r.expiring)
	r.sayUnusable()
	return r.report, errors.Join(err, r.seen.save())
}

// dropMoved forgets the sessions whose session.json isn't as it was: it may be
// all right, moved, damaged or gone, and the library looks.
func (r *intake) dropMoved() {
	stat := r.stat()
	for id, s := range r.seen.Sessions {
		if stat(s.Path) != s.Page {
			r.seen.drop(id)
		}
	}
}

// archivedAll enters what was archived.
func (r *intake) archivedAll() {
	for id, all := range r.touched {
		e, err := r.of.Library.Session(id)
		if err != nil {
			continue // all of its sources have vanished before they were ever read
		}
		path, err := filepath.Rel(r.of.Library.Dir(), filepath.Join(e.Folder, "session.json"))
		if err != nil {
			continue
		}
		for _, f := range all {
			r.seen.add(f)
		}
		r.seen.set(id, seenSession{Path: filepath.ToSlash(path), Page: statPage(filepath.Join(e.Folder, "session.json"))})
	}
}

// notePacked keeps a session that was packed from looking changed.
func (r *intake) notePacked(e library.Entry) {
	if s, ok := r.seen.Sessions[e.ID]; ok {
		r.seen.set(e.ID, seenSession{Path: s.Path, Page: statPage(filepath.Join(r.of.Library.Dir(), s.Path))})
	}
}
