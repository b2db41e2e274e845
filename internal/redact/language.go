package redact

// A language holds how people write about secrets in it, in lower case: names for them, and words before or between.
// Languages that don't separate words have only the names.
type language struct {
	passwords []string // names for a password
	tokens    []string // names for a key or token: a random value must follow
	pins      []string // names for a number that grants access
	verbs     []string // between name and value: the password for x IS y
	uses      []string // before the name, with the value after it: USE the password y
	below     []string // after the name, with the value on the next line
}

// Words that begin with very common letters are cut there: seña, lave, ogin.
var languages = func() (all []language) {
	name := ""
	for _, f := range wordRows["tongue"] {
		if f[0] != name {
			name, all = f[0], append(all, language{})
		}
		t := &all[len(all)-1]
		*map[string]*[]string{"passwords": &t.passwords, "tokens": &t.tokens, "pins": &t.pins, "verbs": &t.verbs,
			"uses": &t.uses, "below": &t.below}[f[1]] = f[2:]
	}
	return all
}()

// sentenceRules reads sentences with the words of all languages at once, as texts mix them.
type sentenceRules struct {
	verbs, uses, below map[string]bool
}

// proseRules adds rules for how people write about secrets.
func proseRules(b *builder) {
	all := &sentenceRules{verbs: map[string]bool{}, uses: map[string]bool{}, below: map[string]bool{}}
	added := map[string]bool{}
	add := func(words []string, d detector) {
		for _, w := range words {
			if !added[w] {
				b.add(w, d)
			}
			added[w] = true
		}
	}
	for _, t := range languages {
		for _, w := range t.verbs {
			all.verbs[w] = true
		}
		for _, w := range t.uses {
			all.uses[w] = true
		}
		for _, w := range t.below {
			all.below[w] = true
		}
		add(t.passwords, all.password)
	}
	clear(added)
	for _, t := range languages {
		add(t.passwords, credentialNote)
	}
	add(words("notes"), credentialNote)
	clear(added)
	for _, t := range languages {
		add(t.tokens, all.token)
	}
	clear(added)
	for _, t := range languages {
		add(t.pins, all.pin)
	}
	for _, as := range []string{" as ", " comme ", " como ", " als ", " come ", " som ", " jako "} {
		b.add(as, valueFirst)
	}
	for _, verb := range []string{" is ", " (", " (that's ", " that's ", " it's "} {
		for _, whose := range []string{"the ", "our ", "my ", "your ", "a "} {
			b.add(verb+whose, valueFirst)
		}
	}
}
