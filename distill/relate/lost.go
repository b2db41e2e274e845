package relate

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// span is the part of a sentence that names something given up.
type span struct{ from, to int }

// Words that precede what is given up, or end it.
var (
	leadIns = [][]string{
		{"instead", "of"}, {"rather", "than"}, {"in", "place", "of"}, {"no", "longer"}, {"no", "more"},
		{"get", "rid", "of"}, {"give", "up"}, {"gave", "up"}, {"giving", "up"}, {"back", "out"},
	}
	dropVerbs = text.Set(`drop drops dropped remove removes removed kill kills scrap scraps scratch ditch ditched
		cancel cancels cancelled undo undid revert reverts reverted forget abandon abandoned stop stops stopped
		replace replaces replaced retire retired delete`)
	changeVerbs = text.Set(`switch switches switched move moves moved migrate migrates migrated moving switching
		migrating change changed`)
	copulas    = text.Set(`is are was were gets get becomes be`)
	clauseEnds = text.Set(`for from since because as so and but when while until which in on at to with by or we i
		you that goes go`)
	placeWords = text.Set(`for in on at during within under between into to with`)
	skipped    = text.Set(`in on at by from with to using the a an as being having`)
)

func lostSpans(toks []token) []span {
	var out []span
	for i := range toks {
		for _, lead := range leadIns {
			if match(toks, i, lead...) {
				out = append(out, after(toks, i+len(lead), lead[1] == "longer"))
			}
		}
		longer := match(toks, i+1, "longer") || match(toks, i+1, "more")
		notThis := i > 0 && toks[i-1].low == "," && !elsewhere(toks, i+1)
		switch low := toks[i].low; {
		case low == "not" && notThis:
			out = append(out, after(toks, i+1, false))
		case low == "no" && (i == 0 || toks[i-1].low == ".") && !longer:
			out = append(out, after(toks, i+1, false))
		case low == "take" && (match(toks, i+1, "that", "back") || match(toks, i+1, "it", "back")):
			out = append(out, sentenceBefore(toks, i))
		case changeVerbs[low]:
			if j := seek(toks, i+1, "from"); j > 0 && seek(toks, j+1, "to") > 0 {
				out = append(out, span{from: j + 1, to: seek(toks, j+1, "to")})
			}
		case dropVerbs[low] && (i == 0 || !copulas[toks[i-1].low] && toks[i-1].low != "not"):
			out = append(out, after(toks, i+1, false))
		}
	}
	return slices.DeleteFunc(out, func(sp span) bool { return sp.to <= sp.from })
}

// after returns the span after a cue that ends at j; after "no longer" it extends to the end of the clause.
func after(toks []token, j int, whole bool) span {
	for j < len(toks) && skipped[toks[j].low] {
		j++
	}
	k := j
	cut := func(t token) bool { return clauseEnds[t.low] && (!whole || t.low == "because" || t.low == "since") }
	for k < len(toks) && !isMark(toks[k]) && !cut(toks[k]) {
		k++
	}
	return span{j, k}
}

// sentenceBefore returns what was said before "I take that back".
func sentenceBefore(toks []token, i int) span {
	end := i
	for end > 0 && toks[end-1].low != "." {
		end--
	}
	start := max(0, end-1)
	for start > 0 && !slices.Contains([]string{".", "said", "decided", "agreed"}, toks[start-1].low) {
		start--
	}
	for k := start; k < end; k++ { // "poll every 2s, simple first": ignore the reason
		if toks[k].low == "," {
			end = k
		}
	}
	return span{from: start, to: end}
}

// elsewhere reports whether a "not" only tells where: "in the report, not in the request" gives up nothing.
func elsewhere(toks []token, i int) bool {
	return i < len(toks) && placeWords[toks[i].low]
}

// seek finds a word before the clause ends; 0 if it doesn't occur.
func seek(toks []token, i int, word string) int {
	for ; i < len(toks) && !isMark(toks[i]); i++ {
		if toks[i].low == word {
			return i
		}
	}
	return 0
}

func match(toks []token, i int, words ...string) bool {
	end := i + len(words)
	return end <= len(toks) && slices.EqualFunc(toks[i:end], words, func(t token, w string) bool { return t.low == w })
}

func isMark(t token) bool { return t.stem == "" && strings.Contains(",;:.()—", t.low) }

var denyForm = text.Pattern(`\b(?:not|never|no|don't|doesn't|can't|cannot|nobody|without|none)\b`)
