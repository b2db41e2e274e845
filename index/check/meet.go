package check

import (
	"slices"
	"strings"

	"recall/payload"
	"recall/text"
)

// enough is the share of an item's words that must stand in the action, by
// weight; own the share of the action's that must stand in the item, so that
// "a Redis import script" isn't Redis. Of 0.5 to 0.9 for the first, 0.70 is
// where testdata/actions.txt has no wrong warning and most right ones.
const (
	enough = 0.70
	own    = 0.50
)

// meeting is how an action meets an item.
type meeting struct {
	name  string
	share float64
	sure  bool
}

// meet tells whether an action goes against an item.
func meet(it *payload.Item, title string, d *deed) (best meeting, ok bool) {
	if it.Kind == payload.File {
		return offLimits(it, d)
	}
	r := readItem(it)
	r.title = content(cut(title))
	for i := range d.moves {
		m := &d.moves[i]
		for k := range r.claims {
			if got, hit := r.against(&r.claims[k], m, d, it.Kind); hit && got.share > best.share {
				best, ok = got, true
			}
		}
		if got, hit := otherValue(it, &r, m); hit && got.share > best.share {
			best, ok = got, true
		}
	}
	if got, hit := revalued(it, &r, d); hit && got.share > best.share {
		best, ok = got, true
	}
	if got, hit := swapped(&r, d); hit && got.share > best.share {
		best, ok = got, true
	}
	return best, ok
}

// against holds one move against one claim.
func (r *reading) against(c *claim, m *move, d *deed, kind payload.Kind) (meeting, bool) {
	if c.hands && c.against {
		return r.untouched(c, m, d)
	}
	if !opposed(c, m, kind) {
		return meeting{}, false
	}
	if m.edit && m.stance == takesUp && c.against {
		m = r.withoutChosen(m)
	}
	if r.another(c, m, d) {
		return meeting{}, false
	}
	claimed, in := r.compared(c, m, d, kind)
	name, hit := r.meetIn(claimed, in)
	got := r.shareOf(c, m, d, kind, claimed, in)
	if got < 1 && m.exact && !m.edit && !m.loose { // a command says what it does in few words: all of the item's must be among them
		return meeting{}, false
	}
	if got < enough && (c.explicit || r.given && m.stance == givesUp && share(m.head, r.all) == 1) && r.whole(c.words, in) && !(c.against && qualified(c.words, in)) {
		got = enough
	}
	if !hit && r.given && c.explicit { // of "the database" its name doesn't tell enough: what is put there does
		for _, w := range r.names {
			if w.name && has(m.words, w) {
				name, hit = w.text, true
			}
		}
	}
	if got < enough || !hit || r.tooLittle(c, m, d, kind, claimed, in, got) {
		return meeting{}, false
	}
	if r.elsewhere(c, m, d) || !m.exact && (r.partOf(claimed, m) || r.toldOf(m)) {
		return meeting{}, false
	}
	return meeting{name: name, share: got, sure: got == 1 && c.explicit && m.exact && (len(c.place) == 0 || share(c.place, d.all) == 1)}, true
}

// opposed tells whether what the action does with a thing is what the claim is
// against, whatever the thing.
func opposed(c *claim, m *move, kind payload.Kind) bool {
	switch m.stance {
	case takesUp:
		return c.against
	case givesUp:
		return !c.against && (c.explicit || !m.unsaid && kind == payload.Decision && len(content(m.head)) <= 2)
	case suspects:
		return c.against && kind == payload.Eliminated
	}
	return false
}

// another tells whether the action is about another thing or case than the
// claim, for all that they have in common.
func (r *reading) another(c *claim, m *move, d *deed) bool {
	if r.excepted(m, d) || m.odd.stem != "" && !has(r.all, m.odd) || r.stored && turning[m.verb] || r.shown && keeping[m.verb] {
		return true
	}
	if c.verb.stem != "" && m.stance == takesUp && !m.exact && !has(d.all, c.verb) {
		return true
	}
	for _, w := range c.words { // "Postgres 16" isn't Postgres 15
		if m.stance == takesUp && c.explicit && len(c.words) > 1 && plainNumber(w.text) && !has(m.words, w) {
			return true
		}
	}
	if m.flips && !r.allOf(m.head) {
		return true
	}
	for _, w := range c.needs {
		if w.name && !has(d.all, w) {
			return true
		}
	}
	return m.stance == givesUp && !c.against && !slices.ContainsFunc(c.chosen, func(w word) bool { return w.name && has(m.head, w) })
}

// compared are the words of the claim and those of the action that are held
// against each other.
func (r *reading) compared(c *claim, m *move, d *deed, kind payload.Kind) (claimed, in []word) {
	claimed, in = c.words, m.head
	if m.stance == givesUp && c.kept && len(c.place) > 0 { // what is kept somewhere may go: it is the place that was chosen
		claimed = c.place
	}
	if kind == payload.Eliminated {
		claimed, in = slices.Concat(c.words, c.place), m.words
		for _, w := range d.all {
			if w.path {
				in = append(in[:len(in):len(in)], w)
			}
		}
	}
	if m.stance == suspects && !m.exact { // what is seen is told before what is suspected
		if _, hit := r.meetIn(claimed, in); hit {
			in = append(in[:len(in):len(in)], d.all...)
		}
	}
	return claimed, in
}

// shareOf is how much of the claim, by weight, stands in the action.
func (r *reading) shareOf(c *claim, m *move, d *deed, kind payload.Kind, claimed, in []word) float64 {
	got := share(claimed, in)
	if kind == payload.Eliminated {
		what := c.words
		if len(what) > 2 && strings.HasSuffix(what[0].text, "ing") && len(c.place) > 0 && share(c.place, in) == 1 {
			what = what[1:] // "use memcached for templates" caches them there
		}
		got = min(share(what, in), (got+1)*enough/(1+0.5)) // its place counts less
	}
	if m.edit && got < enough && len(c.place) > 0 && share(c.place, d.where) == 1 && share(namesOf(c.words), in) == 1 { // the file is the place
		got = enough
	}
	return got
}

// tooLittle tells whether what the two have in common is too little of the
// action: "a Redis import script" isn't Redis.
func (r *reading) tooLittle(c *claim, m *move, d *deed, kind payload.Kind, claimed, in []word, got float64) bool {
	if kind == payload.Eliminated && r.only(c, m, d) {
		return false
	}
	if !m.exact && m.stance == takesUp && len(c.words) < 3 && share(c.words, m.head) > 0 && r.ofSomethingElse(m.head) {
		return true
	}
	least, whole := own, m.head
	if m.stance == suspects {
		least = 0.35
	}
	if kind == payload.Eliminated {
		if thin(claimed, in) {
			return true
		}
		whole = m.words
	}
	return !m.loose && !typedLine(c, m, got) && share(whole, r.all) < least
}

// typedLine tells whether the action is a command that opens as the claim does,
// as it is typed: "helm upgrade".
func typedLine(c *claim, m *move, got float64) bool {
	return m.exact && !m.edit && got == 1 && len(c.words) > 1 &&
		slices.ContainsFunc(m.head[:min(2, len(m.head))], func(w word) bool { return w.text == c.words[0].text })
}

// withoutChosen is what an edit takes up without the names that the item itself
// chooses: HALF_EVEN has a part in common with HALF_UP.
func (r *reading) withoutChosen(m *move) *move {
	rest := *m
	rest.head = slices.DeleteFunc(slices.Clone(m.head), func(w word) bool {
		return len(w.parts) > 1 && slices.ContainsFunc(r.chosen, func(o word) bool { return o.text == w.text })
	})
	return &rest
}

// keeping are verbs of what isn't shown by them.
var keeping = set("store save put write keep log send post push export serialize persist record")

// knobs are parts of a setting's name that say no more than that it is one.
var knobs = func() map[string]bool {
	out := map[string]bool{}
	for w := range set("config app enable enabled use with feature flag option setting has") {
		out[text.Stem(w)] = true
	}
	return out
}()

// allOf says whether the item speaks of every part of an identifier that says
// something: debug_endpoints aren't the debug level.
func (r *reading) allOf(key []word) bool {
	for _, w := range key {
		for _, p := range w.parts {
			if !knobs[p] && p != w.stem && len(p) > 2 && !hasStem(r.all, p) {
				return false
			}
		}
	}
	return true
}

// turning are verbs that show a thing otherwise than it is kept.
var turning = set("convert show render format parse print display read load fetch export translate compute")
