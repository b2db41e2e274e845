package text

import (
	"regexp"
	"sync"
)

// Pattern puts off compiling an expression to its first use: most commands use few of
// those that there are. Inlined, its three functions would be in the program for each of them: 0.3 MB.
//
//go:noinline
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
