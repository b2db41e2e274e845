package redact

import (
	"strings"
	"unicode/utf8"
)

// A tongue is how people write of secrets in one language, in small letters:
// what they call them, and the words that stand before or between. Languages
// whose words don't stand apart have no more than the names.
type tongue struct {
	passwords []string // what a password is called
	tokens    []string // what a key or token is called: a random value must follow
	pins      []string // what a number that lets in is called
	verbs     []string // between name and value: the password for x IS y
	uses      []string // before the name, the value following it: USE the password y
	logins    []string // before "user / password"
}

// Of a word whose first letters are too common to stop at its end does: seña, lave, ogin.
var tongues = []tongue{
	{ // English
		passwords: []string{"password", "passphrase", "passcode", "passwd", " pwd", " pw"},
		tokens:    []string{"token", "secret", "key", "private", "access", "2fa", "totp", " otp"},
		pins:      []string{" pin", "passcode"},
		verbs:     []string{"is", "was", "to", "as", "be", "now", "became", "remains", "=", ":", "->", "→"},
		uses: []string{"use", "using", "with", "try", "enter", "type", "user", "by", "via", "has", "and",
			"set", "send", "got"},
		logins: []string{"ogin with ", "ogin as ", "og in with ", "og in as ", "ign in ", "gged in ",
			"ogin (", "ogin: ", "credentials", "creds"},
	},
	{ // German
		passwords: []string{"passwort", "kennwort", "passphrase"},
		tokens:    []string{"token", "schlüssel", "schluessel"},
		pins:      []string{"geheimzahl"},
		verbs:     []string{"ist", "war", "lautet", "lautete", "auf", "zu", "heißt", "hieß", "hiess", "als"},
		uses:      []string{"benutze", "nutze", "verwende", "nimm", "mit", "per", "probier", "probiere", "und"},
		logins:    []string{"anmelden ", "zugangsdaten"},
	},
	{ // French
		passwords: []string{"mot de passe", "mdp"},
		tokens:    []string{"jeton", "clé"},
		verbs:     []string{"est", "était", "en", "à", "sera"},
		uses:      []string{"utilise", "utilisez", "avec", "essaie", "mets", "par", "et"},
		logins:    []string{"identifiants"},
	},
	{ // Spanish
		passwords: []string{"seña", "rasena", "lave"},
		tokens:    []string{"token", "lave"},
		verbs:     []string{"es", "era", "a", "por", "será"},
		uses:      []string{"usa", "use", "con", "prueba", "pon", "y"},
		logins:    []string{"credenciales"},
	},
	{ // Portuguese, Italian, Dutch
		passwords: []string{"senha", "parola d'ordine", "wachtwoord"},
		tokens:    []string{"chave", "chiave", "sleutel"},
		verbs:     []string{"é", "foi", "è", "era", "wordt"},
	},
	{ // Russian
		passwords: []string{"парол"},
		tokens:    []string{"ключ", "токен"},
		verbs:     []string{"это", "—", "-"},
	},
	{ // Chinese, Japanese, Korean
		passwords: []string{"密码", "密碼", "口令", "パスワード", "비밀번호", "비번", "암호", "패스워드"},
		tokens:    []string{"密钥", "密鑰", "令牌", "トークン", "キー", "토큰", "키는"},
		pins:      []string{"暗証番号"},
	},
}

// saying is what a sentence is read with: the words of all languages as one, as
// texts mix them.
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
}

// A sentence is read this far on either side of a name.
const (
	sayingWords = 7
	sayingBytes = 90
)

// nearness says how a word stands to the name of a secret before it.
type nearness uint8

const (
	somewhere nearness = iota // in its sentence
	next                      // it follows the name
	told                      // a colon or a quote says that it is the value
	said                      // a verb does
)

func (y *saying) password(s *scan, from, to int) {
	if !s.isWord(from, to) {
		return
	}
	if s.goesOn(to) && s.tellsMore(to) {
		y.after(s, from, to, "password", func(v string, near nearness, quoted bool) bool {
			return unmistakable(v) || near != somewhere && tellingOrQuoted(v, quoted) &&
				(near >= told || len(v) >= 8 && mixed(v) && !public(v)) || near == said && quoted && quotable(v)
		})
	}
	s.beforeName(from)
}

func (y *saying) token(s *scan, from, to int) {
	if !s.goesOn(to) || !s.isWord(from, to) {
		return
	}
	name := lowerASCII(strings.TrimLeft(s.text[from:to], " -"))
	vague, glued := vagueNames[name], is(s.before(from), alnum)
	if (vague || glued) && s.text[to] == ' ' && !s.randomNext(to) && (glued || !s.qualified(from)) || !s.tellsMore(to) {
		return
	}
	known := glued || name == "secret" || s.qualified(from)
	y.after(s, from, to, "token", func(v string, near nearness, quoted bool) bool {
		switch {
		case near == next && known && len(v) >= 32 && public(v) && mixed(v):
			return true
		case glued || vague && !known:
			return near == next && shuffled(v) && randomWord(v, quoted) && (known || jumbled(v))
		case near == somewhere:
			return len(v) >= 24 && randomWord(v, quoted)
		case near >= told && randomWord(v, quoted), near == next && unmistakable(v):
			return true
		}
		return shuffled(v) && randomWord(v, quoted)
	})
}

// shuffled reports whether a word is long, or changes between letters and digits or
// between cases so often that it is no name.
func shuffled(v string) bool {
	return len(v) >= 20 || len(v) >= 14 && (caseSwitches(v)*4 >= len(v) || shapeIn(v).mostSwitches >= 5)
}

// randomNext reports whether what follows a name is as long as random values are.
func (s *scan) randomNext(to int) bool {
	at := quoteEnd(s.text, to+1)
	return skip(s.text, at, word|marks, 14) == at+14
}

// vagueNames are of other things too unless the word before says more.
var vagueNames = set("key", "private", "access")

func (y *saying) pin(s *scan, from, to int) {
	if !s.goesOn(to) || !s.isWord(from, to) || !s.tellsMore(to) {
		return
	}
	y.after(s, from, to, "password", func(v string, near nearness, _ bool) bool {
		return near != somewhere && len(v) >= 4 && len(v) <= 12 && skip(v, 0, digit, len(v)) == len(v) &&
			distinct(v) > 2
	})
}

// isWord reports whether text[from:to] stands as a word of a sentence does.
func (s *scan) isWord(from, to int) bool {
	if next := s.at(to); next < utf8.RuneSelf && strings.IndexByte(" :,.?!)\n\r", next) < 0 {
		return false
	}
	return s.text[from] == ' ' || !is(s.before(from), under|marks) || s.before(from) == '-'
}

// jotted masks a password where people note an access: "id/pw: ann/x", "(pw:x)",
// "PASS - x", with whatever marks between. So the value has to look like nothing
// else.
func jotted(s *scan, from, to int) {
	const reach, runs, jottedRun = 60, 8, 48
	name := s.text[from:to]
	if !s.tellsMore(to) {
		return
	}
	if c := s.at(to); is(c, alnum) && is(name[len(name)-1], alnum) || c == '_' || c == '@' ||
		skip(s.text, to, word|marks, jottedRun) == to+jottedRun {
		return
	}
	glued := is(s.before(from), alnum) && !(is(name[0], upper) && is(s.before(from), lower))
	if glued && !strings.EqualFold(name, "pwd") && !strings.EqualFold(name, "pw:") {
		return
	}
	end := min(len(s.text), to+reach)
	for at, n := to, 0; at < end && n < runs && s.text[at] != '\n'; {
		if !jots[s.text[at]] {
			at++
			continue
		}
		stop := at
		for stop < len(s.text) && jots[s.text[stop]] {
			stop++
		}
		if v := strings.TrimRight(s.text[at:stop], "!?"); noted(v) && skip(s.text, stop, word|marks, 24) < stop+24 {
			s.add(at, at+len(v), "password")
			return
		}
		at, n = stop, n+1
	}
}

// jots are the characters of a password that is jotted down.
var jots = func() (t [256]bool) {
	for c := range t {
		t[c] = is(byte(c), alnum) || strings.IndexByte("!#$^*?@_", byte(c)) >= 0
	}
	return t
}()

// noted reports whether a word is letters of both cases and digits, or letters,
// digits and marks, as nothing but passwords is.
func noted(v string) bool {
	t := shapeIn(v)
	if len(v) < 7 || len(v) > 40 || t.digits == 0 || t.lower+t.upper < 3 || placeholder(v) || numbered(v) ||
		names(v) || strings.HasPrefix(v, "0x") {
		return false
	}
	return strings.ContainsAny(v, "!#$^*?") && strings.IndexAny(v, "$#*") != 0 ||
		t.other == strings.Count(v, "_") && t.lower > 0 && t.upper > 0 && !camel(v)
}

// goesOn reports whether a sentence goes on behind a name: where words don't stand
// apart, with anything.
func (s *scan) goesOn(to int) bool {
	c := s.at(to)
	return c == ' ' || c >= utf8.RuneSelf || s.text[to-1] >= utf8.RuneSelf
}

// qualifiers are the words that make a key, a token or a secret one that lets in.
var qualifiers = []string{"api", "auth", "access", "admin", "secret", "private", "master", "account", "app",
	"application", "client", "channel", "shared",
	"consumer", "webhook", "oauth", "bootstrap", "deploy", "personal", "refresh", "bot", "session", "service",
	"registry", "license", "encryption",
	"signing", "server", "write", "storage", "bearer", "authentication", "subscription", "preshared", "security"}

// qualified reports whether the word before a name, apart or as a part of the same
// name, says that it is of something that lets in.
func (s *scan) qualified(from int) bool {
	end := from
	for end > 0 && strings.IndexByte(" -_", s.text[end-1]) >= 0 && from-end < 2 {
		end--
	}
	if end == 0 {
		return false
	}
	for _, w := range qualifiersBy[s.text[end-1]|0x20] {
		if len(w) <= end && strings.EqualFold(s.text[end-len(w):end], w) {
			return true
		}
	}
	return false
}

// qualifiersBy are the qualifiers by their last letter.
var qualifiersBy = func() (t [256][]string) {
	for _, w := range qualifiers {
		t[w[len(w)-1]] = append(t[w[len(w)-1]], w)
	}
	return t
}()

// after looks at the words behind the name of a secret, and masks the first that
// looks like its value.
func (y *saying) after(s *scan, from, to int, kind string, looks func(v string, near nearness, quoted bool) bool) {
	near := next
	for n, at := 0, to; n < sayingWords && at-to < sayingBytes; n++ {
		at = s.wordGap(at)
		if at >= len(s.text) || s.text[at] == '\n' {
			return
		}
		open := quoteEnd(s.text, at)
		end := open
		for end < len(s.text) && end-open < 200 && (strings.IndexByte(" \t\r\n\"'`<>", s.text[end]) < 0 ||
			s.apostrophe(end)) && !s.scriptEnds(end) {
			end++
		}
		whole := s.text[open:end]
		v := strings.TrimLeft(strings.TrimRight(whole, ".,;:!?)*"), "(*")
		if v == "" {
			if whole != "" && whole[len(whole)-1] == ':' {
				near, at = told, end
				continue
			}
			return
		}
		if n == 0 && (open > at || y.used(s, from)) {
			near = told
		}
		if looks(v, near, open > at) {
			start := open + strings.Index(whole, v)
			s.add(start, start+len(v), kind)
			return
		}
		last := whole[len(whole)-1]
		switch {
		case y.verbs[lowerASCII(v)]:
			near = said
		case last == ':':
			near = told
		case strings.IndexByte(".;!?", last) >= 0:
			return // the sentence ends
		case near >= told && n > 0 && len(v) <= 5:
		default:
			near = somewhere
		}
		if open > at && s.at(end) == s.text[open-1] {
			end++ // past the quote
		}
		at = end
	}
}

// wordGap skips what stands between two words, and between a word and a value in
// scripts without blanks.
func (s *scan) wordGap(at int) int {
	for at < len(s.text) && (is(s.text[at], blank) || s.text[at] >= 0xe3 && s.text[at] <= 0xef) {
		if s.text[at] >= 0xe3 {
			at += 2
		}
		at++
	}
	for at < len(s.text) && s.text[at] >= 0x80 && s.text[at] < 0xc0 {
		at++
	}
	return skip(s.text, at, blank, 2)
}

// scriptEnds reports whether a word of another script begins at at.
func (s *scan) scriptEnds(at int) bool { return s.text[at] >= 0xe3 && s.text[at] <= 0xef }

// apostrophe reports whether a quote at at stands within a word.
func (s *scan) apostrophe(at int) bool {
	return s.text[at] == '\'' && at > 0 && is(s.text[at-1], letter) && (is(s.at(at+1), letter) ||
		s.at(at+1) >= 0xc0) && s.at(at+2) != 0
}

// used reports whether one of the three words before a name says that it is used.
func (y *saying) used(s *scan, at int) bool {
	window := s.text[max(0, at-40):at]
	if i := strings.LastIndexAny(window, "\n.;"); i >= 0 {
		window = window[i+1:]
	}
	words := strings.Fields(window)
	for _, w := range words[max(0, len(words)-3):] {
		if y.uses[strings.Trim(lowerASCII(w), ",(\"'")] {
			return true
		}
	}
	return false
}

// beforeName masks a password that stands in a sentence before its name.
func (s *scan) beforeName(from int) {
	begin, digits := from, 0
	for begin > 0 && from-begin < 60 && s.text[begin-1] != '\n' && s.text[begin-1] != ';' {
		begin--
		if is(s.text[begin], digit) {
			digits++
		}
	}
	if digits == 0 {
		return
	}
	window := s.text[begin:from]
	at := from - len(window)
	for word := range strings.SplitSeq(window, " ") {
		v := strings.Trim(word, ".,;:?)(\"'`")
		says := strings.HasPrefix(window[at+len(window)-from+len(word):], " is ")
		if unmistakable(v) || says && noted(v) {
			begin := at + strings.Index(word, v)
			s.add(begin, begin+len(v), "password")
		}
		at += len(word) + 1
	}
}

// unmistakable reports whether a word near the name of a password can't be
// anything else: letters, digits, and a mark between them.
func unmistakable(v string) bool {
	if len(v) < 8 || len(v) > 64 || strings.ContainsAny(v, "/:=()[]{}<>\\;,\"'|`") || placeholder(v) {
		return false
	}
	mark := strings.IndexAny(v[1:], "!$^&*?#@%")
	t := shapeIn(v)
	if mark < 0 || mark+2 == len(v) || t.digits == 0 || t.lower+t.upper < 3 || t.lower+t.upper+t.digits < 6 {
		return false
	}
	mark++
	switch v[mark] {
	case '%':
		return !is(v[mark+1], hexa)
	case '#', '@': // of links and versions
		return !strings.Contains(v, ".") && is(v[mark+1], alnum) && strings.ContainsAny(v[mark+1:], "!$^&*?")
	}
	return is(v[mark-1], alnum) && is(v[mark+1], alnum)
}

// tellsMore reports whether a line continues a digit or a quote, without
// which no value stands in it.
func (s *scan) tellsMore(at int) bool {
	for _, c := range []byte(s.text[at:min(len(s.text), at+sayingBytes)]) {
		if ends[c] != 0 {
			return ends[c] == 1
		}
	}
	return false
}

// ends tells what tellsMore stops at: 1 if a value may stand there, 2 if none does.
var ends = func() (t [256]uint8) {
	for _, c := range "0123456789\"'`" {
		t[c] = 1
	}
	t['\n'] = 2
	return t
}()

// tellingOrQuoted reports whether a word of a sentence is a password: one that
// looks so, or words with hyphens in quotes.
func tellingOrQuoted(v string, quoted bool) bool {
	if quoted && len(v) >= 8 && !placeholder(v) && !path(v) && !label(v) && !names(v) && !identifier(v) &&
		(strings.Count(v, "-") >= 2 || len(v) >= 12 && !strings.ContainsAny(v, "-.:/=")) {
		return true
	}
	return telling(v) && !code(v) && !label(v) && !strings.ContainsAny(v, "=()") && !dateLike(v) &&
		shapeIn(v).digits > 0
}

// quotable reports whether a word is a password where a sentence says that it is
// what is in quotes: anything but a word for how passwords are.
func quotable(v string) bool {
	return len(v) >= 5 && len(v) < 40 && skip(v, 0, alnum|under, len(v)) == len(v) && !placeholder(v) && !names(v) &&
		!qualities[lowerASCII(v)] && lowerASCII(v) == v
}

var qualities = set("required", "incorrect", "invalid", "correct", "valid", "expired", "changed", "stored",
	"short", "common",
	"blank", "needed", "hashed", "cleared", "weak", "strong", "unknown", "rejected", "accepted", "forgotten",
	"exposed", "leaked")

// randomWord reports whether a word of a sentence is a key or a token.
func randomWord(v string, _ bool) bool {
	return len(v) >= 12 && mixed(v) && !public(v) && !placeholder(v) && !path(v) && !dotted(v) &&
		entropy(v) > 3.2 && (jumbled(v) || !camel(v)) && !numbered(v)
}

// loginPair masks the password of "ann / password" and "ann:password" behind a
// word that says that somebody logs in.
func loginPair(s *scan, _, to int) {
	line, _, _ := strings.Cut(s.text[to:min(len(s.text), to+100)], "\n")
	for _, between := range [...]string{" / ", ":", ", "} {
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
		if telling(v) && !code(v) && !strings.Contains(v, "/") && shapeIn(v).digits > 0 && (between != ", " ||
			unmistakable(v)) {
			s.add(open, open+len(v), "password")
			return
		}
	}
}
