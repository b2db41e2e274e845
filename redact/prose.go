package redact

import "strings"

// A tongue is how people write of secrets in one language: in small letters,
// what they call them, and the words that stand before or between.
type tongue struct {
	passwords []string // what a password is called
	tokens    []string // what a key or token is called: a random value must follow
	verbs     []string // between name and value: the password for x IS y
	uses      []string // before the name, the value following it: USE the password y
	logins    []string // before "user / password"
}

// Of a word whose first letters are too common to stop at its end does: seña, lave, ogin.

var tongues = []tongue{
	{
		passwords: []string{"password", "passphrase", "passcode", "passwd"},
		tokens:    []string{"token", "api key", "secret", "access key", "api-key"},
		verbs:     []string{"is", "was", "to", "as", "be", "now", "became"},
		uses:      []string{"use", "using", "with", "try", "enter", "type", "user", "by", "via", "has", "and"},
		logins:    []string{"ogin with ", "ogin as ", "og in with ", "og in as ", "ign in with ", "ign in as ", "gged in as ", "credentials", "creds"},
	},
	{
		passwords: []string{"passwort", "kennwort", "passphrase"},
		tokens:    []string{"token", "schlüssel", "schluessel"},
		verbs:     []string{"ist", "war", "lautet", "auf", "zu", "heißt", "als"},
		uses:      []string{"benutze", "nutze", "verwende", "nimm", "mit", "per", "probier", "probiere", "und"},
		logins:    []string{"anmelden ", "zugangsdaten"},
	},
	{
		passwords: []string{"mot de passe", "mdp"},
		tokens:    []string{"jeton", "clé"},
		verbs:     []string{"est", "était", "en", "à", "sera"},
		uses:      []string{"utilise", "utilisez", "avec", "essaie", "mets", "par", "et"},
		logins:    []string{"identifiants"},
	},
	{
		passwords: []string{"seña", "rasena", "lave"},
		tokens:    []string{"token", "lave"},
		verbs:     []string{"es", "era", "a", "por", "será"},
		uses:      []string{"usa", "use", "con", "prueba", "pon", "y"},
		logins:    []string{"credenciales"},
	},
}

// proseRules adds what people write of secrets, in all languages as one: texts mix them.
func proseRules(b *builder) {
	verbs, uses := map[string]bool{}, map[string]bool{}
	for _, t := range tongues {
		for _, w := range t.verbs {
			verbs[w] = true
		}
		for _, w := range t.uses {
			uses[w] = true
		}
	}
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
		add(t.passwords, told(verbs, uses, "password", tellingOrQuoted))
	}
	for _, t := range tongues {
		add(t.tokens, told(verbs, uses, "token", randomWord))
		add(t.logins, loginPair)
	}
}

// A saying reaches this far.
const (
	sayingWords = 7
	sayingBytes = 90
)

// told returns what looks at the name of a secret in a sentence: behind it, at a
// verb or at once, stands the value.
func told(verbs, uses map[string]bool, kind string, looks func(v string, quoted bool) bool) detector {
	return func(s *scan, from, to int) {
		if s.at(to) == 's' || s.at(to) != ' ' || is(s.before(from), under|marks) && s.before(from) != '-' {
			return
		}
		if !tellsMore(s.text[to:min(len(s.text), to+sayingBytes)]) {
			return
		}
		said, at := false, to
		for n := 0; n < sayingWords && s.at(at) == ' ' && at-to < sayingBytes; n++ {
			at++
			open := quoteEnd(s.text, at)
			end := open
			for end < len(s.text) && end-open < 200 && strings.IndexByte(" \t\r\n\"'`<>", s.text[end]) < 0 {
				end++
			}
			v := strings.TrimRight(s.text[open:end], ".,;:!?)")
			if v == "" {
				return
			}
			if n == 0 {
				said = looks(v, open > at) && s.after(uses, from)
			}
			if said && looks(v, open > at) {
				s.add(open, open+len(v), kind)
				return
			}
			if end != open+len(v) && s.text[end-1] != ':' {
				return // the sentence ends
			}
			said = verbs[lowerASCII(v)] || said && n > 0 && len(v) <= 5 || s.text[end-1] == ':'
			if open > at {
				end++ // past the quote
			}
			at = end
		}
	}
}

// tellsMore reports whether a line goes on with a digit or a quote, without
// which no value stands in it.
func tellsMore(t string) bool {
	for i := range len(t) {
		switch c := t[i]; {
		case is(c, digit), c == '"', c == '\'', c == '`':
			return true
		case c == '\n':
			return false
		}
	}
	return false
}

// after reports whether one of the three words before a position is one of these.
func (s *scan) after(these map[string]bool, at int) bool {
	window := s.text[max(0, at-40):at]
	if i := strings.LastIndexAny(window, "\n.;"); i >= 0 {
		window = window[i+1:]
	}
	words := strings.Fields(window)
	for _, w := range words[max(0, len(words)-3):] {
		if these[strings.Trim(lowerASCII(w), ",(\"'")] {
			return true
		}
	}
	return false
}

// tellingOrQuoted reports whether a word of a sentence is a password: one that
// looks so, or words with hyphens in quotes.
func tellingOrQuoted(v string, quoted bool) bool {
	if quoted && len(v) >= 8 && !placeholder(v) && !path(v) && !label(v) && !names(v) && !identifier(v) && (strings.Count(v, "-") >= 2 || len(v) >= 12 && !strings.ContainsAny(v, "-.:/=")) {
		return true
	}
	return telling(v) && !code(v) && !label(v) && !strings.ContainsAny(v, "=()") && !dateLike(v) && shapeIn(v).digits > 0
}

// randomWord reports whether a word of a sentence is a key or a token.
func randomWord(v string, _ bool) bool {
	return len(v) >= 12 && mixed(v) && !public(v) && !placeholder(v) && !path(v) && !dotted(v) && entropy(v) > 3.2 && (jumbled(v) || !camel(v)) && !numbered(v)
}

// loginPair masks the password of "ann / password" and "ann:password" behind a
// word that says that somebody logs in.
func loginPair(s *scan, _, to int) {
	line, _, _ := strings.Cut(s.text[to:min(len(s.text), to+100)], "\n")
	for _, between := range [...]string{" / ", ":"} {
		user, rest, ok := strings.Cut(line, between)
		if ok && between == ":" && strings.HasPrefix(rest, " ") { // "credentials: ann:password"
			var more string
			more, _, ok = strings.Cut(rest[1:], between)
			user += ": " + more
		}
		if !ok || len(user) == 0 || strings.Count(user, " ") > 3 {
			continue
		}
		open, end := s.wordAt(to+len(user)+len(between), 100)
		v := strings.TrimRight(s.text[open:end], ".,;:?)")
		if telling(v) && !code(v) && !strings.Contains(v, "/") && shapeIn(v).digits > 0 {
			s.add(open, open+len(v), "password")
			return
		}
	}
}
