package check

import (
	"slices"
	"strings"

	"recall/payload"
)

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
