package index

import (
	"math"
	"slices"

	"recall/index/rank"
	"recall/payload"
	"recall/text"
)

// What counts as a later word on the same subject. Over the questions about six
// invented projects and two of people's, of items with aliases, what held once
// comes first in 13 of 70 with it and in 33 without; from 0.17 to 0.25 it's much
// the same.
const (
	sameSubject = 0.2   // likeness of two items' words
	sameChanged = 0.15  // and where the later one says that something changes; 0.12 does the same
	asGood      = 0.018 // share of the first one's score that the later one must have, e^-4
	succeeding  = 8     // items, best first, among which a later one is looked for
)

// succeed puts right before the first item the one of a later session that
// speaks of the same and answers about as well: it is most likely what came of
// it. No link says so, so neither hides the other. Who asks of what was gets what
// was.
func succeed(list []*ranked, asked *rank.Question) {
	if asked.Past() {
		return
	}
	var at []int // places of items
	for i := 0; i < len(list) && len(at) < succeeding; i++ {
		if list[i].table == items {
			at = append(at, i)
		}
	}
	if len(at) < 2 {
		return
	}
	alike := likenesses(list, at)
	first := 0
	for moved := true; moved; { // and the later one's later one
		moved = false
		for k := first + 1; k < len(at); k++ {
			if later(list[at[k]], list[at[first]], asked) && alike(first, k) >= likeEnough(list[at[k]]) {
				first, moved = k, true
				break
			}
		}
	}
	if first == 0 {
		return
	}
	newer, to := list[at[first]], at[0]
	newer.score = list[to].score
	copy(list[to+1:at[first]+1], list[to:at[first]])
	list[to] = newer
}

// likeEnough is how like another a later item must be to speak of the same.
func likeEnough(newer *ranked) float64 {
	if saysOtherwise().MatchString(text.HeadMarked(newer.item.Text, longestSaid)) {
		return sameChanged
	}
	return sameSubject
}

// longestSaid is how much of an item's text is read for that, in bytes.
const longestSaid = 1 << 10

// saysOtherwise matches what says that something was otherwise.
var saysOtherwise = text.Pattern(`(?i)\b(?:instead of|in place of|in favou?r of|no longer|not any ?more|anymore|replac\w+|mov(?:e|es|ed) (?:from|to|off|away)|from \S+ to \S+|switch\w*|chang\w+|dropped|removed?|abandon\w*|given up|gives? way|takes? the place|rather than|supersed\w+|revert\w*|reversed|undone|(?:goes|go|went|gone) back|after all)\b`)

// later reports whether an item says later how things are that another says were
// so, or leaves open unasked.
func later(newer, older *ranked, asked *rank.Question) bool {
	if newer.session == older.session || !newer.item.At.After(older.item.At) || !newer.item.Current() ||
		newer.score < asGood*older.score {
		return false
	}
	return settles(newer.item.Kind) && (settles(older.item.Kind) || leavesOpen(older.item.Kind) &&
		!asked.Asks(older.item.Kind))
}

func settles(k payload.Kind) bool {
	return k == payload.Decision || k == payload.Flag || k == payload.Eliminated || k == payload.Finding
}

func leavesOpen(k payload.Kind) bool {
	return k == payload.Question || k == payload.Deferred || k == payload.Hypothesis
}

// likenesses compares items by the words of their texts and aliases (Dice's
// coefficient, rarer words among these items weigh more).
func likenesses(list []*ranked, at []int) func(a, b int) float64 {
	stems := make([][]string, len(at))
	holds := map[string]int{}
	for k, i := range at {
		stems[k] = stemsOf(&list[i].item)
		for _, s := range stems[k] {
			holds[s]++
		}
	}
	weight := func(s string) float64 {
		n := float64(holds[s])
		return math.Log(1 + (float64(len(at))-n+0.5)/(n+0.5))
	}
	return func(a, b int) float64 {
		var both, all float64
		for _, s := range stems[a] {
			w := weight(s)
			all += w
			if _, ok := slices.BinarySearch(stems[b], s); ok {
				both += w
			}
		}
		for _, s := range stems[b] {
			all += weight(s)
		}
		if all == 0 {
			return 0
		}
		return 2 * both / all
	}
}

// stemsOf are an item's distinct stems, sorted.
func stemsOf(it *payload.Item) []string {
	var out []string
	for _, s := range append([]string{it.Text}, it.Aliases...) {
		for _, w := range text.Content(s) {
			out = append(out, text.Stem(w))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
