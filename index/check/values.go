package check

import (
	"slices"
	"strconv"
	"strings"

	"recall/payload"
)

// otherValue is how much of the line in which an action sets a number is about the item, if the item says
// another number: "set the retry budget to 5".
func (r *reading) otherValue(p *phrase) float64 {
	best := 0.0
	if r.kind == payload.Eliminated {
		return 0
	}
	for _, line := range p.lines {
		for i, w := range line {
			if n, ok := number(w); ok && !has(p.removed, w) && r.saysOther(n) {
				best = max(best, share(slices.Delete(slices.Clone(line), i, i+1), r.all))
			}
		}
	}
	return best
}

// saysOther reports whether a decision says another number, and not this one.
func (r *reading) saysOther(n float64) (other bool) {
	for _, w := range r.text {
		m, ok := number(w)
		if ok && m == n {
			return false
		}
		other = other || ok
	}
	return other
}

func number(w word) (float64, bool) {
	if !strings.ContainsAny(w.text[:1], "0123456789") {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimRight(w.text, "%."), 64)
	return n, err == nil
}
