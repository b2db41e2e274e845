package redact

import "slices"

// sentenceRules reads sentences with the words of all languages at once, as texts mix them.
type sentenceRules struct {
	verbs map[string]bool // between name and value: the password for x IS y
	uses  map[string]bool // before the name, with the value after it: USE the password y
	below map[string]bool // after the name, with the value on the next line
}

// proseRules adds rules for how people write about secrets, in lower case. Languages that don't separate words have
// only the names. Words that begin with very common letters are cut there: seña, lave, ogin.
func proseRules(b *builder) {
	said := map[string][]string{}
	for _, f := range wordRows["tongue"] {
		said[f[1]] = append(said[f[1]], f[2:]...)
	}
	y := &sentenceRules{verbs: set(said["verbs"]...), uses: set(said["uses"]...), below: set(said["below"]...)}
	add := func(words []string, d detector) {
		for i, w := range words {
			if slices.Index(words, w) == i {
				b.add(w, d)
			}
		}
	}
	add(said["passwords"], y.password)
	add(append(said["passwords"], words("notes")...), credentialNote)
	add(words("access"), besideAccess)
	add(said["passwords"], besidePassword)
	add(said["tokens"], y.token) // a random value must follow
	add(said["pins"], y.pin)     // a number that grants access
	b.add("code", func(s *scan, from, to int) {
		if s.qualified(from, unlocking) {
			y.pin(s, from, to)
		}
	})
	for _, w := range words("after values") {
		b.add(w, valueFirst)
	}
}
