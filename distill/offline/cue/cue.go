// Package cue matches many regular expressions against a text in one pass.
//
// A sentence is asked for some fifty cues. Asking each with package regexp
// reads the sentence fifty times, backtracking; here all patterns are one
// automaton that is made deterministic as texts call for it, one table look-up
// a byte. Answers are those of regexp, whatever the text.
//
// A pattern with a wide loop inside ("use .{2,120} instead") would multiply the
// automaton's states by each place where the loop may have begun. Such patterns
// are asked for their parts ("use", "instead") in the same pass; where all
// parts occur, regexp has the last word.
package cue

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// MaxPatterns is how many patterns a Set may hold.
const MaxPatterns = 256

// A Set is a list of regular expressions in the syntax of package regexp. It
// may be used by several goroutines at once.
type Set struct {
	patterns []string
	once     sync.Once
	m        *machine
	checks   []check // ways to match that parts alone don't decide
	dots     bits    // patterns that are "." alone: the machine would stop at every rune
	err      error   // of the first bad pattern
}

// A check is a way to match a pattern for which regexp has to be asked when all
// its parts occur: for that way alone, where the whole pattern may be too much for
// regexp's quicker methods.
type check struct {
	pattern int
	need    bits // units of the parts
	re      func() *regexp.Regexp
}

// Compile makes a Set. It fails if a pattern does not parse or there are more
// than MaxPatterns.
func Compile(patterns ...string) (*Set, error) {
	s := MustCompile(patterns...)
	if s.once.Do(s.compile); s.err != nil {
		return nil, s.err
	}
	return s, nil
}

// MustCompile makes a Set whose patterns are compiled when it is first used, so
// that a package's variables cost nothing to a program that doesn't need them.
// That first use panics if Compile would have failed.
func MustCompile(patterns ...string) *Set { return &Set{patterns: patterns} }

// Len is the number of patterns.
func (s *Set) Len() int { return len(s.patterns) }

// Match tells which patterns match anywhere in a text: for each what
// regexp.MatchString says.
func (s *Set) Match(text string) Matches {
	s.ready()
	found := s.m.run(text, false)
	got := found.and(s.m.whole)
	if s.dots != (bits{}) && anyRune(text) {
		got.add(&s.dots)
	}
	for i := range s.checks {
		if c := &s.checks[i]; !got.has(c.pattern) && found.hasAll(&c.need) && c.re().MatchString(text) {
			got.set(c.pattern)
		}
	}
	return Matches{got}
}

// MatchString tells whether any pattern matches in a text. A Set of one pattern
// stands in for a regexp.Regexp that is asked for nothing else.
func (s *Set) MatchString(text string) bool {
	s.ready()
	if s.dots != (bits{}) && anyRune(text) {
		return true
	}
	found := s.m.run(text, true)
	if found.and(s.m.whole) != (bits{}) {
		return true
	}
	for i := range s.checks {
		if c := &s.checks[i]; found.hasAll(&c.need) && c.re().MatchString(text) {
			return true
		}
	}
	return false
}

// possible tells whether a pattern may match in a text: if not, none does.
func (s *Set) possible(text string) bool {
	s.ready()
	if s.dots != (bits{}) && anyRune(text) {
		return true
	}
	found := s.m.run(text, true)
	if found.and(s.m.whole) != (bits{}) {
		return true
	}
	for i := range s.checks {
		if found.hasAll(&s.checks[i].need) {
			return true
		}
	}
	return false
}

// anyRune tells whether "." matches.
func anyRune(text string) bool { return strings.Trim(text, "\n") != "" }

func (s *Set) ready() {
	if s.once.Do(s.compile); s.err != nil {
		panic(s.err)
	}
}

// Matches tells which patterns of a Set matched, by their place in it.
type Matches struct{ bits bits }

// Has tells whether pattern i matched.
func (m Matches) Has(i int) bool { return i >= 0 && i < MaxPatterns && m.bits.has(i) }

// Any tells whether any pattern matched.
func (m Matches) Any() bool { return m.bits != bits{} }

// compile builds the machine. Unit i is what of pattern i can be matched as it
// stands; the units after those are the parts of patterns with wide loops.
func (s *Set) compile() {
	if len(s.patterns) > MaxPatterns {
		s.err = fmt.Errorf("cue: %d patterns, at most %d", len(s.patterns), MaxPatterns)
		return
	}
	units := make([]*syntax.Regexp, len(s.patterns))
	for i, p := range s.patterns {
		re, err := syntax.Parse(p, syntax.Perl)
		if err != nil {
			s.err = fmt.Errorf("cue: pattern %d: %w", i, err)
			return
		}
		if re.Op == syntax.OpAnyCharNotNL {
			s.dots.set(i)
			continue
		}
		whole, sketches := split(re)
		n := 0
		for _, w := range sketches {
			n += len(w.parts)
		}
		if len(units)+n > maxUnits {
			whole, sketches = re, nil // slower, not wrong
		}
		units[i] = whole
		for _, w := range sketches {
			c := check{pattern: i, re: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(w.exact.String()) })}
			for _, part := range w.parts {
				c.need.set(len(units))
				units = append(units, part)
			}
			s.checks = append(s.checks, c)
		}
	}
	s.m = newMachine(units, len(s.patterns))
}

// maxUnits is how many expressions one machine looks for.
const maxUnits = 64 * len(bits{})

// bits is a set of units.
type bits [6]uint64

func (b *bits) set(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b *bits) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

func (b *bits) hasAll(o *bits) bool {
	for i, w := range o {
		if w&^b[i] != 0 {
			return false
		}
	}
	return true
}

func (b *bits) add(o *bits) {
	for i, w := range o {
		b[i] |= w
	}
}

func (b bits) and(o bits) bits {
	for i := range b {
		b[i] &= o[i]
	}
	return b
}
