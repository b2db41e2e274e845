package pipeline

import (
	"os"
	"path/filepath"
	"slices"

	"recall/library"
	"recall/payload"
	"recall/pipeline/notes"
)

// addNotes brings a session's grounded notes into what was distilled of it.
func (r *run) addNotes(m *Member) error {
	lines, err := r.Library.Notes(m.Entry.ID)
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
	return nil
}

// withNotes are a session's items with what was noted: a note that an item says already
// strengthens it, any other is an item.
func withNotes(items []payload.Item, noted []*payload.Item) []payload.Item {
	for _, it := range noted {
		items = notes.Join(items, it)
	}
	slices.SortStableFunc(items, func(a, b payload.Item) int { return a.Kind.Order() - b.Kind.Order() })
	return items
}

// notesLater reports whether something was noted after the payload was saved.
func notesLater(e library.Entry) bool {
	notes, err := os.Stat(filepath.Join(e.Folder, "notes.jsonl"))
	if err != nil {
		return false
	}
	saved, err := os.Stat(filepath.Join(e.Folder, "payload.json"))
	return err == nil && notes.ModTime().After(saved.ModTime())
}

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
