package text

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Pattern defers compiling an expression to its first use, since most commands use few of them. Inlining its three
// functions at every use would add 0.3 MB to the program.
//
//go:noinline
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Mentions reports whether a text has one of some words, given in small letters, be it within others: a quick way to
// tell that a Pattern, each of whose forms has one of them, doesn't match.
func Mentions(s string, words ...string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}
