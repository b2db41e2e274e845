package payload

import (
	"cmp"
	"slices"
)

// minPerKind is how many items of a kind are spared while another kind has more.
const minPerKind = 3

// cutOrder returns the indexes of the items that a budget may cut, in cutting order: first what only an agent says,
// which takes no room from what people said, and files of which no more is said than that they are done; then least
// important kinds first; within a kind, the assistant's own statements before a person's, then the oldest first. No
// kind goes below three items while another has more, and pinned items come last. The newest goal and the first next
// action are never cut; older goals follow the other kinds.
func cutOrder(items []Item) []int {
	var claims, done, surplus, rest, pinned []int
	for _, kind := range slices.Backward(Kinds) {
		ages := leastImportantFirst(items, kind)
		shown := -1 // whatever the budget is
		if kind == Goal && len(ages) > 0 {
			shown = ages[len(ages)-1]
		} else if kind == Next && len(ages) > 0 {
			shown = slices.Min(ages)
		}
		for place, i := range ages {
			newer := len(ages) - place // this item and all newer ones
			switch {
			case i == shown:
			case items[i].Pinned:
				pinned = append(pinned, i)
			case items[i].Said():
				claims = append(claims, i)
			case newer > minPerKind && kind == File && items[i].Status == FileDone && items[i].Text == "":
				done = append(done, i)
			case newer > minPerKind && kind != Goal:
				surplus = append(surplus, i)
			default:
				rest = append(rest, i)
			}
		}
	}
	return slices.Concat(claims, done, surplus, rest, pinned)
}

func leastImportantFirst(items []Item, kind Kind) []int {
	var ages []int
	for i := range items {
		if items[i].Kind == kind {
			ages = append(ages, i)
		}
	}
	if kind == Next {
		slices.Reverse(ages) // of equally old next actions the first counts most
	}
	weight := func(it *Item) (telling float64, own int) {
		if kind == Lead { // the least significant go first, however old
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
