package redact

// A tongue is how people write of secrets in one language, in small letters: names for them, and words before or
// between. Languages whose words don't stand apart have only the names.
type tongue struct {
	passwords []string // what a password is called
	tokens    []string // what a key or token is called: a random value must follow
	pins      []string // what a number that lets in is called
	verbs     []string // between name and value: the password for x IS y
	uses      []string // before the name, the value following it: USE the password y
	logins    []string // before "user / password"
}

// Of a word whose first letters are too common to stop at its end does: seña, lave, ogin.
var tongues = func() (all []tongue) {
	language := ""
	for _, f := range wordRows["tongue"] {
		if f[0] != language {
			language, all = f[0], append(all, tongue{})
		}
		t := &all[len(all)-1]
		*map[string]*[]string{"passwords": &t.passwords, "tokens": &t.tokens, "pins": &t.pins, "verbs": &t.verbs,
			"uses": &t.uses, "logins": &t.logins}[f[1]] = f[2:]
	}
	return all
}()

// saying is what a sentence is read with: the words of all languages as one, as texts mix them.
type saying struct {
	verbs, uses map[string]bool
}

// proseRules adds what people write of secrets.
func proseRules(b *builder) {
	all := &saying{verbs: map[string]bool{}, uses: map[string]bool{}}
	added := map[string]bool{}
	add := func(words []string, d detector) {
		for _, w := range words {
			if !added[w] {
				b.add(w, d)
			}
			added[w] = true
		}
	}
	for _, t := range tongues {
		for _, w := range t.verbs {
			all.verbs[w] = true
		}
		for _, w := range t.uses {
			all.uses[w] = true
		}
		add(t.passwords, all.password)
	}
	clear(added)
	for _, t := range tongues {
		add(t.passwords, jotted)
	}
	add([]string{"pass", "pwd", "pw", "pw:", "p/w", "pin:", "secret", "ssh ", "sftp "}, jotted)
	clear(added)
	for _, t := range tongues {
		add(t.tokens, all.token)
		add(t.logins, loginPair)
	}
	clear(added)
	for _, t := range tongues {
		add(t.pins, all.pin)
	}
	for _, verb := range []string{" as ", " is "} {
		for _, whose := range []string{"the ", "our ", "my ", "your ", "a "} {
			b.add(verb+whose, valueFirst)
		}
	}
}
