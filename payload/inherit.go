package payload

import (
	"cmp"
	"slices"
	"strings"

	"recall/internal/text"
)

// Thresholds for recognizing an old item in a new distillation; with an evidence turn in common, less likeness is
// enough. They come from the annotators' pairs of the gold sets (286 same, 325 not), where each session's texts of
// one annotator inherited from the other's: see TestInheritOnGoldPairs.
const (
	likeInTurn   = 0.25 // likeness of texts with a common turn
	likeInQuote  = 0.10 // likeness of texts with a common turn and most of the quote
	quoteInTurn  = 0.60 // "most of the quote"
	likeAnywhere = 0.60 // likeness of texts without a common turn
)

// Inherit gives the items of a new distillation their ids. Those that say what an old item said, perhaps in other
// words, get its id, its pin, and its aliases if they have none; the others are minted one. Old items without a
// counterpart go to updated.Retired, from where they can come back with their id; only what a person wrote, changed
// or pinned stands without one. The record of the last written page is carried over as well. old is not changed and
// may be nil. Apply with the same edits then restores what a person did: a dropped item was retired, gets its id back
// here, and is dropped again.
func Inherit(old, updated *Payload) {
	if old == nil {
		old = new(Payload)
	}
	before := slices.Concat(old.Items, old.Retired)
	taken := map[ItemID]bool{}
	for _, it := range before {
		taken[it.ID] = true
	}
	for _, id := range old.WrittenIDs {
		taken[id] = true
	}
	found := make([]bool, len(before))
	for i, k := range pairItems(before, updated.Items) {
		if k < 0 {
			continue
		}
		found[k] = true
		updated.Items[i].ID = before[k].ID
		updated.Items[i].Pinned = updated.Items[i].Pinned || before[k].Pinned
		if len(updated.Items[i].Aliases) == 0 {
			updated.Items[i].Aliases = before[k].Aliases
		}
	}
	Mint(updated.Session, updated.Items, taken)
	for k, it := range before {
		switch {
		case found[k]:
		case k < len(old.Items) && (it.Pinned || it.Maker == ByHuman):
			updated.Items = insertByKind(updated.Items, it)
		default:
			it.State = Retired
			updated.Retired = append(updated.Retired, it)
		}
	}
	sortRetired(updated.Retired)
	if updated.Written == "" {
		updated.Written, updated.WrittenIDs = old.Written, old.WrittenIDs
	}
}

// pairItems returns for each new item the index of the old one that it repeats, or -1: identical items first, those of
// the same kind before others (one sentence may be both a goal and a decision), then the best matches among the rest.
func pairItems(old, updated []Item) []int {
	pairs := slices.Repeat([]int{-1}, len(updated))
	if len(old) == 0 {
		return pairs
	}
	used := make([]bool, len(old))
	pairSame(old, updated, pairs, used, func(it *Item) string { return string(it.Kind) + "\x00" + identity(it) })
	pairSame(old, updated, pairs, used, identity)
	if !slices.Contains(pairs, -1) {
		return pairs
	}
	before, after := traitsOf(old), traitsOf(updated)
	pairBest(pairs, used, func(i, k int) float64 { return sameness(&before[k], &after[i]) })
	return pairs
}

// pairSame pairs the remaining items with equal keys, in order.
func pairSame(old, updated []Item, pairs []int, used []bool, key func(*Item) string) {
	left := map[string][]int{}
	for k := range old {
		if !used[k] {
			left[key(&old[k])] = append(left[key(&old[k])], k)
		}
	}
	for i := range updated {
		if pairs[i] >= 0 {
			continue
		}
		if k := key(&updated[i]); len(left[k]) > 0 {
			pairs[i], used[left[k][0]], left[k] = left[k][0], true, left[k][1:]
		}
	}
}

// identity is the same for two distillations of an item in the same words.
func identity(it *Item) string {
	return strings.Join([]string{it.First().Turn, cmp.Or(it.Was, it.Text), it.Path}, "\x00")
}

// itemTraits are what items are compared by.
type itemTraits struct {
	item   *Item
	said   []text.Bag // the text; the text with the reason; the text before a person changed it
	quotes map[string]text.Bag
}

func traitsOf(items []Item) []itemTraits {
	var out []itemTraits
	for i := range items {
		it := &items[i]
		t := itemTraits{item: it, quotes: map[string]text.Bag{}}
		t.said = append(t.said, text.Words(it.Text+" "+it.Path))
		if it.Why != "" {
			t.said = append(t.said, text.Words(it.Text+" "+it.Path+" "+it.Why))
		}
		if it.Was != "" {
			t.said = append(t.said, text.Words(it.Was+" "+it.Path))
		}
		for _, e := range it.Evidence {
			t.quotes[e.Turn] = text.Words(e.Quote)
		}
		out = append(out, t)
	}
	return out
}

// sameness scores how likely two items are the same, 0 if they aren't.
func sameness(a, b *itemTraits) float64 {
	if a.item.Kind == File && b.item.Kind == File && a.item.Path != "" && b.item.Path != "" {
		if oneLine(a.item.Path) == oneLine(b.item.Path) {
			return 2
		}
		return 0
	}
	said := 0.0
	for _, x := range a.said {
		for _, y := range b.said {
			said = max(said, x.Like(y))
		}
	}
	inTurn, quote := false, 0.0
	for turn, q := range a.quotes {
		if other, ok := b.quotes[turn]; ok {
			inTurn, quote = true, max(quote, q.Like(other))
		}
	}
	same := said >= likeAnywhere || inTurn && (said >= likeInTurn || said >= likeInQuote && quote >= quoteInTurn)
	if !same {
		return 0
	}
	score := said + quote/2
	if inTurn {
		score += 0.25
	}
	if a.item.Kind == b.item.Kind {
		score += 0.1
	}
	return score
}

func insertByKind(items []Item, it Item) []Item {
	at := slices.IndexFunc(items, func(other Item) bool { return other.Kind.Order() > it.Kind.Order() })
	if at < 0 {
		at = len(items)
	}
	return slices.Insert(items, at, it)
}

// ExtendModelItems returns the items of a session that grew since a model distilled it: the model's items from turns
// up to the ordinal last, and the rules' items with evidence in later turns, except notes, which the caller adds. old
// is the saved payload and rules the new distillation; neither is changed. place returns the ordinal of a turn by any
// id that evidence may name, or -1 if it is gone.
//
// Later turns replace what says where the work stands (next, status, and the state of a file). Where both say the
// same, the model's wording stays.
func ExtendModelItems(old, rules *Payload, place func(turn string) int, last int) []Item {
	newer := slices.DeleteFunc(slices.Clone(rules.Items), func(it Item) bool {
		later := func(e Evidence) bool { return place(e.Turn) > last }
		return it.Rule == NoteRule || !slices.ContainsFunc(it.Evidence, later)
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
		before := func(e Evidence) bool { at := place(e.Turn); return at >= 0 && at <= last }
		return !slices.ContainsFunc(it.Evidence, before)
	})
	before := traitsOf(kept)
	for _, t := range traitsOf(newer) {
		said := func(b itemTraits) bool { return b.item.Kind == t.item.Kind && sameness(&b, &t) > 0 }
		if !slices.ContainsFunc(before, said) {
			kept = append(kept, *t.item)
		}
	}
	slices.SortStableFunc(kept, func(a, b Item) int {
		if at := a.Kind.Order() - b.Kind.Order(); at != 0 || a.Kind == File {
			return at
		}
		return a.At.Compare(b.At)
	})
	for i := range kept {
		kept[i].ID, kept[i].Pinned = "", false // Inherit restores them
	}
	return kept
}

// pairBest pairs what remains one to one, the likeliest pairs first. pairs has the old index of each new one, or -1;
// used tells which old ones are taken. A score of 0 means that the two aren't the same.
func pairBest(pairs []int, used []bool, score func(i, k int) float64) {
	type pair struct {
		i, k  int
		score float64
	}
	var all []pair
	for i := range pairs {
		for k := range used {
			if pairs[i] >= 0 || used[k] {
				continue
			}
			if s := score(i, k); s > 0 {
				all = append(all, pair{i, k, s})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	for _, p := range all {
		if pairs[p.i] < 0 && !used[p.k] {
			pairs[p.i], used[p.k] = p.k, true
		}
	}
}

// Alike returns how similar two texts are, from 0 to 1.
func Alike(a, b string) float64 { return text.Words(a).Like(text.Words(b)) }
