package notes

import (
	"cmp"
	"slices"
	"strings"

	"recall/payload"
)

// Join adds a note's item to a session's: to the one that says it already, which it
// strengthens, or as one more. A passage that it quotes isn't shown beside it.
func Join(items []payload.Item, note *payload.Item) []payload.Item {
	if note.Rule == payload.ClaimRule {
		return append(items, *note)
	}
	items = slices.DeleteFunc(items, func(it payload.Item) bool { return isSaidBy(&it, &note.Evidence[0]) })
	if it := sameThing(items, note); it != nil {
		strengthen(it, note)
		return items
	}
	return append(items, *note)
}

// isSaidBy reports whether a passage is little more than the words that an item quotes.
func isSaidBy(lead *payload.Item, e *payload.Evidence) bool {
	return lead.Kind == payload.Lead && lead.First().Turn == e.Turn &&
		strings.Contains(lead.Text, e.Quote) && 2*len(e.Quote) > len(lead.Text)
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

// strengthen puts an item in a note's words, which were chosen by who knew what was meant,
// and adds what the note knows beside it. Who said it stays what the transcript says.
func strengthen(it, note *payload.Item) {
	e := note.Evidence[0]
	if len(it.Evidence) < 3 &&
		!slices.ContainsFunc(it.Evidence, func(o payload.Evidence) bool { return o.Turn == e.Turn }) {
		it.Evidence = append(slices.Clone(it.Evidence), e)
	}
	if it.Kind == payload.File { // how far it is is said; that it was written isn't all
		it.Status = cmp.Or(note.Status, it.Status)
	}
	if note.Text != "" { // a request is no longer in the person's own words
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
