package text

import (
	"regexp"
	"sync"
)

// Pattern defers compiling an expression to its first use, since most commands use few of them. Inlining its three
// functions at every use would add 0.3 MB to the program.
//
//go:noinline
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
