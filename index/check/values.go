package check

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"recall/payload"
)

// A swap is a line of an edit that stays as it is but for one value:
// "retention: 90d" becomes "retention: 14d".
type swap struct {
	key      []word // the rest of the line, words of content
	old, new string // the values, as written
}

// swaps pairs lines that went with lines that came.
func swaps(gone, added []string) []swap {
	const most = 64 // lines of each side
	gone, added = gone[:min(most, len(gone))], added[:min(most, len(added))]
	var out []swap
	for _, g := range gone {
		for _, a := range added {
			if s, ok := swapOf(g, a); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func swapOf(g, a string) (swap, bool) {
	from := 0
	for from < len(g) && from < len(a) && g[from] == a[from] {
		from++
	}
	end := 0
	for end < len(g)-from && end < len(a)-from && g[len(g)-1-end] == a[len(a)-1-end] {
		end++
	}
	inValue := func(c byte) bool { return strings.IndexByte(" \t\"'`=:,;()[]{}<>", c) < 0 }
	for from > 0 && inValue(g[from-1]) { // the whole of the value
		from--
	}
	for end > 0 && inValue(g[len(g)-end]) {
		end--
	}
	old, new := g[from:len(g)-end], a[from:len(a)-end]
	if old == "" || new == "" || strings.ContainsAny(old+new, " \t(){}<>") {
		return swap{}, false
	}
	key := content(codeWords(g[:from]))
	return swap{key: key, old: old, new: new}, len(key) > 0
}

// revalued holds an edit that gives something another value against a decision
// that says which: the old value is the decision's, the new one isn't, and what
// has the value is what the decision is about.
func revalued(it *payload.Item, r *reading, d *deed) (meeting, bool) {
	if it.Kind != payload.Decision {
		return meeting{}, false
	}
	text := chosenPart(cut(it.Text))
	if r.elsewhereBy(d.where) {
		return meeting{}, false
	}
	for _, s := range d.swaps {
		if !saysValue(text, s.key, s.old) || saysValue(text, s.key, s.new) {
			continue
		}
		names, whole := 0, ""
		for _, w := range s.key {
			if isIn(r.all, w) {
				names++
				whole = w.text
			} else {
				names += sharedParts(w, r.all)
				if whole == "" && sharedParts(w, r.all) > 0 {
					whole = w.text
				}
			}
		}
		for _, w := range d.where {
			names += sharedParts(w, r.names)
		}
		own := slices.ContainsFunc(s.key, func(w word) bool {
			return w.name && isIn(r.names, w) && (len(w.parts) > 1 || len(r.names) == 1)
		})
		if whole != "" && (own || names > 1 && r.allOf(s.key[len(s.key)-1:])) { // the days of an invoice aren't those of a message
			return meeting{name: whole, share: 1}, true
		}
	}
	return meeting{}, false
}

// chosenPart is a sentence without what it is set against, and until when.
func chosenPart(text []word) []word {
	for i, w := range text {
		switch w.text {
		case "not", "never", "instead", "rather", "until", "unless", "without":
			if i > 0 {
				return text[:i]
			}
		}
	}
	return text
}

// isIn says whether a word stands among others itself.
func isIn(list []word, w word) bool {
	return w.stem != "" && slices.ContainsFunc(list, func(o word) bool { return alike(o.stem, w.stem) })
}

// sharedParts is how many parts of an identifier stand among other words.
func sharedParts(w word, list []word) (n int) {
	for _, p := range w.parts {
		if len(p) > 2 && hasStem(list, p) {
			n++
		}
	}
	return n
}

// saysValue says whether a text has a value, as it is written or in another
// unit: "15 minutes" is 900 where the key ends in _S.
func saysValue(text, key []word, value string) bool {
	v := strings.ToLower(strings.Trim(value, "v^~"))
	n, unit, ok := quantity(v)
	if !ok { // no number: a name
		if len(v) < 4 {
			return false
		}
		return slices.ContainsFunc(text, func(w word) bool { return w.text == v })
	}
	if unit == 0 {
		unit = keyUnit(key)
	}
	for i, w := range text {
		said := w.text
		m, u, ok := quantity(said)
		if !ok {
			continue
		}
		if u == 0 && i+1 < len(text) {
			u = second(text[i+1].text)
		}
		switch {
		case near64(m, n) && (u == 0 || unit == 0 || u == unit):
			return true
		case u > 0 && unit > 0 && near64(m*u, n*unit):
			return true
		}
	}
	return false
}

func near64(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// quantity reads "2160h" and "16.0"; unit is in seconds, 0 if there is none.
func quantity(s string) (n, unit float64, ok bool) {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || s[end] == '_') {
		end++
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSuffix(s[:end], "."), "_", ""), 64)
	if err != nil {
		return 0, 0, false
	}
	rest := s[end:]
	unit = second(rest)
	return n, unit, rest == "" || unit > 0 || rest == "%"
}

// second is a unit of time in seconds, 0 if it is none.
func second(s string) float64 {
	if n := seconds[s]; n > 0 {
		return n
	}
	return seconds[strings.TrimSuffix(s, "s")]
}

var seconds = map[string]float64{"ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600,
	"d": 86400, "day": 86400, "w": 7 * 86400, "week": 7 * 86400}

// keyUnit is the unit that a key names at its end: TIMEOUT_MS, late_days.
func keyUnit(key []word) float64 {
	for _, w := range key {
		i := strings.LastIndexAny(w.text, "_-.")
		if i < 0 {
			continue
		}
		if u := second(w.text[i+1:]); u > 0 {
			return u
		}
	}
	return 0
}

// swapped holds an edit that takes what a decision chose out and what it turned
// down in: nothing else is to be known of it.
func swapped(r *reading, d *deed) (meeting, bool) {
	if len(d.gone) == 0 || r.elsewhereBy(d.where) {
		return meeting{}, false
	}
	var chosen []word
	for _, c := range r.claims {
		if !c.against {
			chosen = append(append(chosen, c.words...), c.place...)
		}
	}
	for _, c := range r.claims {
		if !c.against || !c.explicit || c.hands {
			continue
		}
		for _, w := range c.words {
			if !w.name || !isIn(d.added, w) && !identifierOf(d.added, w) || len(c.words) > 1 && share(c.words, d.added) < enough {
				continue
			}
			for _, o := range chosen {
				if o.name && !has(c.words, o) && (isIn(d.gone, o) || identifierOf(d.gone, o)) && !has(d.added, o) {
					return meeting{name: w.text, share: 1}, true
				}
			}
		}
	}
	return meeting{}, false
}

// identifierOf says whether a name begins a part of an identifier: "FreeRTOS"
// of "third_party/FreeRTOS-Kernel".
func identifierOf(list []word, w word) bool {
	return len(w.text) > 4 && slices.ContainsFunc(list, func(o word) bool {
		i := strings.Index(o.text, w.text)
		return i == 0 && o.text != w.text || i > 0 && strings.IndexByte("/._-@", o.text[i-1]) >= 0
	})
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
