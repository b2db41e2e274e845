package payload

import (
	"cmp"
	"slices"
)

// Graft returns the items of a session that grew since a model distilled it:
// what the model made of the turns up to the ordinal last, and of what rules
// find, all that stands on a later turn, and what an agent noted. old is the payload as it was saved,
// rules the new distillation; place gives a turn's ordinal, by any id that
// evidence may name, -1 for one that isn't there (any more). Neither payload is
// changed.
//
// What says where the work stands (next, status, and the state of a file) is
// said anew by the later turns. Where both say the same, the model's words stay.
func Graft(old, rules *Payload, place func(turn string) int, last int) []Item {
	newer := slices.DeleteFunc(slices.Clone(rules.Items), func(it Item) bool {
		return it.Rule != NoteRule && !slices.ContainsFunc(it.Evidence, func(e Evidence) bool { return place(e.Turn) > last })
	})
	said, paths := map[Kind]bool{}, map[string]bool{}
	for _, it := range newer {
		said[it.Kind] = true
		if it.Kind == File {
			paths[oneLine(it.Path)] = true
		}
	}
	kept := slices.DeleteFunc(slices.Clone(old.Items), func(it Item) bool {
		switch {
		case it.Kind == File && paths[oneLine(it.Path)]:
			return true
		case (it.Kind == Next || it.Kind == Status) && said[it.Kind]:
			return true
		}
		return !slices.ContainsFunc(it.Evidence, func(e Evidence) bool { at := place(e.Turn); return at >= 0 && at <= last })
	})
	before := traitsOf(kept)
	for _, t := range traitsOf(newer) {
		if !slices.ContainsFunc(before, func(b traits) bool { return b.item.Kind == t.item.Kind && sameness(&b, &t) > 0 }) {
			kept = append(kept, *t.item)
		}
	}
	slices.SortStableFunc(kept, func(a, b Item) int {
		return cmp.Or(a.Kind.Order()-b.Kind.Order(), a.At.Compare(b.At))
	})
	for i := range kept {
		kept[i].ID, kept[i].Pinned = "", false // Inherit gives them back
	}
	return kept
}
