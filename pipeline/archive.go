package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"recall/ingest"
	"recall/library"
)

// ArchiveOptions says what an Archive covers.
type ArchiveOptions struct {
	From []string      // files and folders to use instead of the sources' roots
	Pack time.Duration // time limit for packing quiet sessions; 0 packs none
}

// archivedTable identifies archived.gob, which is to Archive what seen.gob is to Sync. A session's Path there is
// that of its session.json, so that a folder that is gone or was overwritten is noticed.
const archivedTable = "archived 1"

func (p *Archiver) archivedPath() string { return filepath.Join(p.Cache, "archived.gob") }

// Archive makes the bytes of everything new or grown durable, and exposes outputs among them. It doesn't parse,
// distill or open an index. The next Sync sees what it archived as new.
func (p *Archiver) Archive(ctx context.Context, o ArchiveOptions) (Report, error) {
	if err := p.Library.ReadOnly(); err != nil {
		return Report{}, err
	}
	r := p.intake(Options{From: o.From}, openSeen(p.archivedPath(), archivedTable))
	stat := r.stat()
	for id, s := range r.seen.Sessions {
		if stat(s.Path) != s.Page { // it may be fine, moved, damaged or gone: let the library look
			r.seen.drop(id)
		}
	}
	changed := r.discover(ctx, r.find(ctx))
	err := ctx.Err()
	if err == nil && len(changed) > 0 {
		err = r.archive(ctx, changed)
		for id, all := range r.touched {
			e, gone := p.Library.Session(id)
			if gone != nil {
				continue // its sources vanished before they were read
			}
			if fault := p.Library.SaveOutputs(ctx, id); fault != nil { // its bytes are safe; a sync retries
				r.report.Problems = append(r.report.Problems, ingest.Problem{Path: e.Folder, Err: fault})
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

// enter records the state of a session's folder, so that it doesn't look changed next time.
func (r *intake) enter(e library.Entry) {
	path := filepath.Join(e.Folder, "session.json")
	rel, _ := filepath.Rel(r.of.Library.Dir(), path) // always inside
	r.seen.set(e.ID, seenSession{Path: filepath.ToSlash(rel), Page: statPage(path)})
}
