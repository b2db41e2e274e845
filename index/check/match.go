package check

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"recall/payload"
)

// A meeting is how an action meets an item.
type meeting struct {
	name string  // in which they meet
	odds float64 // how likely the action goes against the item, 0 to 1
	sure bool    // nothing in it is left to reading
}

// meet is where an action meets an item most.
func meet(it *payload.Item, d *deed) meeting {
	if it.Kind == payload.File {
		if p, ok := touched(d, it.Path); ok && it.Status == payload.FileOffLimits {
			return meeting{name: it.Path, odds: 1, sure: p}
		}
		return meeting{}
	}
	r := readItem(it)
	for i := range r.claims {
		if c := &r.claims[i]; c.hands && c.against {
			for _, w := range append(c.words, c.place...) {
				if w.path {
					if p, ok := touched(d, w.text); ok {
						return meeting{name: w.text, odds: 1, sure: p}
					}
				}
			}
		}
	}
	best, w := meeting{}, shipped()
	for _, s := range r.sightings(d) {
		if odds := w.odds(s.phrase.way, s.features()); odds > best.odds {
			whole := s.share == 1 && s.claim.listed && s.phrase.fixed
			best = meeting{name: s.name(), odds: odds, sure: whole && odds >= enough}
		}
	}
	return best
}

// touched reports whether an action changes a file, or one in a folder, that is named
// by the end of its path; and whether that is beyond doubt.
func touched(d *deed, of string) (sure, ok bool) {
	of = "/" + strings.Trim(strings.TrimPrefix(strings.ToLower(of), "./"), "/") + "/"
	if of == "//" {
		return false, false
	}
	for _, w := range d.paths {
		if strings.Contains("/"+strings.Trim(w.text, "/")+"/", of) {
			return true, true
		}
	}
	for i := range d.phrases {
		p := &d.phrases[i]
		for _, w := range slices.Concat(p.taken, p.given) {
			handled := p.way == prompt && p.ordered && !p.asked && !p.told
			if handled && w.path && strings.Contains("/"+strings.Trim(w.text, "/")+"/", of) {
				return false, true
			}
		}
	}
	return false, false
}

// A sighting is one claim of an item beside one phrase of an action.
type sighting struct {
	reading *reading
	claim   *claim
	phrase  *phrase
	deed    *deed
	share   float64 // of the claim's words in what the phrase takes up, or gives up
	in      []word
}

// sightings are the places where a claim and a phrase have words in common.
func (r *reading) sightings(d *deed) []sighting {
	var out []sighting
	for i := range d.phrases {
		p := &d.phrases[i]
		for k := range r.claims {
			c := &r.claims[k]
			in := p.taken
			if !c.against {
				in = p.given
			}
			s := sighting{reading: r, claim: c, phrase: p, deed: d, in: in, share: share(c.words, in)}
			if s.share > 0 || c.against && share(c.words, p.place) > 0 || s.otherValue() > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}

// name is the word in which the two meet.
func (s *sighting) name() string {
	for _, named := range []bool{true, false} {
		for _, w := range s.claim.words {
			if w.name == named && (has(s.in, w) || has(s.phrase.place, w)) {
				return w.text
			}
		}
	}
	return s.claim.words[0].text
}

// featureNames are those of features, in order.
var featureNames = []string{"share", "named", "exact", "words", "listed", "for", "eliminated", "flag", "place", "bound",
	"unbound", "chosen in", "chosen out", "given up", "ordered", "asked", "told", "own", "in place", "long", "followed",
	"value", "covered", "reach", "twin", "test item", "toward", "verb", "other environment", "elsewhere", "path", "first",
	"single", "tight", "free", "both"}

// features are what a judgement rests on, each about 0 to 1.
func (s *sighting) features() []float64 {
	r, c, p, d := s.reading, s.claim, s.phrase, s.deed
	bound := besides(r.names, c.words)
	return []float64{
		s.share,
		share(named(c.words), s.in),
		yes(slices.ContainsFunc(c.words, func(w word) bool { return w.name && isIn(s.in, w) })),
		min(float64(len(c.words)), 6) / 6,
		yes(c.listed),
		yes(!c.against),
		yes(r.kind == payload.Eliminated),
		yes(r.kind == payload.Flag),
		share(c.place, d.all),
		boundTo(bound, d.all),
		yes(len(bound) == 0),
		share(besides(r.chosen, c.words), p.taken),
		share(named(besides(r.chosen, c.words)), p.given),
		share(c.words, p.given),
		yes(p.ordered),
		yes(p.asked),
		yes(p.told),
		share(s.in, r.all),
		share(c.words, p.place),
		math.Log1p(float64(len(s.in))) / 5,
		s.followed(),
		s.otherValue(),
		share(slices.Concat(c.words, c.place), d.all),
		share(p.taken, slices.Concat(r.names, c.words, c.place)),
		s.twin(),
		yes(r.tests()),
		s.toward(),
		yes(len(p.taken) > 0 && (empty[p.taken[0].text] || has(r.all, p.taken[0]))),
		yes(s.otherEnvironment()),
		share(named(p.place), r.all),
		share(d.paths, slices.Concat(bound, c.place, c.words)),
		yes(len(s.in) > 0 && has(c.words, s.in[0]) || len(s.in) > 1 && has(c.words, s.in[1])),
		yes(len(c.words) == 1 && c.words[0].name && isIn(s.in, c.words[0]) && s.followed() == 0),
		yes(s.share == 1 && c.against) * share(s.in, slices.Concat(r.all, d.paths)),
		yes(!r.given && s.share == 1) * share(named(c.words), s.in),
		s.share * max(share(bound, d.all), share(c.place, d.all)),
	}
}

// environments are where a thing runs, by the words for it.
var environments = map[string]string{"local": "local", "locally": "local", "laptop": "local", "localhost": "local",
	"dev": "local", "development": "local", "staging": "staging", "preview": "staging", "sandbox": "staging",
	"production": "production", "prod": "production", "live": "production", "ci": "ci"}

// otherEnvironment reports whether the action is where the item doesn't hold: on my
// machine, not in production.
func (s *sighting) otherEnvironment() bool {
	said := func(list []word) map[string]bool {
		out := map[string]bool{}
		for _, w := range list {
			for _, p := range append(w.parts, w.text) {
				if e := environments[p]; e != "" {
					out[e] = true
				}
			}
		}
		return out
	}
	held, there := said(s.reading.all), said(s.deed.all)
	for e := range there {
		if held[e] {
			return false
		}
	}
	return len(held) > 0 && len(there) > 0
}

// toward is 1 where an edit brings what the item says.
func (s *sighting) toward() float64 {
	for _, sw := range s.deed.swaps {
		if says(s.reading.text, sw.key, sw.new) && !says(s.reading.text, sw.key, sw.old) {
			return 1
		}
	}
	return 0
}

// tests reports whether the item itself is about tests or documents.
func (r *reading) tests() bool {
	return slices.ContainsFunc(r.text, func(w word) bool { return telling[w.text] })
}

// twin is 1 where the matched word is a part only of a name that goes on otherwise:
// HALF_EVEN has a part in common with HALF_UP.
func (s *sighting) twin() float64 {
	for _, w := range s.claim.words {
		if w.name && has(s.in, w) && !isIn(s.in, w) {
			return 1
		}
	}
	return 0
}

// followed is 1 where behind the word in which the two meet stands another that the
// item knows nothing of: "a Redis import script" isn't Redis.
func (s *sighting) followed() float64 {
	for i, w := range s.in {
		if i+1 < len(s.in) && has(s.claim.words, w) && !has(s.reading.all, s.in[i+1]) {
			return 1
		}
	}
	return 0
}

// otherValue is how much of what is given a value is the item's, where the value isn't
// the item's and the item says one of the same kind: "set the retry budget to 5".
func (s *sighting) otherValue() float64 {
	if s.reading.kind == payload.Eliminated || s.claim.against {
		return 0
	}
	best := 0.0
	for _, sw := range s.deed.swaps {
		if says(s.reading.text, sw.key, sw.old) && !says(s.reading.text, sw.key, sw.new) {
			best = max(best, share(slices.Concat(sw.key), s.reading.all), shareOfParts(sw.key, s.reading.all))
		}
	}
	words := slices.Concat(s.phrase.taken, s.phrase.place)
	for i, w := range words {
		n, unit, ok := quantity(w.text)
		if !ok || s.phrase.way == edit {
			continue
		}
		if unit == 0 && i+1 < len(words) {
			unit = second(words[i+1].text)
		}
		if other, same := s.reading.number(n, unit); other && !same {
			rest := slices.Delete(slices.Clone(words), i, i+1)
			best = max(best, share(rest, s.reading.all))
		}
	}
	return best
}

// number reports whether a decision says a number of a unit, and whether it is this one.
func (r *reading) number(n, unit float64) (other, same bool) {
	for i, w := range r.text {
		m, u, ok := quantity(w.text)
		if !ok {
			continue
		}
		if u == 0 && i+1 < len(r.text) {
			u = second(r.text[i+1].text)
		}
		switch {
		case (u == 0) == (unit == 0) && near(m*max(u, 1), n*max(unit, 1)):
			same = true
		case (u == 0) == (unit == 0):
			other = true
		}
	}
	return other, same
}

func shareOfParts(key, in []word) float64 {
	all, there := 0.0, 0.0
	for _, w := range key {
		for _, p := range w.parts {
			all++
			if hasStem(in, p) {
				there++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return there / all
}

// says reports whether a text has a value, as it is written or in another unit: "15
// minutes" is 900 where the key ends in _S.
func says(text, key []word, value string) bool {
	v := strings.ToLower(strings.Trim(value, "v^~"))
	n, unit, ok := quantity(v)
	if !ok { // no number: a name
		return len(v) > 3 && slices.ContainsFunc(text, func(w word) bool { return w.text == v })
	}
	for i := len(key) - 1; i >= 0 && unit == 0; i-- {
		unit = second(key[i].text[strings.LastIndexAny(key[i].text, "_-.")+1:])
	}
	for i, w := range text {
		m, u, ok := quantity(w.text)
		if ok && u == 0 && i+1 < len(text) {
			u = second(text[i+1].text)
		}
		if ok && (near(m, n) && (u == 0 || unit == 0 || u == unit) || u > 0 && unit > 0 && near(m*u, n*unit)) {
			return true
		}
	}
	return false
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// quantity reads "2160h" and "16.0"; unit is in seconds, 0 if there is none.
func quantity(s string) (n, unit float64, ok bool) {
	end := len(s) - len(strings.TrimLeft(s, "0123456789._"))
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSuffix(s[:end], "."), "_", ""), 64)
	if err != nil {
		return 0, 0, false
	}
	unit = second(s[end:])
	return n, unit, s[end:] == "" || unit > 0 || s[end:] == "%"
}

// second is a unit of time in seconds, 0 if it is none.
func second(s string) float64 { return max(seconds[s], seconds[strings.TrimSuffix(s, "s")]) }

var seconds = map[string]float64{"ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60,
	"minute": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400, "w": 7 * 86400, "week": 7 * 86400}

func named(list []word) []word {
	return slices.DeleteFunc(slices.Clone(list), func(w word) bool { return !w.name })
}

func besides(list, other []word) []word {
	return slices.DeleteFunc(slices.Clone(list), func(w word) bool { return has(other, w) })
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// boundTo is how much of what an item is bound to stands in an action; of one that is
// bound to nothing that isn't known.
func boundTo(names, in []word) float64 {
	if len(names) == 0 {
		return 0.5
	}
	return share(names, in)
}
