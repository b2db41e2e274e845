package check

import (
	"path"
	"slices"
)

// excepted says whether an action is where the item says that it doesn't hold,
// or where it doesn't speak of: on my machine, not in production.
func (r *reading) excepted(m *move, d *deed) bool {
	for _, w := range r.except {
		if (w.name || len(r.except) == 1) && has(m.words, w) && !generic[w.text] {
			return true
		}
	}
	if len(r.envs) == 0 {
		return false
	}
	there := environments(m.words)
	for _, w := range m.words {
		if m.exact && !w.path {
			for _, p := range w.parts {
				there = append(there, environments([]word{{text: p}})...)
			}
		}
	}
	return len(there) > 0 && !slices.ContainsFunc(there, func(e string) bool { return slices.Contains(r.envs, e) }) || m.edit && r.elsewhereBy(d.where)
}

// elsewhereBy says whether files are of another environment than the item's:
// dev.env, where production is spoken of.
func (r *reading) elsewhereBy(files []word) bool {
	var there []string
	for _, w := range files {
		for _, p := range w.parts {
			there = append(there, environments([]word{{text: p}})...)
		}
	}
	return len(r.envs) > 0 && len(there) > 0 && !slices.ContainsFunc(there, func(e string) bool { return slices.Contains(r.envs, e) })
}

// partOf says whether what the two meet in only says whose the thing is that the
// action is about: "the gateway's status page", "the size of the pool".
func (r *reading) partOf(claimed []word, m *move) bool {
	for i, w := range m.head {
		if !has(claimed, w) {
			continue
		}
		if w.owner && i+1 < len(m.head) && !has(r.all, m.head[i+1]) && !kindsOfThing[m.head[i+1].text] {
			return true
		}
		if m.of > 0 && i >= m.of && !slices.ContainsFunc(m.head[:m.of], func(o word) bool { return has(r.all, o) || verb(o.text) && len(m.head[:m.of]) == 1 }) {
			return true
		}
	}
	return false
}

// toldOf says whether the action only has something told of it: "in the docs".
func (r *reading) toldOf(m *move) bool {
	return slices.ContainsFunc(m.words, func(w word) bool {
		return (tellings[w.text] && !tests[w.text] || pretended[w.text]) && !has(r.all, w)
	})
}

// pretended are what stands for a thing without being it.
var pretended = set("mock mocks fake stub stubs example examples sample fixture fixtures placeholder mockup")

// elsewhere says whether an action is about another place than the item. An
// item that is bound to one ("for the nightly loads") wants it named, by prose
// and edits; a command seldom names it.
func (r *reading) elsewhere(c *claim, m *move, d *deed) bool {
	var bound []word
	for _, w := range slices.Concat(c.place, r.names) {
		if !has(c.words, w) && !has(r.chosen, w) && (!has(r.tail, w) || has(c.place, w)) {
			bound = append(bound, w)
		}
	}
	named := false
	for _, w := range m.place {
		if has(c.words, w) || !w.name {
			continue
		}
		if has(r.all, w) && !(has(r.tail, w) && !has(c.place, w)) {
			return false
		}
		named = true
	}
	if len(bound) > 0 { // what it took says as well what it is about
		for _, w := range r.names {
			if has(r.chosen, w) && !has(c.words, w) {
				bound = append(bound, w)
			}
		}
	}
	if len(bound) == 0 || m.exact && !m.edit && !named {
		return false
	}
	if m.stance == takesUp && c.against && !m.exact { // "nobody gets X, do it with Y": the one is named beside the other
		for _, w := range r.names {
			if has(r.chosen, w) && !has(c.words, w) && isIn(d.all, w) {
				return false
			}
		}
	}
	for _, w := range bound {
		if m.edit && isFolder(w) && slices.ContainsFunc(bound, func(o word) bool { return !o.path && !has([]word{w}, o) }) {
			continue // many things are done in a folder: one that the item names must be there too
		}
		if has(m.words, w) || has(d.all, w) && !named || m.edit && has(d.all, w) {
			return false
		}
	}
	return true
}

// isFolder says whether a path has no ending of a file.
func isFolder(w word) bool { return w.path && path.Ext(w.text) == "" }
