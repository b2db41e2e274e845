package pipeline

import (
	"os"
	"path/filepath"
	"slices"

	"recall/library"
	"recall/payload"
	"recall/pipeline/notes"
)

// addNotes brings a session's grounded notes into what was distilled of it: a
// note that an item says already strengthens it, any other is an item.
func (r *run) addNotes(m *Member) error {
	lines, err := r.Library.Notes(m.Entry.ID)
	if err != nil {
		return err
	}
	for _, n := range notes.GroundNotes(m.Session, payload.DecodeNotes(lines)) {
		if n.Item != nil {
			m.fresh.Items = notes.Join(m.fresh.Items, n.Item)
		}
	}
	slices.SortStableFunc(m.fresh.Items, func(a, b payload.Item) int { return a.Kind.Order() - b.Kind.Order() })
	return nil
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
