package text

import "strings"

// Lookup finds a line of a text whose lines are sorted by the part before a tab, and
// returns the part after it.
func Lookup(sorted, key string) (rest string, ok bool) {
	lo, hi := 0, len(sorted)
	for lo < hi {
		at := strings.LastIndexByte(sorted[:(lo+hi)/2], '\n') + 1
		line, _, _ := strings.Cut(sorted[at:], "\n")
		k, rest, _ := strings.Cut(line, "\t")
		switch {
		case k == key:
			return rest, true
		case k < key:
			lo = at + len(line) + 1
		default:
			hi = at
		}
	}
	return "", false
}
