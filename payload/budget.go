package payload

import (
	"cmp"
	"slices"
)

// heaviestKept is how many items of a kind stay while another kind has more.
const heaviestKept = 3

// cutOrder returns the indexes of the items that a budget may cut, in that order: kinds from the lowest up, in a kind
// what only the assistant said before a person's word, then the oldest first; no kind below three while another has
// more, pinned items last. The newest goal and first next action aren't among them; older goals follow the other kinds.
func cutOrder(items []Item) []int {
	var surplus, rest, pinned []int
	for _, kind := range slices.Backward(Kinds) {
		ages := lightestFirst(items, kind)
		shown := -1 // whatever the budget
		if kind == Goal && len(ages) > 0 {
			shown = ages[len(ages)-1]
		} else if kind == Next && len(ages) > 0 {
			shown = slices.Min(ages)
		}
		for place, i := range ages {
			newer := len(ages) - place // it and all after it
			switch {
			case i == shown:
			case items[i].Pinned:
				pinned = append(pinned, i)
			case newer > heaviestKept && kind != Goal:
				surplus = append(surplus, i)
			default:
				rest = append(rest, i)
			}
		}
	}
	return slices.Concat(surplus, rest, pinned)
}

func lightestFirst(items []Item, kind Kind) []int {
	var ages []int
	for i := range items {
		if items[i].Kind == kind {
			ages = append(ages, i)
		}
	}
	if kind == Next {
		slices.Reverse(ages) // of next actions equally old the first counts most
	}
	weight := func(it *Item) (telling float64, own int) {
		if kind == Lead { // the least telling go first, however old
			telling = it.Confidence
		}
		if accumulates[kind] && (it.By != ByAssistant || it.Maker == ByHuman) {
			own = 1
		}
		return telling, own
	}
	slices.SortStableFunc(ages, func(i, k int) int {
		a, ownA := weight(&items[i])
		b, ownB := weight(&items[k])
		return cmp.Or(cmp.Compare(a, b), ownA-ownB, items[i].At.Compare(items[k].At))
	})
	return ages
}
