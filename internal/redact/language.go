package redact

import (
	"slices"
	"strings"
)

// tongue are the words of all languages by what they do in a sentence.
var tongue = func() map[string][]string {
	all := map[string][]string{}
	for _, f := range wordRows["tongue"] {
		all[f[1]] = append(all[f[1]], f[2:]...)
	}
	return all
}()

// Words of a sentence about a secret, of all languages at once, as texts mix them.
var (
	sayingVerbs = set(tongue["verbs"]...) // between name and value: the password for x IS y
	sayingUses  = set(tongue["uses"]...)  // before the name, with the value after it: USE the password y
	sayingBelow = set(tongue["below"]...) // after the name, with the value on the next line
)

// proseRules adds rules for how people write about secrets, in lower case. Languages that don't separate words have
// only the names. Words that begin with very common letters are cut there: seña, lave, ogin.
func proseRules(r *rules) {
	add := func(words []string, d detector) {
		for i, w := range words {
			if slices.Index(words, w) == i {
				r.add(w, d)
			}
		}
	}
	add(tongue["passwords"], password)
	add(words("notes"), func(s *scan, from, to int) {
		if !is(s.before(from), word|marks) {
			besidePassword(s, from, to)
		}
	})
	add(tongue["tokens"], func(s *scan, from, to int) {
		vague := vagueNames[lowerASCII(strings.TrimLeft(s.text[from:to], " -"))]
		known := !vague || s.at(to) != ' ' && !is(s.before(from), alnum) || s.qualified(from, qualifiers)
		if known && s.isWord(from, to) {
			besideAccess(s, from, to)
		}
	})
	add(tongue["pins"], pin) // a number that grants access
	r.add("code", func(s *scan, from, to int) {
		if s.qualified(from, unlocking) {
			pin(s, from, to)
		}
	})
	for _, w := range words("after values") {
		r.add(w, valueFirst)
	}
}
