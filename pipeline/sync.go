package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
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
	From   []string         // files and folders to use instead of the sources' roots
	Budget time.Duration    // start nothing new after this long; 0 is no limit
	Only   ingest.SessionID // skip the sources and pick up only this session's hand edits
	// archive but don't distill sessions whose files were written within this time
	Quiet   time.Duration
	Reindex bool // rebuild the index from the library alone
	// look only at the sessions that it shows to have grown
	Glanced *Glance

	salvaged []ingest.Found // look only at these
}

// Sync processes what is new: it finds the sessions, archives those that changed, distills and indexes them. What it
// can't read becomes a Problem of the report; an error means that the sync was stopped.
func (p *Pipeline) Sync(ctx context.Context, o Options) (Report, error) {
	if err := p.FinishForgetting(ctx); err != nil {
		return Report{}, err
	}
	rep, err := p.syncOnce(ctx, o)
	everything := len(o.From) == 0 && o.Only == "" && o.Budget == 0 && !rep.salvaged
	if err == nil && everything && rep.Left == 0 {
		err = p.salvage(ctx, &rep)
	}
	return rep, err
}

func (p *Pipeline) syncOnce(ctx context.Context, o Options) (Report, error) {
	defer collectLess()()
	if o.Glanced != nil {
		report, err := p.syncGrown(ctx, o)
		if !errors.Is(err, errMore) {
			return report, err
		}
		o.Glanced = nil
	}
	r := p.newRun(o)
	err := r.sync(ctx)
	r.countExpiring()
	r.report.salvaged = r.seen.Salvaged && !r.work
	if p.Library.ReadOnly() == nil && (r.work || r.moved || len(r.touched) > 0) {
		err = errors.Join(err, p.Library.Settle())
		for id, s := range r.seen.Sessions { // record where moved folders are now
			if e, err := r.Library.Session(id); err == nil {
				r.keepPage(e, s.Page)
			}
		}
	}
	if err == nil {
		err = r.indexReceived(ctx)
	}
	if err == nil {
		var tidying errgroup.Group // concurrent with reads of the index
		if r.untidy && !r.late() {
			tidying.Go(func() error { return r.Index.Tidy(context.WithoutCancel(ctx)) })
		}
		err = r.relateTimed(ctx, func() { tidying.Wait() })
		err = errors.Join(err, tidying.Wait())
	}
	for id, f := range r.seen.Faults { // known faults that weren't retried; with From, only those of the sessions named
		if all := len(r.options.From) == 0 && o.salvaged == nil; !r.failed[id] && (all || r.found[id]) {
			r.report.Problems = append(r.report.Problems, ingest.Problem{Path: f.Path, Reason: f.Reason})
		}
	}
	r.sayUnusable()
	return r.report, r.keepGlance(errors.Join(err, r.seen.save()))
}

// countExpiring counts the sessions that the client deletes soon, and those of them that the library doesn't hold in
// their current state. What this run has seen needn't be asked of the library.
func (r *intake) countExpiring() {
	r.report.Expiring = len(r.expiring)
	for _, f := range r.expiring {
		if r.seen.has(f) || r.of.forgotten(f) {
			continue
		}
		if state, _ := r.of.Library.Safe(f); state != library.Safe {
			r.report.Unsafe++
		}
	}
}

// intake is an Archive, or the archiving part of a Sync, in progress.
type intake struct {
	of      *Archiver
	options Options
	start   time.Time

	found    map[ingest.SessionID]bool     // at the sources
	gone     map[ingest.SessionID][]string // paths that no longer exist
	expiring []ingest.Found                // that the client deletes soon
	memories []ingest.Found                // what clients remember beside their sessions

	mu      sync.Mutex // guards what follows
	seen    *seen
	report  Report
	touched map[ingest.SessionID][]ingest.Found // archived in this run, or possibly unfinished
	work    bool                                // something touched needs distilling, or might
	left    map[ingest.SessionID][]ingest.Found // for the next run; with what was found if not archived yet
}

func (p *Archiver) intake(o Options, seen *seen) *intake {
	x := p.exclusion()
	for id, rule := range seen.Excluded {
		if !x.Has(rule) {
			seen.drop(id)
		}
	}
	return &intake{of: p, options: o, start: time.Now(), seen: seen, found: map[ingest.SessionID]bool{},
		gone: map[ingest.SessionID][]string{}, touched: map[ingest.SessionID][]ingest.Found{},
		left: map[ingest.SessionID][]ingest.Found{}}
}

// run is a Sync, or a part of one, in progress.
type run struct {
	*Pipeline
	*intake

	edited map[ingest.SessionID]bool // payload.md differs from what recall wrote
	noted  map[ingest.SessionID]bool // notes arrived after the payload was made
	broke  bool                      // the last run was interrupted
	lost   bool                      // a session's folder is gone from the library
	moved  bool                      // a session's folder isn't where it belongs
	lines  writtenLines              // of payloads
	untidy bool                      // enough was indexed to make Tidy worthwhile

	// guarded by mu
	failed  map[ingest.SessionID]bool // couldn't be distilled in this run
	counted map[ingest.SessionID]bool // in the report as distilled
	waiting []ingest.SessionID        // sessions put off because they are being written to
	current map[ingest.SessionID]bool // known to be in the index as they are in the library and at the source
	again   bool                      // something failed that may succeed next time
}

func (p *Pipeline) newRun(o Options) *run { return p.runOver(o, openSeen(p.seenPath(), p.version())) }

func (p *Pipeline) runOver(o Options, seen *seen) *run {
	return &run{Pipeline: p, intake: p.intake(o, seen),
		lines:  writtenLines{index: p.Index, of: map[int64]written{}},
		edited: map[ingest.SessionID]bool{}, noted: map[ingest.SessionID]bool{},
		failed: map[ingest.SessionID]bool{}, counted: map[ingest.SessionID]bool{}, current: map[ingest.SessionID]bool{}}
}

func (r *run) sync(ctx context.Context) error {
	pages := make(chan []ingest.SessionID, 1)
	go func() { pages <- r.changedPages() }() // many files to look at, as in the search
	found := r.find(ctx)
	r.handEdited(<-pages)
	changed := r.discover(ctx, found)
	interrupted := r.unfinished().isSet()
	r.broke = interrupted
	r.work = len(r.edited) > 0 || interrupted || r.options.Reindex || r.lost || len(r.options.From) == 0 && r.retry()
	if len(changed) == 0 && !r.work {
		r.lookAtKeys()
		if r.fold(); len(r.noted) == 0 {
			return ctx.Err()
		}
		r.work = true
	}
	if err := r.Library.ReadOnly(); err != nil {
		if r.options.Reindex { // the index isn't in the library
			_, err = r.distill(ctx)
		}
		return err
	}
	marked := r.unfinished().set() // archive even if the cache can't be written
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
		if err := errors.Join(r.nameQuiet(), r.Library.Settle(), r.journal()); err != nil {
			return err
		}
	}
	r.countLeft()
	if left || r.again {
		return nil // keep the mark: what was archived waits for the next run
	}
	return r.unfinished().clear()
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
func (r *run) journal() error {
	rep := &r.report
	return r.Library.Journal("sync", map[string]any{
		"new": rep.New, "grown": rep.Grown, "vanished": rep.Vanished, "distilled": rep.Distilled, "edited": rep.Edited,
		"bytes": rep.Bytes, "skipped": len(rep.Problems), "ms": time.Since(r.start).Milliseconds()})
}

// foundIn is what a reader found in one of the folders that are searched.
type foundIn struct {
	root     string
	sessions []ingest.Found
	memory   ingest.Found // what the client remembers beside them
	problems []ingest.Problem
}

// find searches the sources.
func (r *intake) find(ctx context.Context) (all []foundIn) {
	if r.options.salvaged != nil || r.options.Reindex || r.options.Only != "" {
		return nil
	}
	r.of.each(ctx, r.options.From, r.seen.session, func(root string, found []ingest.Found, memory ingest.Found,
		problems []ingest.Problem) {
		all = append(all, foundIn{root, found, memory, problems})
	})
	return all
}

// discover lists the sessions of all sources that changed since they were last processed.
func (r *intake) discover(ctx context.Context, all []foundIn) []ingest.Found {
	if r.options.salvaged != nil {
		return r.options.salvaged
	}
	if r.options.Reindex || r.options.Only != "" {
		return nil
	}
	var changed, owned []ingest.Found
	var places []string // the sources' own
	for _, in := range all {
		found := in.sessions
		r.report.Found += len(found)
		r.report.Problems = append(r.report.Problems, in.problems...)
		if len(in.memory.Files) > 0 {
			found, r.memories = append(found, in.memory), append(r.memories, in.memory)
		}
		if len(r.options.From) == 0 {
			r.expiring = append(r.expiring, expiring(found, r.of.Time(), soon)...)
			places, owned = append(places, in.root), append(owned, found...)
		}
		for _, f := range found {
			r.found[f.ID] = true
			if !r.seen.has(f) {
				changed = append(changed, f)
			}
		}
	}
	if ctx.Err() == nil { // otherwise the search was incomplete
		maps.DeleteFunc(r.seen.Files, func(_ string, f seenFile) bool {
			left := r.seen.Excluded[f.Session] != "" && !r.found[f.Session] && len(r.options.From) == 0
			r.seen.dirty = r.seen.dirty || left
			return left
		})
		changed = append(changed, r.vanished(places, owned, changed)...)
	}
	// The newest first: if time runs out, what is being worked on is done.
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

func (r *intake) late() bool {
	return r.options.Budget > 0 && time.Since(r.start) > r.options.Budget
}

// archive makes the bytes of all changed sessions durable before any of them is parsed. Clients' memories come last:
// by then it is known which sessions are left out.
func (r *intake) archive(ctx context.Context, changed []ingest.Found) error {
	var memories []ingest.Found
	went := map[ingest.SessionID]bool{}
	sessions := slices.DeleteFunc(slices.Clone(changed), func(f ingest.Found) bool {
		went[f.ID] = f.Source == ingest.Memory
		return went[f.ID]
	})
	err := r.archiveAll(ctx, sessions)
	for _, m := range r.memories {
		if reader, fault := r.of.reader(m.Source); fault == nil {
			m, _ = reader.(ingest.Keeper).Memory(m.Root, r.of.unwanted(r.seen.Excluded)) // problems were reported
		}
		if went[m.ID] || !r.seen.has(m) {
			memories = append(memories, m)
		}
	}
	return cmp.Or(err, r.archiveAll(ctx, memories))
}

func (r *intake) archiveAll(ctx context.Context, changed []ingest.Found) error {
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
			r.of.Tell(Progress{Stage: "archive", Done: done, Total: len(sessions), Bytes: r.report.Bytes})
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
func (r *intake) archiveOne(ctx context.Context, f ingest.Found) error {
	_, unknown := r.of.Library.Session(f.ID)
	var change library.Change
	rule, err := r.of.Excludes(ctx, f)
	if err == nil && rule == "" {
		change, err = r.of.Library.Archive(ctx, f)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case rule != "":
		r.report.Excluded++
		r.seen.Excluded[f.ID] = rule
		r.seen.add(f)
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
		delete(r.seen.Files, path)
		r.seen.dirty = true
	}
	// Files that couldn't be read are tried, and reported, again next time.
	f.Files = slices.DeleteFunc(slices.Clone(f.Files), func(file ingest.File) bool {
		return slices.ContainsFunc(change.Problems, func(p ingest.Problem) bool { return p.Path == file.Path })
	})
	r.report.Bytes += change.Bytes
	r.report.Problems = append(r.report.Problems, change.Problems...)
	if f.Source == ingest.Memory { // it is only archived
		r.seen.Salvaged = false
		r.seen.add(f)
		return nil
	}
	r.touched[f.ID] = append(r.touched[f.ID], f)
	r.work = r.work || !change.Unchanged || !r.seen.has(f)
	switch {
	case change.Unchanged:
	case errors.Is(unknown, library.ErrNoSession):
		r.report.New++
	case len(change.New)+len(change.Grown)+len(change.Rewritten) > 0:
		r.report.Grown++
	default:
		r.report.Vanished++
	}
	return nil
}

func (r *intake) count(change func(*Report)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.report)
}

func (r *intake) problem(path string, err error) {
	r.count(func(rep *Report) { rep.problem(path, err) })
}

// each calls do for every folder that may hold sessions (from, or else the sources' roots) with the sessions that
// its reader finds there, what the client remembers beside them, and the problems. Files that known reports needn't
// be read again.
func (p *Archiver) each(ctx context.Context, from []string, known ingest.Seen,
	do func(root string, found []ingest.Found, memory ingest.Found, problems []ingest.Problem)) {
	for _, reader := range p.Readers {
		roots := from
		if len(from) == 0 {
			roots = p.RootsOf(reader)
		}
		for _, root := range roots {
			var memory ingest.Found
			found, problems := reader.Find(ctx, root, known)
			if k, ok := reader.(ingest.Keeper); ok && len(from) == 0 {
				var bad []ingest.Problem
				memory, bad = k.Memory(root, p.Unwanted())
				problems = append(problems, bad...)
			}
			do(root, found, memory, problems)
		}
	}
}

// Place is a folder that is searched for sessions.
type Place struct {
	Source ingest.Source `json:"source"`
	Folder string        `json:"folder"`
	There  bool          `json:"there"`
}

// Places lists the folders that are searched for sessions.
func (p Sources) Places() []Place {
	all := []Place{}
	for _, r := range p.Readers {
		for _, root := range p.RootsOf(r) {
			_, err := os.Stat(root)
			all = append(all, Place{r.Source(), root, err == nil})
		}
	}
	return all
}

// RootsOf lists the folders that a reader searches.
func (p Sources) RootsOf(reader ingest.Reader) []string {
	if roots, ok := p.Roots[reader.Source()]; ok {
		return roots
	}
	return reader.Roots()
}

// archived returns a session as the library has it, with its reader.
func (p *Archiver) archived(e library.Entry) (ingest.Reader, ingest.Found, error) {
	reader, err := p.reader(e.Source)
	if err != nil {
		return nil, ingest.Found{}, err
	}
	found, err := p.Library.Found(e.ID)
	return reader, found, err
}

// reader returns the reader of a source, for sessions read back from the library.
func (p Sources) reader(s ingest.Source) (ingest.Reader, error) {
	for _, r := range p.Readers {
		if _, keeps := r.(ingest.Keeper); r.Source() == s || keeps && s == ingest.Memory {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no reader for sessions of %q: made by a newer recall?", s)
}
