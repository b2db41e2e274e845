// Package tokens counts the tokens of a text with a real tokenizer, o200k_base:
// the largest public vocabulary. The makers of Claude publish none of theirs;
// what a budget needs is a count of the right size that is the same everywhere.
//
// The vocabulary is 12 MB of the binary and takes some 80 ms to load. It is
// loaded by the first Count; importing the package costs nothing.
package tokens

import (
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Name is the vocabulary that Count uses.
const Name = "o200k_base"

// Only this one vocabulary is linked: the tokenizer package above codec would
// bring in all of them.
var load = sync.OnceValue(codec.NewO200kBase)

// Count returns the number of tokens of s. Safe for concurrent use.
func Count(s string) int {
	all := 0
	for len(s) > 0 {
		n := stretch(s)
		all, s = all+known.count(s[:n]), s[n:]
	}
	return all
}

// counts are the tokens of what was counted before: texts have most of their words
// in common, and the same page is counted until it fits.
type counts struct {
	mu sync.Mutex // guards of
	of map[string]int
}

// mostKnown is how many stretches are remembered, of at most longKnown bytes.
const (
	mostKnown = 1 << 14
	longKnown = 256
)

var known = counts{of: map[string]int{}}

func (c *counts) count(s string) int {
	if len(s) > longKnown {
		return count(s)
	}
	c.mu.Lock()
	n, ok := c.of[s]
	c.mu.Unlock()
	if ok {
		return n
	}
	n = count(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.of) == mostKnown {
		clear(c.of)
	}
	c.of[strings.Clone(s)] = n // s is of a text that need not stay
	return n
}

// count asks the tokenizer.
func count(s string) int {
	n, err := load().Count(s)
	if err != nil {
		// The split expression has no timeout and the codec no strict mode, so
		// this doesn't happen; four bytes a token is then a fair guess.
		return (len(s) + 3) / 4
	}
	return n
}

// stretch is the length of a head of s that no token leaves: a line, since none goes
// on behind its end but with white space or a slash, or a word, since none has a
// space in it but as its first byte or among other white space.
func stretch(s string) int {
	before := byte(' ')
	for i := 0; i+1 < len(s); i++ {
		c, next := s[i], s[i+1]
		switch {
		case !visible(next):
		case c == ' ' && visible(before):
			return i
		case c == '\n' && next != '/':
			return i + 1
		}
		before = c
	}
	return len(s)
}

// visible tells the characters of ASCII that are no white space.
func visible(c byte) bool { return c > ' ' && c < 0x7f }
