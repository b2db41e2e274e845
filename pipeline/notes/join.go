package notes

import (
	"cmp"
	"slices"
	"strings"

	"recall/payload"
)

// Join adds a note's item to a session's items: it strengthens the one that already says the same, or is appended. A
// lead that only repeats its quote is removed.
func Join(items []payload.Item, note *payload.Item) []payload.Item {
	if note.Rule == payload.ClaimRule {
		return append(items, *note)
	}
	e := &note.Evidence[0]
	items = slices.DeleteFunc(items, func(it payload.Item) bool { // little more than the words that the note quotes
		return it.Kind == payload.Lead && it.First().Turn == e.Turn && strings.Contains(it.Text, e.Quote) &&
			2*len(e.Quote) > len(it.Text)
	})
	if it := sameThing(items, note); it != nil {
		strengthen(it, note)
		return items
	}
	return append(items, *note)
}

// How alike two items of one kind must be to count as the same.
const (
	likeOneTurn = 0.3 // with a turn in common
	likeAny     = 0.6 // otherwise
)

func sameThing(items []payload.Item, note *payload.Item) *payload.Item {
	var best *payload.Item
	most := 0.0
	for i := range items {
		it := &items[i]
		if it.Kind != note.Kind {
			continue
		}
		if it.Kind == payload.File && name(it.Path) != "" && strings.HasSuffix("/"+it.Path, "/"+note.Path) {
			return it
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

// strengthen gives an item the note's wording, chosen by someone who knew what was meant, and adds what else the
// note knows. Who said it stays as in the transcript.
func strengthen(it, note *payload.Item) {
	e := note.Evidence[0]
	if len(it.Evidence) < 3 &&
		!slices.ContainsFunc(it.Evidence, func(o payload.Evidence) bool { return o.Turn == e.Turn }) {
		it.Evidence = append(slices.Clone(it.Evidence), e)
	}
	if it.Kind == payload.File { // the note knows how far the file is, not just that it was written
		it.Status = cmp.Or(note.Status, it.Status)
	}
	if note.Text != "" { // the item no longer has the person's own words
		it.Text, it.Rule = note.Text, note.Rule
	}
	it.Why = cmp.Or(note.Why, it.Why)
	it.Scope = cmp.Or(it.Scope, note.Scope)
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
