package index

import (
	"strings"

	"recall/index/embed"
	"recall/index/words"
)

// related is the FTS5 query for what the lexicon knows of other words for the
// question's, "" if nothing. Words of the question itself are left out, and
// common ones; a phrase whose small words leave a single word isn't one any
// more ("set up" is not "set").
func (r *reader) related(ts []term, k int) string {
	seen := map[string]bool{}
	for _, t := range ts {
		seen[t.stem] = true
	}
	var parts []string
	for _, phrase := range embed.Related(clipText(r.q.Text, longest)) {
		w, cut := content(phrase)
		if len(w) == 0 || len(w) == 1 && cut {
			continue
		}
		key := stemmed(w)
		if seen[key] || len(w) == 1 && r.common.df(key, k) > 0 {
			continue
		}
		seen[key] = true
		if parts = append(parts, `"`+strings.Join(w, " ")+`"`); len(parts) == relatedMost {
			break
		}
	}
	return strings.Join(parts, " OR ")
}

// relatedWeight is how much the lexicon's words count beside the question's.
// On perfect items, 0.2 to 0.5 do much the same (hit@5 0.60 to 0.64 on one
// project, from 0.53 without); over turns, which hold any word somewhere, more
// than 0.1 does harm.
var relatedWeight = [2]float64{items: 0.3, turns: 0.1}

const relatedMost = 120 // phrases; a usual question has forty

func content(phrase string) (w []string, cut bool) {
	words.Each(phrase, func(s string) bool {
		if words.Stop(s) {
			cut = true
		} else {
			w = append(w, s)
		}
		return true
	})
	return w, cut
}

func stemmed(w []string) string {
	out := make([]string, len(w))
	for i, s := range w {
		out[i] = words.Stem(s)
	}
	return strings.Join(out, " ")
}
