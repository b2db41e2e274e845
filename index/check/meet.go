package check

import (
	"slices"
	"strings"

	"recall/index/words"
	"recall/payload"
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
	switch {
	case c.hands && c.against:
		return r.untouched(c, m, d)
	case m.stance == takesUp && c.against:
	case m.stance == givesUp && !c.against && c.explicit:
	case m.stance == givesUp && !c.against && !m.unsaid && kind == payload.Decision && len(content(m.head)) <= 2:
	case m.stance == suspects && c.against && kind == payload.Eliminated:
	default:
		return meeting{}, false
	}
	if m.edit && m.stance == takesUp && c.against {
		m = r.withoutChosen(m)
	}
	if r.excepted(m, d) || m.odd.stem != "" && !has(r.all, m.odd) || r.stored && turning[m.verb] || r.shown && keeping[m.verb] {
		return meeting{}, false
	}
	if c.verb.stem != "" && m.stance == takesUp && !m.exact && !has(d.all, c.verb) {
		return meeting{}, false
	}
	for _, w := range c.words { // "Postgres 16" isn't Postgres 15
		if m.stance == takesUp && c.explicit && len(c.words) > 1 && plainNumber(w.text) && !has(m.words, w) {
			return meeting{}, false
		}
	}
	if m.flips && !r.allOf(m.head) {
		return meeting{}, false
	}
	for _, w := range c.needs {
		if w.name && !has(d.all, w) {
			return meeting{}, false
		}
	}
	in, claimed := m.head, c.words
	if m.stance == givesUp && c.kept && len(c.place) > 0 { // what is kept somewhere may go: it is the place that was chosen
		claimed = c.place
	}
	if m.stance == givesUp && !c.against && !slices.ContainsFunc(c.chosen, func(w word) bool { return w.name && has(m.head, w) }) {
		return meeting{}, false
	}
	if kind == payload.Eliminated {
		claimed = slices.Concat(c.words, c.place)
		in = m.words
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
	got := share(claimed, in)
	name, hit := r.meetIn(claimed, in)
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
	if got < enough || !hit {
		return meeting{}, false
	}
	least := own
	if m.stance == suspects {
		least = 0.35
	}
	whole := m.head
	if kind == payload.Eliminated {
		whole = m.words
	}
	only := kind == payload.Eliminated && r.only(c, m, d)
	line := m.exact && !m.edit && got == 1 && len(c.words) > 1 && slices.ContainsFunc(m.head[:min(2, len(m.head))], func(w word) bool { return w.text == c.words[0].text }) // "helm upgrade", as it is typed
	if !m.loose && !only && !line && share(whole, r.all) < least || kind == payload.Eliminated && !only && thin(claimed, in) || !only && !m.exact && m.stance == takesUp && len(c.words) < 3 && share(c.words, m.head) > 0 && r.ofSomethingElse(m.head) {
		return meeting{}, false
	}
	if r.elsewhere(c, m, d) || !m.exact && (r.partOf(claimed, m) || r.toldOf(m)) {
		return meeting{}, false
	}
	return meeting{name: name, share: got, sure: got == 1 && c.explicit && m.exact && (len(c.place) == 0 || share(c.place, d.all) == 1)}, true
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
		out[words.Stem(w)] = true
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

// meetIn is the name in which the two meet.
func (r *reading) meetIn(claimed, in []word) (string, bool) {
	for _, w := range claimed {
		if w.name && has(in, w) {
			return w.text, true
		}
	}
	for _, w := range r.names {
		if has(in, w) && has(claimed, w) {
			return w.text, true
		}
	}
	// Words that say nothing alone are a name together: "feature flags".
	if len(claimed) > 1 && !slices.ContainsFunc(claimed, func(w word) bool { return w.name || w.stem == "" }) {
		for i := range in {
			if i+len(claimed) <= len(in) && sameRun(in[i:i+len(claimed)], claimed) {
				var all []string
				for _, w := range claimed {
					all = append(all, w.text)
				}
				return strings.Join(all, " "), true
			}
		}
	}
	return "", false
}

func namesOf(list []word) (out []word) {
	for _, w := range list {
		if w.name && !isKind(w) {
			out = append(out, w)
		}
	}
	return out
}

func sameRun(a, b []word) bool {
	for i := range b {
		if !alike(a[i].stem, b[i].stem) {
			return false
		}
	}
	return true
}

// qualified says whether what is claimed is of a certain sort of thing, and the
// action doesn't say that it is of that: "no destructive migrations".
func qualified(claimed, in []word) bool {
	for i := range claimed {
		if i+1 < len(claimed) && claimed[i].name && !has(in, claimed[i]) && claimed[i+1].name && has(in, claimed[i+1]) && claimed[i].ends == ' ' {
			return true
		}
		if i > 0 && claimed[i].name && !has(in, claimed[i]) && claimed[i-1].name && has(in, claimed[i-1]) && claimed[i-1].ends == ' ' && !adverb(claimed[i].text) {
			return true
		}
	}
	return false
}

func adverb(w string) bool { return strings.HasSuffix(w, "ly") && !endLikeOne[w] }

var endLikeOne = set("apply reply supply multiply comply rely assembly family")

// thin says whether too little is left to call it the same dead end: one word
// that isn't an identifier.
func thin(claimed, in []word) bool {
	n := 0
	for _, w := range claimed {
		if has(in, w) {
			n++
			if len(w.parts) > 0 || strings.ContainsAny(w.text, "0123456789_.()") {
				n++
			}
		}
	}
	return n < 2
}

// only says whether a dead end is one name and nothing else ("no Redis"), and
// the action takes up that very thing, not something that has it in its name. A
// word for doing something ("clustering") is less than a name: something else
// that the item or its session was about must be in the action, too.
func (r *reading) only(c *claim, m *move, d *deed) bool {
	if m.stance != takesUp || len(c.words) != 1 || len(c.place) > 0 && !(m.exact && !m.edit) || !c.words[0].name {
		return false
	}
	for _, w := range m.place { // "add Redis to the glossary"
		if !m.exact && tellings[w.text] {
			return false
		}
	}
	name := c.words[0]
	if m.exact && !m.edit && len(m.head) > 0 && m.head[0].stem == name.stem { // it is the program
		return true
	}
	found, others := false, 0
	for i, w := range m.head {
		switch {
		case alike(w.stem, name.stem) || m.exact && same(w, name):
			found = true
		case has(r.title, w) || has(r.all, w) || kindsOfThing[w.text] || storesOf[w.text] || !m.exact && i == 0 && verb(w.text) || plainNumber(w.text):
		default:
			others++
		}
	}
	if !found || others > 1 || others == 1 && !m.edit {
		return false
	}
	if !strings.HasSuffix(name.text, "ing") && !verb(name.text) && !looks[name.text] {
		return true
	}
	for _, w := range d.all {
		if w.name && !has(c.words, w) && (has(r.title, w) || has(r.all, w)) {
			return true
		}
	}
	return false
}

// storesOf may follow the name of what something is kept or run in.
var storesOf = set("cache queue store storage database db broker search based index")

// whole says whether all of a name that the item is bound to, and that the
// claim is about, stands in the action.
func (r *reading) whole(claimed, in []word) bool {
	found := false
	for _, w := range r.names {
		if has(claimed, w) {
			if !has(in, w) {
				return false
			}
			found = found || w.name
		}
	}
	return found
}

// ofSomethingElse says whether what is taken up is another thing that only has
// the name in its name: "a Redis import script".
func (r *reading) ofSomethingElse(head []word) bool {
	last := head[len(head)-1]
	return !has(r.all, last) && !isKind(last)
}

// kindsOfThing may follow a name without making another thing of it.
var kindsOfThing = set("support package dependency library instance server client cluster container module manifests manifest chart charts workflow workflows playbook integration version output format again instead app today now too setup layer engine backend plugin task job endpoint button feature mode function option action toggle")

// isKind says whether a word may follow a name without making another thing of it.
func isKind(w word) bool {
	return kindsOfThing[w.text] || kindsOfThing[strings.TrimSuffix(w.text, "s")]
}

// untouched holds an action against "don't edit X".
func (r *reading) untouched(c *claim, m *move, d *deed) (meeting, bool) {
	if m.stance != touches && m.stance != givesUp {
		return meeting{}, false
	}
	for _, w := range slices.Concat(c.words, c.place) {
		if !w.path {
			continue
		}
		for _, o := range m.head {
			if o.path && below(o.text, w.text) {
				return meeting{name: w.text, share: 1, sure: m.exact}, true
			}
		}
	}
	return meeting{}, false
}

// below says whether a path is a file or lies in a folder that is named by the
// end of its path.
func below(path, of string) bool {
	path, of = "/"+strings.Trim(strings.ReplaceAll(path, `\`, "/"), "/")+"/", "/"+strings.Trim(strings.TrimPrefix(of, "./"), "/")+"/"
	return strings.Contains(path, of)
}

// offLimits holds an edit against a file that is not to be touched.
func offLimits(it *payload.Item, d *deed) (meeting, bool) {
	if it.Status != payload.FileOffLimits || it.Path == "" {
		return meeting{}, false
	}
	for i := range d.moves {
		m := &d.moves[i]
		if m.stance != touches && m.stance != givesUp {
			continue
		}
		for _, w := range m.head {
			if w.path && below(w.text, strings.ToLower(it.Path)) {
				return meeting{name: it.Path, share: 1, sure: m.exact}, true
			}
		}
	}
	return meeting{}, false
}

// otherValue holds "set X to 5" against a decision that gave X another number.
func otherValue(it *payload.Item, r *reading, m *move) (meeting, bool) {
	if m.stance != sets || it.Kind != payload.Decision || r.excepted(m, nil) {
		return meeting{}, false
	}
	text := cut(it.Text)
	other := false
	for i, w := range text {
		n := numberOf(w.text)
		if n == "" {
			continue
		}
		if unit := unitAt(text, i); m.unit != "" && unit != m.unit {
			continue
		}
		if n == m.value {
			return meeting{}, false
		}
		other = true
	}
	head := content(m.head)
	if m.loose { // told without a verb of setting: then all of it must be the item's, and say more than one thing
		for _, w := range head {
			if !slices.ContainsFunc(content(text), func(o word) bool { return alike(o.stem, w.stem) }) {
				return meeting{}, false
			}
		}
		if !slices.ContainsFunc(head, func(w word) bool { return w.name }) {
			return meeting{}, false
		}
	}
	if !other || len(head) == 0 || share(head, content(text)) < 1 {
		return meeting{}, false
	}
	named := false
	for _, w := range head {
		named = named || w.name || len(head) > 1
	}
	return meeting{name: head[0].text, share: share(head, content(text)), sure: false}, named
}
