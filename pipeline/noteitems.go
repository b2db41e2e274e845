package pipeline

import (
	"os"
	"path/filepath"
	"slices"

	"recall/ingest"
	"recall/library"
	"recall/payload"
)

// addNotes brings a session's grounded notes into what was distilled of it: a
// note that an item says already strengthens it, any other is an item.
func (r *run) addNotes(m *made) error {
	lines, err := r.Library.Notes(m.entry.ID)
	if err != nil {
		return err
	}
	for _, n := range GroundNotes(m.session, payload.DecodeNotes(lines)) {
		if n.Item == nil {
			continue
		}
		if it := sameThing(m.fresh.Items, n.Item); it != nil {
			strengthen(it, n.Item)
		} else {
			m.fresh.Items = append(m.fresh.Items, *n.Item)
		}
	}
	slices.SortStableFunc(m.fresh.Items, func(a, b payload.Item) int {
		return slices.Index(payload.Kinds, a.Kind) - slices.Index(payload.Kinds, b.Kind)
	})
	return nil
}

// How alike two items of one kind are that say the same: with a turn in common,
// without.
const (
	likeOneTurn = 0.3
	likeAny     = 0.6
)

func sameThing(items []payload.Item, note *payload.Item) *payload.Item {
	var best *payload.Item
	most := 0.0
	for i := range items {
		it := &items[i]
		if it.Kind != note.Kind {
			continue
		}
		need := likeAny
		if slices.ContainsFunc(it.Evidence, func(e payload.Evidence) bool { return e.Turn == note.Evidence[0].Turn }) {
			need = likeOneTurn
		}
		if like := payload.Alike(it.Text, note.Text); like >= need && like > most {
			best, most = it, like
		}
	}
	return best
}

// strengthen adds to an item what a note knows beside it. Who said it stays what
// the transcript says.
func strengthen(it, note *payload.Item) {
	e := note.Evidence[0]
	if len(it.Evidence) < 3 && !slices.ContainsFunc(it.Evidence, func(o payload.Evidence) bool { return o.Turn == e.Turn }) {
		it.Evidence = append(slices.Clone(it.Evidence), e)
	}
	if it.Why == "" {
		it.Why = note.Why
	}
	if it.Scope == "" {
		it.Scope = note.Scope
	}
	if len(it.Alternatives) == 0 {
		it.Alternatives = note.Alternatives
	}
	if len(it.About) == 0 {
		it.About = note.About
	}
	if it.By == payload.ByAssistant && note.By != payload.ByAssistant {
		it.By = payload.ByBoth
	}
}

// hasNotes reports whether notes.jsonl of a session holds notes.
func (r *run) hasNotes(id ingest.SessionID) bool {
	lines, err := r.Library.Notes(id)
	return err == nil && len(payload.DecodeNotes(lines)) > 0
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
