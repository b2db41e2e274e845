package check

import (
	"slices"
	"strings"
)

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
