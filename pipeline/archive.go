package pipeline

import (
	"context"
	"errors"
	"time"

	"recall/ingest"
)

// Archive makes the bytes of everything new or grown durable, and exposes outputs among them. It doesn't parse,
// distill or open an index. The next Sync sees what it archived as new. Files and folders in from are used instead of
// the sources' roots.
func (p *Archiver) Archive(ctx context.Context, from []string) (Report, error) {
	if err := p.Library.ReadOnly(); err != nil {
		return Report{}, err
	}
	r := (&Pipeline{Archiver: *p}).startRun(Options{From: from})
	r.bytesOnly = true
	for _, id := range r.changedFolders() { // fine, moved, damaged or gone: let the library look
		r.seen.drop(id)
	}
	changed := r.discover(ctx, r.find(ctx))
	err := ctx.Err()
	if err == nil && len(changed) > 0 {
		err = r.archive(ctx, changed)
		r.keepArchived(ctx)
	}
	if err == nil && r.report.New+r.report.Grown+r.report.Shrunk+r.report.Again+r.report.Vanished > 0 {
		rep := r.report
		err = p.Library.Journal("archive", map[string]any{"new": rep.New, "grown": rep.Grown, "vanished": rep.Vanished,
			"bytes": rep.Bytes, "skipped": len(rep.Problems), "ms": time.Since(r.start).Milliseconds()})
	}
	r.countExpiring()
	r.sayUnusable()
	return r.report, errors.Join(err, r.seen.close())
}

// keepArchived remembers what was archived, whose outputs are to be seen from now on.
func (r *run) keepArchived(ctx context.Context) {
	for id, all := range r.touched {
		e, gone := r.p.Library.Session(id)
		if gone != nil {
			continue // its sources vanished before they were read
		}
		if fault := r.p.Library.SaveOutputs(ctx, id); fault != nil { // its bytes are safe; a sync retries
			r.report.Problems = append(r.report.Problems, ingest.Problem{Path: e.Folder, Err: fault})
		}
		r.keepKey(id) // SaveOutputs may have changed it
		for _, f := range all {
			r.seen.add(f, false)
		}
	}
}
