package pipeline

import (
	"os"
	"path/filepath"
	"slices"

	"recall/distill"
	"recall/library"
	"recall/library/inbox"
	"recall/payload"
	"recall/pipeline/notes"
)

// addNotes adds a session's grounded notes to its fresh payload.
func (r *run) addNotes(m *Member) error {
	lines, err := r.p.Library.Notes(m.Entry.ID)
	if err != nil {
		return err
	}
	m.noted = nil
	for _, n := range notes.GroundNotes(m.Session, payload.DecodeNotes(lines)) {
		if n.Item != nil {
			m.noted = append(m.noted, n.Item)
		}
	}
	m.fresh.Items = withNotes(m.fresh.Items, m.noted)
	if len(m.noted) > 0 { // what a distiller returns holds
		distill.Hold(m.Session, m.fresh)
	}
	return nil
}

// withNotes adds noted items to a session's items: a note strengthens an item that already says the same, and
// otherwise becomes an item itself.
func withNotes(items []payload.Item, noted []*payload.Item) []payload.Item {
	for _, it := range noted {
		items = notes.Join(items, it)
	}
	slices.SortStableFunc(items, func(a, b payload.Item) int { return a.Kind.Order() - b.Kind.Order() })
	return items
}

// notesLater reports whether notes were added after the payload was saved.
func notesLater(e library.Entry) bool {
	notes, err := os.Stat(filepath.Join(e.Folder, "notes.jsonl"))
	if err != nil {
		return false
	}
	saved := e.Made()
	return !saved.IsZero() && notes.ModTime().After(saved)
}

// fold moves notes from the inbox to their sessions. One that fails is reported as a problem and stays in the inbox.
func (r *run) fold() {
	if r.p.Library.ReadOnly() != nil {
		return
	}
	f, err := inbox.Fold(r.p.Library)
	for _, id := range f.Sessions {
		if lines, err := r.p.Library.Notes(id); err == nil && len(payload.DecodeNotes(lines)) > 0 {
			r.noted[id] = true // not just hook events
		}
	}
	r.report.Problems = append(r.report.Problems, f.Problems...)
	if err != nil {
		r.report.problem(filepath.Join(r.p.Library.Dir(), "inbox"), err)
	}
}
