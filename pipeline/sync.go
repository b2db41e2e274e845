package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
)

// Options say what a sync looks at.
type Options struct {
	From    []string         // files and folders instead of the sources' own roots
	Budget  time.Duration    // stop taking in more after this long; 0 is no limit
	Only    ingest.SessionID // look at the sources of no session, and at this one's hand edits alone
	Reindex bool             // index everything again, from the library alone
}

// Sync takes in what is new: it finds the sessions, archives those that
// changed, distills and indexes them. What it can't read is a Problem of the
// report; the error is for faults that stopped it.
func (p *Pipeline) Sync(ctx context.Context, o Options) (Report, error) {
	r := &run{Pipeline: p, options: o, start: time.Now(), seen: openSeen(p.seenPath(), p.version())}
	err := r.sync(ctx)
	r.report.Expiring, r.report.Unsafe = len(r.expiring), r.unsafe()
	if len(r.touched) > 0 {
		err = errors.Join(err, p.Library.Settle())
	}
	return r.report, errors.Join(err, r.seen.save())
}

// unsafe counts the transcripts that are about to be deleted and aren't
// archived as they are now.
func (r *run) unsafe() int {
	n := 0
	for _, f := range r.expiring {
		if !r.seen.has(f) && len(r.touched[f.ID]) == 0 {
			n++
		}
	}
	return n
}

// run is one sync at work.
type run struct {
	*Pipeline
	options Options
	start   time.Time
	seen    *seen

	expiring []ingest.Found    // that the client deletes soon
	lines    map[int64]written // rendered in this run, by index.LineHash

	mu      sync.Mutex // guards what follows
	report  Report
	touched map[ingest.SessionID][]ingest.Found // archived in this run, or not known to be finished
}

func (r *run) sync(ctx context.Context) error {
	r.touched = map[ingest.SessionID][]ingest.Found{}
	r.lines = map[int64]written{}
	changed := r.discover(ctx)
	interrupted := r.unfinished().isSet()
	edited := r.handEdited()
	if r.options.Only != "" {
		edited = []ingest.SessionID{r.options.Only}
	}
	if len(changed)+len(edited) == 0 && !interrupted && !r.options.Reindex {
		return ctx.Err()
	}
	if err := r.Library.ReadOnly(); err != nil {
		return err
	}
	if err := r.unfinished().set(); err != nil {
		return err
	}
	if err := r.archive(ctx, changed); err != nil {
		return err
	}
	for _, id := range edited {
		if _, ok := r.touched[id]; !ok {
			r.touched[id] = nil
		}
	}
	left, err := r.distill(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(r.nameQuiet(), r.Library.Settle(), r.journal()); err != nil {
		return err
	}
	if left > 0 {
		r.report.Left += left
		return nil // the mark stays: what was archived waits for the next run
	}
	return r.unfinished().clear()
}

// journal notes what was done, with the wall clock's time.
func (r *run) journal() error {
	rep := r.report
	return r.Library.Journal("sync", map[string]any{"new": rep.New, "grown": rep.Grown, "distilled": rep.Distilled, "edited": rep.Edited,
		"bytes": rep.Bytes, "skipped": len(rep.Problems), "ms": time.Since(r.start).Milliseconds()})
}

// discover lists the sessions of all sources that aren't as last taken in.
func (r *run) discover(ctx context.Context) []ingest.Found {
	if r.options.Reindex || r.options.Only != "" {
		return nil
	}
	var changed []ingest.Found
	for _, reader := range r.Readers {
		roots := r.options.From
		own := len(roots) == 0
		if own {
			roots = r.RootsOf(reader)
		}
		for _, root := range roots {
			found, problems := reader.Find(ctx, root, r.seen.session)
			r.report.Found += len(found)
			r.report.Problems = append(r.report.Problems, problems...)
			if own {
				r.expiring = append(r.expiring, expiring(found, r.now(), soon)...)
			}
			for _, f := range found {
				if !r.seen.has(f) {
					changed = append(changed, f)
				}
			}
		}
	}
	// The newest first: if time runs out, what is being worked on is in.
	slices.SortStableFunc(changed, func(a, b ingest.Found) int { return cmp.Compare(modified(b), modified(a)) })
	return changed
}

func modified(f ingest.Found) int64 {
	var last int64
	for _, file := range f.Files {
		last = max(last, file.Mod.UnixNano())
	}
	return last
}

func (r *run) late() bool {
	return r.options.Budget > 0 && time.Since(r.start) > r.options.Budget
}

// archive makes the bytes of all changed sessions durable, before any of them
// is parsed.
func (r *run) archive(ctx context.Context, changed []ingest.Found) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	done := 0
	for i, f := range changed {
		if r.late() {
			r.report.Left += len(changed) - i
			break
		}
		g.Go(func() error {
			_, unknown := r.Library.Session(f.ID)
			change, err := r.Library.Archive(ctx, f)
			r.mu.Lock()
			defer r.mu.Unlock()
			if err != nil {
				return r.archiveFailed(ctx, f, err)
			}
			r.touched[f.ID] = append(r.touched[f.ID], f)
			r.archived(change, errors.Is(unknown, library.ErrNoSession))
			done++
			r.progress(Progress{Stage: "archive", Done: done, Total: len(changed), Bytes: r.report.Bytes})
			return nil
		})
	}
	return g.Wait()
}

func (r *run) archived(c library.Change, first bool) {
	r.report.Bytes += c.Bytes
	r.report.Problems = append(r.report.Problems, c.Problems...)
	switch {
	case first && !c.Unchanged:
		r.report.New++
	case !c.Unchanged:
		r.report.Grown++
	}
}

// archiveFailed tells a fault of one session, which is reported and skipped,
// from one of the library, which stops the run.
func (r *run) archiveFailed(ctx context.Context, f ingest.Found, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, library.ErrForgotten):
		return nil
	case errors.Is(err, library.ErrNewer):
		return err
	}
	path := f.Root
	if len(f.Files) > 0 {
		path = f.Files[0].Path
	}
	r.report.Problems = append(r.report.Problems, ingest.Problem{Path: path, Reason: err.Error()})
	return nil
}

// count changes the report.
func (r *run) count(change func(*Report)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.report)
}

func (r *run) problem(path string, err error) {
	r.count(func(rep *Report) {
		rep.Problems = append(rep.Problems, ingest.Problem{Path: path, Reason: err.Error()})
	})
}

// RootsOf lists the folders that a reader's sessions are looked for in.
func (p *Pipeline) RootsOf(reader ingest.Reader) []string {
	if roots, ok := p.Roots[reader.Source()]; ok {
		return roots
	}
	return reader.Roots()
}

// reader returns the reader of a source, for sessions read back from the library.
func (p *Pipeline) reader(s ingest.Source) (ingest.Reader, error) {
	for _, r := range p.Readers {
		if r.Source() == s {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no reader for sessions of %q: made by a newer recall?", s)
}
