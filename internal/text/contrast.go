package text

import "strings"

// A Side is one end of an axis: enable and disable, public and private.
type Side struct {
	Axis string // the first word of its line; "" for a word on no side
	End  int    // 1 or -1
}

// Sides parses lines of words that can't both be true of one thing, with a slash between
// the two ends.
func Sides(lines string) map[string]Side {
	m := map[string]Side{}
	for line := range strings.Lines(lines) {
		yes, no, _ := strings.Cut(line, "/")
		axis := strings.Fields(yes)[0]
		for _, w := range strings.Fields(yes) {
			m[w] = Side{axis, 1}
		}
		for _, w := range strings.Fields(no) {
			m[w] = Side{axis, -1}
		}
	}
	return m
}
