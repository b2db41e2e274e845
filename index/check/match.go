package check

import (
	"slices"
	"strings"

	"recall/index"
)

type judgement struct {
	name string  // the name in common
	odds float64 // how likely the action goes against the item, 0 to 1
	sure bool    // see Warning.Sure
}

// compareItem compares an action with one of the found items.
func compareItem(found *index.Answer, rank int, d *parsedAction, w weights) judgement {
	r := readItem(found.Ranked[rank].Item)
	for _, path := range r.untouched {
		if sure := touches(d.paths, path); sure || touches(d.asked, path) {
			return judgement{name: path, odds: 1, sure: sure}
		}
	}
	best := judgement{}
	for _, s := range r.overlaps(d) {
		if odds := w.odds(s.features(found, rank)); odds > best.odds {
			whole := s.share == 1 && s.claim.listed && s.phrase.way != prompt
			best = judgement{name: s.name(), odds: odds, sure: whole && odds >= sureFrom}
		}
	}
	return best
}

// touches reports whether one of the files is, or lies in, the path or end of a path.
func touches(files []word, of string) bool {
	of = "/" + strings.Trim(strings.TrimPrefix(strings.ToLower(of), "./"), "/") + "/"
	for _, w := range files {
		if of != "//" && strings.Contains("/"+strings.Trim(w.text, "/")+"/", of) {
			return true
		}
	}
	return false
}

// overlap is one claim of an item compared with one phrase of an action.
type overlap struct {
	reading *reading
	claim   *claim
	phrase  *phrase
	deed    *parsedAction
	in      []word  // what the phrase adds; what an edit removes, if the item is for it
	share   float64 // of the claim's words that occur there
	value   float64 // see otherValue
}

// overlaps returns the pairs of a claim and a phrase with words in common.
func (r *reading) overlaps(d *parsedAction) (out []overlap) {
	for i := range d.phrases {
		p := &d.phrases[i]
		value := r.otherValue(p)
		for k := range r.claims {
			s := overlap{reading: r, claim: &r.claims[k], phrase: p, deed: d, in: p.added}
			if !s.claim.against {
				s.value = value
			}
			if !s.claim.against && p.way == edit {
				s.in = p.removed
			}
			if s.share = share(s.claim.words, s.in); s.share > 0 || s.value > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

// name is the word that both have in common.
func (s *overlap) name() string {
	met := filter(s.claim.words, func(w word) bool { return has(s.in, w) })
	return slices.Concat(named(met), met, s.claim.words)[0].text
}
