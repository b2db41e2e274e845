package pipeline

import (
	"path/filepath"

	"recall/payload"
)

// fold brings what waits in the inbox into the notes of its sessions. What goes
// wrong is a problem of the report: it waits on.
func (r *run) fold() {
	if r.Library.ReadOnly() != nil {
		return
	}
	f, err := r.Library.FoldInbox()
	r.report.Notes += f.Notes
	for _, id := range f.Sessions {
		if lines, err := r.Library.Notes(id); err == nil && len(payload.DecodeNotes(lines)) > 0 {
			r.noted[id] = true // and not hook events alone
		}
	}
	r.report.Problems = append(r.report.Problems, f.Problems...)
	if err != nil {
		r.report.problem(filepath.Join(r.Library.Dir(), "inbox"), err)
	}
}
