// Package tokens counts the tokens of a text with a real tokenizer, o200k_base:
// the largest public vocabulary. The makers of Claude publish none of theirs;
// what a budget needs is a count of the right size that is the same everywhere.
//
// The vocabulary is 12 MB of the binary and takes some 80 ms to load. It is
// loaded by the first Count; importing the package costs nothing.
package tokens

import (
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
	n, err := load().Count(s)
	if err != nil {
		// The split expression has no timeout and the codec no strict mode, so
		// this doesn't happen; four bytes a token is then a fair guess.
		return (len(s) + 3) / 4
	}
	return n
}

// A Counter counts texts that have lines in common: what it counted of one, it
// knows of the next. Not safe for concurrent use.
type Counter struct {
	known map[string]int // tokens of stretches, see stretch
}

// Count is the package's Count.
func (c *Counter) Count(s string) int {
	if c.known == nil {
		c.known = map[string]int{}
	}
	all := 0
	for len(s) > 0 {
		part := s[:stretch(s)]
		n, ok := c.known[part]
		if !ok {
			n = Count(part)
			c.known[part] = n
		}
		all, s = all+n, s[len(part):]
	}
	return all
}

// stretch is the length of the lines at the head of s that no token leaves: none
// goes on behind a line's end but with white space or a slash.
func stretch(s string) int {
	for i := 0; i+1 < len(s); i++ {
		if next := s[i+1]; s[i] == '\n' && next > ' ' && next < 0x7f && next != '/' {
			return i + 1
		}
	}
	return len(s)
}
