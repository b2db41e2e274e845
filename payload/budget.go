package payload

import (
	"slices"
	"sort"
)

// heaviestKept is how many items of a kind stay while another kind has more.
const heaviestKept = 3

// cutOrder returns the indexes of the items that a budget may cut, in the order
// in which it cuts them: kinds from the lowest up, within a kind what only the
// assistant said before a person's own word, then the oldest first; no kind below
// three while another has more, pinned items after all others. The newest goal and the first next action are not among
// them; older goals go after the other kinds.
func cutOrder(items []Item) []int {
	var surplus, rest, pinned []int
	for _, kind := range slices.Backward(Kinds) {
		ages := lightestFirst(items, kind)
		for place, i := range ages {
			newer := len(ages) - place // it and all after it
			switch {
			case i == neverCut(items, kind, ages):
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
	sort.SliceStable(ages, func(a, b int) bool { return items[ages[a]].At.Before(items[ages[b]].At) })
	if accumulates[kind] {
		own := func(i int) bool { return items[i].By != ByAssistant || items[i].Maker == ByHuman }
		sort.SliceStable(ages, func(a, b int) bool { return !own(ages[a]) && own(ages[b]) })
	}
	if kind == Lead { // the least telling go first, however old
		sort.SliceStable(ages, func(a, b int) bool { return items[ages[a]].Confidence < items[ages[b]].Confidence })
	}
	return ages
}

// neverCut returns the index of the one item of the kind that is always shown, or -1.
func neverCut(items []Item, kind Kind, ages []int) int {
	switch {
	case kind == Goal && len(ages) > 0:
		return ages[len(ages)-1]
	case kind == Next && len(ages) > 0:
		return slices.Min(ages)
	}
	return -1
}
