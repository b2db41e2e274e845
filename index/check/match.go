package check

import (
	"slices"
	"strings"

	"recall/index"
)

type meeting struct {
	name string  // the name in common
	odds float64 // how likely the action goes against the item, 0 to 1
	sure bool    // see Warning.Sure
}

// meet compares an action with one of the found items.
func meet(found *index.Answer, rank int, d *deed, w weighing) meeting {
	r := readItem(found.Ranked[rank].Item)
	for _, path := range r.untouched {
		if sure := touched(d.paths, path); sure || touched(d.asked, path) {
			return meeting{name: path, odds: 1, sure: sure}
		}
	}
	best := meeting{}
	for _, s := range r.sightings(d) {
		if odds := w.odds(s.features(found, rank)); odds > best.odds {
			whole := s.share == 1 && s.claim.listed && s.phrase.way != prompt
			best = meeting{name: s.name(), odds: odds, sure: whole && odds >= surely}
		}
	}
	return best
}

// touched reports whether one of the files is, or lies in, the path or end of a path.
func touched(files []word, of string) bool {
	of = "/" + strings.Trim(strings.TrimPrefix(strings.ToLower(of), "./"), "/") + "/"
	for _, w := range files {
		if of != "//" && strings.Contains("/"+strings.Trim(w.text, "/")+"/", of) {
			return true
		}
	}
	return false
}

// sighting is one claim of an item compared with one phrase of an action.
type sighting struct {
	reading *reading
	claim   *claim
	phrase  *phrase
	deed    *deed
	in      []word  // what the phrase adds; what an edit removes, if the item is for it
	share   float64 // of the claim's words that occur there
	value   float64 // see otherValue
}

// sightings returns the pairs of a claim and a phrase with words in common.
func (r *reading) sightings(d *deed) (out []sighting) {
	for i := range d.phrases {
		p := &d.phrases[i]
		value := r.otherValue(p)
		for k := range r.claims {
			s := sighting{reading: r, claim: &r.claims[k], phrase: p, deed: d, in: p.comes}
			if !s.claim.against {
				s.value = value
			}
			if !s.claim.against && p.way == edit {
				s.in = p.goes
			}
			if s.share = share(s.claim.words, s.in); s.share > 0 || s.value > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

// name is the word that both have in common.
func (s *sighting) name() string {
	met := only(s.claim.words, func(w word) bool { return has(s.in, w) })
	return slices.Concat(named(met), met, s.claim.words)[0].text
}
