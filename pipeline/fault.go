package pipeline

import (
	"cmp"
	"slices"

	"recall/ingest"
	"recall/library"
)

// fail reports that a session can't be distilled in its current state. The next sync tries again: the cause may have
// been the machine. A run over some sessions doesn't report others.
func (r *run) fail(e library.Entry, err error) {
	if now, err := r.p.Library.Session(e.ID); err == nil {
		e = now // it may have been moved
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.again, r.failed[e.ID] = true, true
	if r.options.whole() || r.options.Only == e.ID || r.found[e.ID] || r.touched[e.ID] != nil {
		r.report.problem(e.Folder, err)
	}
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
