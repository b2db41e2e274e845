package cue

import (
	"regexp"
	"sync"
)

// A Regexp is a regexp.Regexp that is asked only where something matches, which
// a Set of it alone tells much sooner. It is compiled when it is first used.
type Regexp struct {
	set *Set
	re  func() *regexp.Regexp
}

// One makes a Regexp. As with MustCompile, a bad pattern panics at first use.
func One(pattern string) *Regexp {
	return &Regexp{MustCompile(pattern), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

// String is the pattern.
func (r *Regexp) String() string { return r.set.patterns[0] }

// MatchString is regexp's.
func (r *Regexp) MatchString(s string) bool { return r.set.MatchString(s) }

// FindString is regexp's.
func (r *Regexp) FindString(s string) string {
	if !r.set.possible(s) {
		return ""
	}
	return r.re().FindString(s)
}

// FindStringIndex is regexp's.
func (r *Regexp) FindStringIndex(s string) []int {
	if !r.set.possible(s) {
		return nil
	}
	return r.re().FindStringIndex(s)
}

// FindStringSubmatch is regexp's.
func (r *Regexp) FindStringSubmatch(s string) []string {
	if !r.set.possible(s) {
		return nil
	}
	return r.re().FindStringSubmatch(s)
}

// FindStringSubmatchIndex is regexp's.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	if !r.set.possible(s) {
		return nil
	}
	return r.re().FindStringSubmatchIndex(s)
}

// FindAllString is regexp's.
func (r *Regexp) FindAllString(s string, n int) []string {
	if !r.set.possible(s) {
		return nil
	}
	return r.re().FindAllString(s, n)
}

// ReplaceAllString is regexp's.
func (r *Regexp) ReplaceAllString(s, repl string) string {
	if !r.set.possible(s) {
		return s
	}
	return r.re().ReplaceAllString(s, repl)
}
