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

// Options say what a sync looks at.
type Options struct {
	From   []string         // files and folders instead of the sources' own roots
	Budget time.Duration    // stop taking in more after this long; 0 is no limit
	Only   ingest.SessionID // look at the sources of no session, and at this one's hand edits alone
	// leave sessions alone whose files were written to within this time; they are archived all the same
	Quiet   time.Duration
	Reindex bool // index everything again, from the library alone
	// nothing is looked at but the sessions that it shows to have grown
	Glanced *Glance

	salvaged []ingest.Found // nothing but these is looked at
}

// Sync takes in what is new: it finds the sessions, archives those that
// changed, distills and indexes them. What it can't read is a Problem of the
// report; the error is for faults that stopped it.
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
		for id, s := range r.seen.Sessions { // where the folders are now that were moved
			if e, err := r.Library.Session(id); err == nil {
				r.keepPage(e, s.Page)
			}
		}
	}
	if err == nil {
		err = r.indexReceived(ctx)
	}
	if err == nil {
		var tidying errgroup.Group // beside what is only read of the index
		if r.untidy && !r.late() {
			tidying.Go(func() error { return r.Index.Tidy(context.WithoutCancel(ctx)) })
		}
		err = r.relateTimed(ctx, func() { tidying.Wait() })
		err = errors.Join(err, tidying.Wait())
	}
	for id, f := range r.seen.Faults { // those that were left alone; with From it is asked about those sessions alone
		if all := len(r.options.From) == 0 && o.salvaged == nil; !r.failed[id] && (all || r.found[id]) {
			r.report.Problems = append(r.report.Problems, ingest.Problem{Path: f.Path, Reason: f.Reason})
		}
	}
	r.sayUnusable()
	return r.report, r.keepGlance(errors.Join(err, r.seen.save()))
}

// countExpiring says how many sessions the client deletes soon, and how many of those the library
// doesn't hold as they are. It does what was seen: that isn't asked of it.
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

// intake is what takes bytes in, at work.
type intake struct {
	of      *Archiver
	options Options
	start   time.Time

	found    map[ingest.SessionID]bool     // at the sources
	gone     map[ingest.SessionID][]string // paths that aren't there any more
	expiring []ingest.Found                // that the client deletes soon
	memories []ingest.Found                // of clients

	mu      sync.Mutex // guards what follows
	seen    *seen
	report  Report
	touched map[ingest.SessionID][]ingest.Found // archived in this run, or not known to be finished
	work    bool                                // something touched is to be distilled, or may be
	left    map[ingest.SessionID][]ingest.Found // for the next time; as found if not even archived
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

// run is a sync at work, or a part of one.
type run struct {
	*Pipeline
	*intake

	edited map[ingest.SessionID]bool // payload.md isn't as it was written
	noted  map[ingest.SessionID]bool // an agent's notes came since the payload was made
	broke  bool                      // the last run was interrupted
	lost   bool                      // a session's folder isn't in the library any more
	moved  bool                      // a session's folder isn't where it belongs
	lines  writtenLines              // of payloads
	untidy bool                      // so much was put into the index that it is to be tidied

	// guarded by mu
	failed  map[ingest.SessionID]bool // can't be distilled, as this run found
	told    map[ingest.SessionID]bool // counted as distilled
	waiting []ingest.SessionID        // sessions left alone because they are being written to
	as      map[ingest.SessionID]bool // in the index as the library and their sources are, so far as is known
	again   bool                      // something failed that may go well the next time
}

func (p *Pipeline) newRun(o Options) *run { return p.runOver(o, openSeen(p.seenPath(), p.version())) }

func (p *Pipeline) runOver(o Options, seen *seen) *run {
	return &run{Pipeline: p, intake: p.intake(o, seen),
		lines:  writtenLines{index: p.Index, of: map[int64]written{}},
		edited: map[ingest.SessionID]bool{}, noted: map[ingest.SessionID]bool{},
		failed: map[ingest.SessionID]bool{}, told: map[ingest.SessionID]bool{}, as: map[ingest.SessionID]bool{}}
}

func (r *run) sync(ctx context.Context) error {
	r.handEdited()
	changed := r.discover(ctx)
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
	marked := r.unfinished().set() // a cache that can't be written to costs no bytes
	if err := errors.Join(r.archive(ctx, changed), marked); err != nil {
		return err
	}
	r.fold()
	r.work = r.work || len(r.left) > 0 // what the index has of them is told
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
		return nil // the mark stays: what was archived waits for the next run
	}
	return r.unfinished().clear()
}

// countLeft says how many sessions are left for the next time.
func (r *run) countLeft() {
	for _, id := range r.waiting {
		r.left[id] = nil
	}
	r.report.Left = len(r.left)
	for id := range r.left {
		if r.as[id] {
			r.report.Outdated++
		}
	}
}

// journal notes what was done.
func (r *run) journal() error {
	rep := &r.report
	return r.Library.Journal("sync", map[string]any{
		"new": rep.New, "grown": rep.Grown, "vanished": rep.Vanished, "distilled": rep.Distilled, "edited": rep.Edited,
		"bytes": rep.Bytes, "skipped": len(rep.Problems), "ms": time.Since(r.start).Milliseconds()})
}

// discover lists the sessions of all sources that aren't as last taken in.
func (r *intake) discover(ctx context.Context) []ingest.Found {
	if r.options.salvaged != nil {
		return r.options.salvaged
	}
	if r.options.Reindex || r.options.Only != "" {
		return nil
	}
	var changed, owned []ingest.Found
	var places []string // the sources' own
	r.of.each(ctx, r.options.From, r.seen.session, func(root string, found []ingest.Found, memory ingest.Found,
		problems []ingest.Problem) {
		r.report.Found += len(found)
		r.report.Problems = append(r.report.Problems, problems...)
		if len(memory.Files) > 0 {
			found, r.memories = append(found, memory), append(r.memories, memory)
		}
		if len(r.options.From) == 0 {
			r.expiring = append(r.expiring, expiring(found, r.of.Time(), soon)...)
			places, owned = append(places, root), append(owned, found...)
		}
		for _, f := range found {
			r.found[f.ID] = true
			if !r.seen.has(f) {
				changed = append(changed, f)
			}
		}
	})
	if ctx.Err() == nil { // else not all was found
		maps.DeleteFunc(r.seen.Files, func(_ string, f seenFile) bool {
			left := r.seen.Excluded[f.Session] != "" && !r.found[f.Session] && len(r.options.From) == 0
			r.seen.dirty = r.seen.dirty || left
			return left
		})
		changed = append(changed, r.vanished(places, owned, changed)...)
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

func (r *intake) late() bool {
	return r.options.Budget > 0 && time.Since(r.start) > r.options.Budget
}

// archive makes the bytes of all changed sessions durable, before any of them
// is parsed. What clients remember beside comes last: which sessions are left out is known then.
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
			m, _ = reader.(ingest.Keeper).Memory(m.Root, r.of.unwanted(r.seen.Excluded)) // problems were told
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

// bySession puts together what was found of one session in several places.
// They are archived one after the other: the library numbers their versions.
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

// PathOf is what a session is known by at its source: its first file.
func PathOf(f ingest.Found) string {
	if len(f.Files) > 0 {
		first := f.Files[0]
		return cmp.Or(first.Path, filepath.Join(f.Root, filepath.FromSlash(first.Name))) // of one that is kept in part
	}
	return f.Root
}

// archiveOne archives what was found of a session. A fault of its own is reported and
// skipped; the error is one of the library, which stops the run.
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
	// Files that could not be read are looked at again the next time, and reported again.
	f.Files = slices.DeleteFunc(slices.Clone(f.Files), func(file ingest.File) bool {
		return slices.ContainsFunc(change.Problems, func(p ingest.Problem) bool { return p.Path == file.Path })
	})
	r.report.Bytes += change.Bytes
	r.report.Problems = append(r.report.Problems, change.Problems...)
	if f.Source == ingest.Memory { // nothing is made of it
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

// each calls do for every folder that sessions are looked for in, the sources' own
// unless others are named, with what its reader finds there, what its client remembers
// beside its sessions, and what it has problems with; files that are known needn't be
// read again.
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

// Place is a folder where sessions are looked for.
type Place struct {
	Source ingest.Source `json:"source"`
	Folder string        `json:"folder"`
	There  bool          `json:"there"`
}

// Places lists where sessions are looked for.
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

// RootsOf lists the folders that a reader's sessions are looked for in.
func (p Sources) RootsOf(reader ingest.Reader) []string {
	if roots, ok := p.Roots[reader.Source()]; ok {
		return roots
	}
	return reader.Roots()
}

// archived is a session as the library has it, with its reader.
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
