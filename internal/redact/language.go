package redact

import (
	"slices"
	"strings"
)

// sentenceRules reads sentences with the words of all languages at once, as texts mix them.
type sentenceRules struct {
	verbs map[string]bool // between name and value: the password for x IS y
	uses  map[string]bool // before the name, with the value after it: USE the password y
	below map[string]bool // after the name, with the value on the next line
}

// tongue are the words of all languages by what they do in a sentence.
var tongue = func() map[string][]string {
	all := map[string][]string{}
	for _, f := range wordRows["tongue"] {
		all[f[1]] = append(all[f[1]], f[2:]...)
	}
	return all
}()

var sentences = &sentenceRules{verbs: set(tongue["verbs"]...), uses: set(tongue["uses"]...),
	below: set(tongue["below"]...)}

// proseRules adds rules for how people write about secrets, in lower case. Languages that don't separate words have
// only the names. Words that begin with very common letters are cut there: seña, lave, ogin.
func proseRules(b *builder) {
	y := sentences
	add := func(words []string, d detector) {
		for i, w := range words {
			if slices.Index(words, w) == i {
				b.add(w, d)
			}
		}
	}
	add(tongue["passwords"], y.password)
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
	add(tongue["pins"], y.pin) // a number that grants access
	b.add("code", func(s *scan, from, to int) {
		if s.qualified(from, unlocking) {
			y.pin(s, from, to)
		}
	})
	for _, w := range words("after values") {
		b.add(w, valueFirst)
	}
}
