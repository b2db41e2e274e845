package pipeline

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// A fault is why a session can't be distilled. It is reported by every sync,
// and tried again only when the session, its payload.md or what distills it has
// changed, or after faultRest: the cause may have been the machine.
type fault struct {
	At     time.Time // when it was last tried
	Stamp  string    // what was tried: see Pipeline.stamp
	Page   fileStat  // payload.md as it was then
	Path   string
	Reason string
}

// faultRest is long against the seconds between two queries.
const faultRest = time.Hour

// fail notes that a session can't be distilled as it is. What isn't the
// session's fault is tried again by the next sync.
func (r *run) fail(e library.Entry, stamp string, err error) {
	if now, err := r.Library.Session(e.ID); err == nil {
		e = now // it may have been moved
	}
	r.problem(e.Folder, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed[e.ID] = true
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
	// The machine's of this moment: told to end, no room, or somebody else at work, who may be moving its folder.
	taken := errors.Is(err, library.ErrBusy) || errors.Is(err, library.ErrNoSession)
	if stopped || missing || taken || disk.IsFull(err) {
		r.again = true
		return
	}
	page := statPage(filepath.Join(e.Folder, "payload.md"))
	r.seen.Faults[e.ID] = fault{At: r.Time(), Stamp: stamp, Page: page, Path: e.Folder, Reason: err.Error()}
	for _, f := range r.touched[e.ID] {
		r.seen.add(f)
	}
	r.seen.dirty = true
}

// rests reports whether it is known that distilling a session now would fail.
func (r *run) rests(e library.Entry, stamp string) bool {
	f, ok := r.seen.Faults[e.ID]
	return ok && !r.options.Reindex && r.options.Only != e.ID && f.Stamp == stamp && !f.due(r.Time()) &&
		f.Page == statPage(filepath.Join(e.Folder, "payload.md"))
}

func (f fault) due(now time.Time) bool {
	since := now.Sub(f.At)
	return since >= faultRest || since < 0
}

// retry reports whether a fault is to be tried again.
func (r *run) retry() bool {
	now := r.Time()
	for _, f := range r.seen.Faults {
		if f.due(now) {
			return true
		}
	}
	return false
}

// sayUnusable reports the library's folders that can't be used, in each run anew: what
// is new for them can go nowhere.
func (r *intake) sayUnusable() {
	if r.options.Only == "" {
		r.report.Problems = append(r.report.Problems, r.of.Library.Unusable()...)
	}
	slices.SortStableFunc(r.report.Problems, func(a, b ingest.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason))
	})
	r.report.Problems = slices.Compact(r.report.Problems)
}
