package brief

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// shared counts the words of a task that were said. Two that stand side by side in both are one name: "access points".
func shared(task, said string) int {
	n, in := text.Words(said).Shared(text.Words(task)), map[[2]string]bool{}
	pairs(said, func(pair [2]string) bool { in[pair] = true; return false })
	pairs(task, func(pair [2]string) bool {
		one := in[pair]
		if one {
			n--
			delete(in, pair)
		}
		return one
	})
	return n
}

// pairs calls one for content words that stand side by side in a text, if its script has spaces between words. If it
// returns true, the second of them belongs to no other pair.
func pairs(s string, one func([2]string) bool) {
	before := ""
	text.Each(s, func(w string) bool {
		stem := ""
		if !text.Stop(w) && !strings.ContainsFunc(w, text.Unspaced) {
			stem = text.Stem(w)
		}
		if before != "" && stem != "" && before != stem && one([2]string{before, stem}) {
			stem = ""
		}
		before = stem
		return true
	})
}

// meet reports whether a sentence of a task and one of what was said have some words in common. Any two long texts do.
func meet(task, said string) bool {
	return slices.ContainsFunc(text.Sentences(task, true), func(s string) bool {
		return shared(s, text.Nearest(said, text.Words(s))) >= fewWords
	})
}
