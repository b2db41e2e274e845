package pipeline

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"recall/ingest"
	"recall/library"
)

// Options says what a sync covers.
type Options struct {
	From    []string         // files and folders to use instead of the sources' roots
	Budget  time.Duration    // start nothing new after this long; 0 is no limit
	Only    ingest.SessionID // skip the sources and pick up only this session's hand edits
	Reindex bool             // rebuild the index from the library alone

	salvaged []ingest.Found // look only at these
}

// whole reports whether a sync looks at everything.
func (o Options) whole() bool {
	return len(o.From) == 0 && o.Only == "" && o.salvaged == nil
}

// Sync processes what is new: it finds the sessions, archives those that changed, distills and indexes them. What it
// can't read becomes a Problem of the report; an error means that the sync was stopped.
func (p *Pipeline) Sync(ctx context.Context, o Options) (Report, error) {
	if err := p.FinishForgetting(ctx); err != nil {
		return Report{}, err
	}
	var rep Report
	err := p.syncOnce(ctx, o, &rep)
	done := err == nil && rep.Left == 0 && !rep.salvaged
	if done && o.whole() && o.Budget == 0 {
		err = p.salvage(ctx, &rep)
	}
	return rep, err
}

// syncOnce adds what it does to a report.
func (p *Pipeline) syncOnce(ctx context.Context, o Options, rep *Report) error {
	r := p.startRun(o, rep)
	err := r.sync(ctx)
	r.report.salvaged = r.seen.facts[salvaged] != "" && !r.work
	if p.Library.ReadOnly() == nil && (r.work || r.moved || len(r.touched) > 0) {
		err = errors.Join(err, p.Library.Settle())
		for id, s := range r.seen.sessions { // record where moved folders are now
			if e, err := p.Library.Session(id); err == nil && !strings.HasSuffix(e.Folder, s.Folder) {
				r.keep(e, s)
			}
		}
	}
	if err == nil {
		err = r.indexReceived(ctx)
	}
	if err == nil {
		err = r.indexShared(ctx)
	}
	if err == nil {
		err = r.relate(ctx)
	}
	if err == nil && r.untidy && !r.late() {
		err = p.Index.Tidy(context.WithoutCancel(ctx))
	}
	r.sayUnusable()
	r.keepLook(err)
	return errors.Join(err, r.seen.close())
}

// run is a Sync, or a part of one, in progress. An Archive uses what comes before distilling.
type run struct {
	p         *Pipeline
	options   Options
	start     time.Time
	bytesOnly bool // it is an Archive

	found    map[ingest.SessionID]bool     // at the sources
	gone     map[ingest.SessionID][]string // paths that no longer exist
	memories []ingest.Found                // what clients remember beside their sessions

	edited map[ingest.SessionID]bool // payload.md differs from what recall wrote
	noted  map[ingest.SessionID]bool // notes arrived after the payload was made
	broke  bool                      // the last run was interrupted
	lost   bool                      // a session's folder is gone from the library
	moved  bool                      // a session's folder isn't where it belongs
	lines  writtenLines              // of payloads
	untidy bool                      // enough was indexed to make Tidy worthwhile

	mu      sync.Mutex // guards what follows
	seen    *seen
	report  *Report
	touched map[ingest.SessionID][]ingest.Found // archived in this run, or possibly unfinished
	work    bool                                // something touched needs distilling, or might
	left    map[ingest.SessionID][]ingest.Found // for the next run; with what was found if not archived yet
	failed  map[ingest.SessionID]bool           // couldn't be distilled in this run
	counted map[ingest.SessionID]bool           // in the report as distilled
	waiting []ingest.SessionID                  // sessions put off because they are being written to
	current map[ingest.SessionID]bool           // known to be in the index as they are in the library and at the source
	again   bool                                // something failed that may succeed next time
}

// startRun begins a run with what no longer applies forgotten: all that something else made, what a rule left out that
// is lifted.
func (p *Pipeline) startRun(o Options, rep *Report) *run {
	r := &run{p: p, options: o, report: rep, start: time.Now(), seen: openSeen(p.Cache, true),
		lines: writtenLines{index: p.Index, of: map[int64]written{}},
		found: map[ingest.SessionID]bool{}, gone: map[ingest.SessionID][]string{},
		edited: map[ingest.SessionID]bool{}, noted: map[ingest.SessionID]bool{},
		touched: map[ingest.SessionID][]ingest.Found{}, left: map[ingest.SessionID][]ingest.Found{},
		failed: map[ingest.SessionID]bool{}, counted: map[ingest.SessionID]bool{}, current: map[ingest.SessionID]bool{}}
	if p.Distiller != nil && r.seen.facts[version] != p.version() {
		r.seen.clear()
		r.seen.setFact(version, p.version())
	}
	x := p.Exclusion
	for id, rule := range r.seen.excluded {
		if !x.Has(rule) {
			r.seen.drop(id)
		}
	}
	return r
}

func (r *run) sync(ctx context.Context) error {
	pages := make(chan []ingest.SessionID, 1)
	go func() { pages <- r.changedFolders() }() // many files to look at, as in the search
	found := r.find(ctx)
	r.handEdited(ctx, <-pages)
	changed := r.discover(ctx, found)
	r.broke = r.seen.facts[finished] == ""
	r.work = len(r.edited) > 0 || r.broke || r.options.Reindex || r.lost
	if len(changed) == 0 && !r.work {
		if r.fold(); len(r.noted) == 0 {
			return ctx.Err()
		}
		r.work = true
	}
	if err := r.p.Library.ReadOnly(); err != nil {
		if r.options.Reindex { // the index isn't in the library
			_, err = r.distill(ctx)
		}
		return err
	}
	// If this is still so at the start of the next run, this one was interrupted, and the library may hold sessions
	// that were archived but not distilled.
	r.seen.setFact(finished, "")
	marked := r.seen.save() // archive even if the cache can't be written
	if err := errors.Join(r.archive(ctx, changed), marked); err != nil {
		return err
	}
	r.fold()
	r.work = r.work || len(r.left) > 0 // to see which of them the index already has
	left := false
	if r.work {
		var err error
		if left, err = r.distill(ctx); err != nil {
			return err
		}
		if err := errors.Join(r.nameQuiet(), r.p.Library.Settle(), r.journal("sync")); err != nil {
			return err
		}
	}
	r.countLeft()
	if left || r.again {
		return nil // keep the mark: what was archived waits for the next run
	}
	r.seen.setFact(finished, "yes")
	return nil
}

// countLeft counts the sessions left for the next run.
func (r *run) countLeft() {
	for _, id := range r.waiting {
		r.left[id] = nil
	}
	r.report.Left = len(r.left)
	for id := range r.left {
		if r.current[id] {
			r.report.Outdated++
		}
	}
}

// journal records what the run did.
func (r *run) journal(what string) error {
	rep := r.report
	return r.p.Library.Journal(what, map[string]any{
		"new": rep.New, "grown": rep.Grown, "vanished": rep.Vanished, "distilled": rep.Distilled, "edited": rep.Edited,
		"bytes": rep.Bytes, "skipped": len(rep.Problems), "ms": time.Since(r.start).Milliseconds()})
}

func (r *run) late() bool {
	return r.options.Budget > 0 && time.Since(r.start) > r.options.Budget
}

// archive makes the bytes of all changed sessions durable before any of them is parsed. Clients' memories come last:
// by then it is known which sessions are left out.
func (r *run) archive(ctx context.Context, changed []ingest.Found) error {
	var memories []ingest.Found
	went := map[ingest.SessionID]bool{}
	sessions := slices.DeleteFunc(slices.Clone(changed), func(f ingest.Found) bool {
		went[f.ID] = f.Source.IsMemory()
		return went[f.ID]
	})
	err := r.archiveAll(ctx, sessions)
	for _, m := range r.memories {
		if reader, fault := r.p.reader(m.Source); fault == nil {
			m, _ = ingest.MemoryOf(reader, m.Root, r.p.Unwanted(r.seen.excluded)) // problems were reported
		}
		if went[m.ID] || !r.seen.has(m, !r.bytesOnly) {
			memories = append(memories, m)
		}
	}
	return cmp.Or(err, r.archiveAll(ctx, memories))
}

func (r *run) archiveAll(ctx context.Context, changed []ingest.Found) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writers)
	done := 0
	sessions := bySession(changed)
	for i, copies := range sessions {
		if r.late() {
			r.mu.Lock()
			for _, copies := range sessions[i:] {
				r.left[copies[0].ID] = copies
			}
			r.mu.Unlock()
			break
		}
		g.Go(func() error {
			for _, f := range copies {
				if err := r.archiveOne(ctx, f); err != nil {
					return err
				}
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			done++
			r.p.Tell(Progress{Stage: "archive", Done: done, Total: len(sessions)})
			return nil
		})
	}
	return g.Wait()
}

// bySession groups what was found of the same session in several places. Such copies are archived one after the
// other: the library numbers their versions.
func bySession(found []ingest.Found) (all [][]ingest.Found) {
	at := map[ingest.SessionID]int{}
	for _, f := range found {
		if _, ok := at[f.ID]; !ok {
			at[f.ID] = len(all)
			all = append(all, nil)
		}
		all[at[f.ID]] = append(all[at[f.ID]], f)
	}
	for _, copies := range all {
		slices.SortStableFunc(copies, func(a, b ingest.Found) int { return strings.Compare(PathOf(a), PathOf(b)) })
	}
	return all
}

// PathOf returns the path that identifies a session at its source: its first file.
func PathOf(f ingest.Found) string {
	if len(f.Files) > 0 {
		first := f.Files[0]
		// Path is empty if only part of the file is kept.
		return cmp.Or(first.Path, filepath.Join(f.Root, filepath.FromSlash(first.Name)))
	}
	return f.Root
}

// archiveOne archives what was found of a session. A problem of its own is reported and skipped; an error is the
// library's and stops the run.
func (r *run) archiveOne(ctx context.Context, f ingest.Found) error {
	_, unknown := r.p.Library.Session(f.ID)
	var change library.Change
	rule, err := r.p.Excludes(ctx, f)
	if err == nil && rule == "" {
		change, err = r.p.Library.Archive(ctx, f)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case rule != "":
		r.report.Excluded++
		r.seen.exclude(f.ID, rule)
		r.seen.add(f, true)
		return nil
	case errors.Is(err, library.ErrForgotten):
		return nil
	case errors.Is(err, library.ErrNewer):
		return err
	case err != nil:
		r.report.problem(PathOf(f), err)
		return nil
	}
	for _, path := range r.gone[f.ID] {
		r.seen.dropFile(path)
	}
	// Files that couldn't be read are tried, and reported, again next time.
	f.Files = slices.DeleteFunc(slices.Clone(f.Files), func(file ingest.File) bool {
		return slices.ContainsFunc(change.Problems, func(p ingest.Problem) bool { return p.Path == file.Path })
	})
	r.report.Bytes += change.Bytes
	r.report.Problems = append(r.report.Problems, change.Problems...)
	if f.Source.IsMemory() { // it is only archived
		r.seen.setFact(salvaged, "")
		r.seen.add(f, true)
		return nil
	}
	r.keepKey(f.ID)
	r.touched[f.ID] = append(r.touched[f.ID], f)
	r.work = r.work || !change.Unchanged || !r.seen.has(f, true)
	switch {
	case change.Unchanged:
	case errors.Is(unknown, library.ErrNoSession):
		r.report.New++
	case len(change.Shrunk) > 0:
		r.report.Shrunk++
	case len(change.New)+len(change.Grown)+len(change.Rewritten) > 0:
		r.report.Grown++
	case len(change.Again) > 0:
		r.report.Again++
	default:
		r.report.Vanished++
	}
	return nil
}

// keepKey remembers the session.json of a session whose bytes were just archived. The caller holds mu.
func (r *run) keepKey(id ingest.SessionID) {
	e, err := r.p.Library.Session(id)
	if err != nil {
		return // its sources vanished before they were read
	}
	r.keep(e, r.seen.sessions[id])
}

func (r *run) count(change func(*Report)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r.report)
}

// Archive makes the bytes of everything new or grown durable, and exposes outputs among them. It doesn't parse,
// distill or open an index. The next Sync sees what it archived as new. Files and folders in from are used instead of
// the sources' roots.
func (p *Archiver) Archive(ctx context.Context, from []string) (Report, error) {
	if err := p.Library.ReadOnly(); err != nil {
		return Report{}, err
	}
	r := (&Pipeline{Archiver: *p}).startRun(Options{From: from}, &Report{})
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
		err = r.journal("archive")
	}
	r.sayUnusable()
	return *r.report, errors.Join(err, r.seen.close())
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
		r.seen.setFact(looked, "")
		for _, f := range all {
			r.seen.add(f, false)
		}
	}
}
