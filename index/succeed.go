package index

import (
	"math"
	"strings"
	"sync"

	"recall/index/rank"
	"recall/payload"
	"recall/text"
)

// What counts as a later word on the same subject. Over the questions about six
// invented projects and two of people's, of items with aliases, what held once
// comes first in 13 of 70 with it and in 33 without; from 0.17 to 0.25 it's much
// the same.
const (
	sameSubject = 0.2   // likeness of the words of two results
	sameChanged = 0.15  // and where the later one says that something changes; 0.12 does the same
	asGood      = 0.018 // share of the first one's score that the later one must have, e^-4
	succeeding  = 8     // results, best first, among which a later one is looked for
)

// succeed puts right before the first result the one of a later session that
// speaks of the same and answers about as well: it is most likely what came of
// it. No link says so, so neither hides the other; where one does, that holds. Who asks
// of what was gets what was.
func succeed(list []*ranked, asked *rank.Question) {
	list = list[:min(len(list), succeeding)]
	if asked.Past() || len(list) < 2 || len(list[0].history) > 0 {
		return
	}
	alike := sync.OnceValue(func() func(a, b int) float64 { return likenesses(list) }) // mostly there is no later one
	first := 0
	for moved := true; moved; { // and the later one's later one
		moved = false
		for k := first + 1; k < len(list); k++ {
			if later(list[k], list[first], asked) && alike()(first, k) >= likeEnough(list[k]) {
				first, moved = k, true
				break
			}
		}
	}
	newer := list[first]
	newer.score = list[0].score
	copy(list[1:first+1], list[:first])
	list[0] = newer
}

// likeEnough is how like another a later result must be to speak of the same.
func likeEnough(newer *ranked) float64 {
	if saysOtherwise().MatchString(text.HeadMarked(newer.says(), longestSaid)) {
		return sameChanged
	}
	return sameSubject
}

// longestSaid is how much of a result is read for that, in bytes.
const longestSaid = 1 << 10

// saysOtherwise matches what says that something was otherwise.
var saysOtherwise = text.Pattern(`(?i)\b(?:instead of|in place of|in favou?r of|no longer|not any ?more|anymore|` +
	`replac\w+|mov(?:e|es|ed) (?:from|to|off|away)|from \S+ to \S+|switch\w*|chang\w+|dropped|removed?|abandon\w*|` +
	`given up|gives? way|takes? the place|rather than|supersed\w+|revert\w*|reversed|` +
	`undone|(?:goes|go|went|gone) back|(?:tak\w+|took)(?: that| this| it)? back|after all)\b`)

// later reports whether a result says later how things are that another says were
// so, or leaves open unasked. A passage does if it says that something changes, or took
// the place of something.
func later(newer, older *ranked, asked *rank.Question) bool {
	switch {
	case newer.session == older.session || !newer.at().After(older.at()) || newer.score < asGood*older.score:
		return false
	case !newer.claims():
		return len(newer.history) > 0 ||
			!older.claims() && saysOtherwise().MatchString(text.HeadMarked(newer.says(), longestSaid))
	case !older.claims():
		return newer.item.Current() && settles(newer.item.Kind)
	}
	return newer.item.Current() && settles(newer.item.Kind) && (settles(older.item.Kind) ||
		leavesOpen(older.item.Kind) && !asked.Asks(older.item.Kind))
}

func settles(k payload.Kind) bool {
	return k == payload.Decision || k == payload.Flag || k == payload.Eliminated || k == payload.Finding
}

func leavesOpen(k payload.Kind) bool {
	return k == payload.Question || k == payload.Deferred || k == payload.Hypothesis
}

// likenesses compares results: claims by the words of their texts and aliases, passages
// by the sentence, or what it took the place of, that is most alike. Rarer words among
// these results weigh more.
func likenesses(list []*ranked) func(a, b int) float64 {
	said := make([][]text.Bag, len(list))
	holds := text.Bag{}
	for k, o := range list {
		all := text.Bag{}
		said[k] = subjects(o)
		for _, b := range said[k] {
			all.Add(b)
		}
		for w := range all {
			holds[w]++
		}
	}
	for _, one := range said {
		for _, b := range one {
			for w := range b {
				b[w] = math.Log(1 + (float64(len(list))-holds[w]+0.5)/(holds[w]+0.5))
			}
		}
	}
	return func(a, b int) (most float64) {
		for _, x := range said[a] {
			for _, y := range said[b] {
				most = max(most, x.Like(y))
			}
		}
		return most
	}
}

// subjects are the words of a claim, or of each sentence of a passage and of what it took
// the place of.
func subjects(o *ranked) (out []text.Bag) {
	if o.claims() {
		return []text.Bag{wordsOf(&o.item)}
	}
	said := o.says()
	for _, at := range rank.Sentences(said) {
		out = append(out, text.Words(said[at[0]:at[1]]))
	}
	for _, past := range o.history {
		out = append(out, wordsOf(&past.Item))
	}
	return out
}

func wordsOf(it *payload.Item) text.Bag {
	return text.Words(strings.Join(append([]string{it.Text}, it.Aliases...), "\n"))
}
