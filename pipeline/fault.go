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
	"recall/internal/hint"
	"recall/library"
)

// A fault is why a session can't be distilled. Every sync reports it, but retries only if the session, its
// payload.md or the distiller has changed, or after faultRest: the cause may have been the machine.
type fault struct {
	At     time.Time // when it was last tried
	Stamp  string    // what was tried: see madeStamp
	Page   string    // mark of payload.md at the time
	Path   string
	Reason string
}

// faultRest is long compared with the seconds between two queries.
const faultRest = time.Hour

// fail records that a session can't be distilled in its current state. If that isn't the session's fault, the next
// sync retries.
func (r *run) fail(e library.Entry, stamp string, err error) {
	if now, err := r.p.Library.Session(e.ID); err == nil {
		e = now // it may have been moved
	}
	r.problem(e.Folder, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed[e.ID] = true
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
	// Temporary: interrupted, no disk space, or another process at work, perhaps moving the folder.
	taken := errors.Is(err, library.ErrBusy) || errors.Is(err, library.ErrNoSession)
	if stopped || missing || taken || hint.IsFull(err) {
		r.again = true
		return
	}
	page := markOf(filepath.Join(e.Folder, "payload.md"))
	r.seen.setFault(e.ID, fault{At: r.p.Time(), Stamp: stamp, Page: page, Path: e.Folder, Reason: err.Error()})
	r.keepKey(e.ID)
	for _, f := range r.touched[e.ID] {
		r.seen.add(f, true)
	}
}

// knownToFail reports whether distilling a session now would fail as it did before.
func (r *run) knownToFail(e library.Entry, stamp string) bool {
	f, ok := r.seen.faults[e.ID]
	return ok && !r.options.Reindex && r.options.Only != e.ID && f.Stamp == stamp && !f.due(r.p.Time()) &&
		f.Page == markOf(filepath.Join(e.Folder, "payload.md"))
}

func (f fault) due(now time.Time) bool {
	since := now.Sub(f.At)
	return since >= faultRest || since < 0
}

// retry reports whether any fault is due for a retry.
func (r *run) retry() bool {
	now := r.p.Time()
	for _, f := range r.seen.faults {
		if f.due(now) {
			return true
		}
	}
	return false
}

// sayUnusable reports, in every run, the library's folders that can't be used: nothing new can be stored in them.
func (r *run) sayUnusable() {
	if r.options.Only == "" {
		r.report.Problems = append(r.report.Problems, r.p.Library.Unusable()...)
	}
	slices.SortStableFunc(r.report.Problems, func(a, b ingest.Problem) int {
		return cmp.Compare(a.Error(), b.Error())
	})
	r.report.Problems = slices.CompactFunc(r.report.Problems, func(a, b ingest.Problem) bool {
		return a.Error() == b.Error()
	})
}
