package redact

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// strength says how strongly a name suggests a secret.
type strength uint8

const (
	vague  strength = iota // salt, seed: the value must look random
	weak                   // token: so must it, unless it is set
	middle                 // api_key, secret: letters and digits
	strong                 // password: nearly anything in quotes
	number                 // pin: digits are enough
)

var strengths = []string{"vague", "weak", "middle", "strong", "number"}

// secretNames are the words in secrets' names. A whole one counts only as a separate word within a name: the pass of
// storePass and DB_PASS, not that of compass.
var secretNames = func() (all []secretName) {
	for _, f := range wordRows["name"] {
		all = append(all, secretName{f[0], f[1], strength(slices.Index(strengths, f[2])), len(f) > 3})
	}
	for _, w := range shortened() {
		if !slices.ContainsFunc(all, func(n secretName) bool { return n.literal == w }) {
			all = append(all, secretName{w, "password", strong, true})
		}
	}
	return all
}()

// shortened returns how people shorten and misspell "password".
func shortened() (all []string) {
	for _, pass := range []string{"p", "pa", "ps", "pas", "pss", "pass"} {
		for _, word := range []string{"w", "wd", "wrd", "word", "wrod", "owrd"} {
			if all = append(all, pass+word); word == "w" && !strings.Contains(pass, "s") {
				all = all[:len(all)-1] // paw
			}
		}
	}
	return all
}

type secretName struct {
	literal, kind string
	strength
	whole bool
}

// secretWord indexes secretNames by their literal.
var secretWord = func() map[string]secretName {
	m := map[string]secretName{}
	for _, n := range secretNames {
		m[n.literal], m[n.literal+"s"] = n, n
	}
	return m
}()

// tails are the words that can follow in a secret's name.
var tails = set(words("tails")...)

// nameTail bounds how much of a name is read after its word.
const nameTail = 24

// nameEnd returns where the name around the word text[from:to] ends, and whether it is still a secret's.
func (s *scan) nameEnd(from, to int, whole bool) (end int, ok bool) {
	t := s.text
	if whole && s.withinWord(from, to) {
		return to, false
	}
	for end = to; end < len(t) && end-to < nameTail; {
		next := end
		dot := t[next] == '.'
		joins := (dot || t[next] == '-') && next+1 < len(t) && is(t[next+1], alnum)
		if t[next] == '_' || joins {
			next++
		}
		piece := next
		switch {
		case next >= len(t):
		case is(t[next], digit):
			next = skip(t, next, digit, nameTail)
		case is(t[next], upper) && next+1 < len(t) && is(t[next+1], lower):
			next = skip(t, next+1, lower, nameTail)
		case is(t[next], upper):
			next = skip(t, next, upper, nameTail)
		default:
			next = skip(t, next, lower, nameTail)
		}
		if next == piece {
			break
		}
		if is(t[piece], letter) && !tails[lowerASCII(t[piece:next])] {
			return end, dot
		}
		end = next
	}
	return end, end >= len(t) || !wordChar(t[end])
}

// withinWord reports whether text[from:to] is a part of a longer word.
func (s *scan) withinWord(from, to int) bool {
	t := s.text
	return from > 0 && is(t[from-1], alnum) && !(is(t[from], upper) && !is(t[from-1], upper)) && !s.glued(from, to)
}

// glued reports whether a word of a password's name is the end of a name without a mark between: dnpass, ROOTPW, not
// compass.
func (s *scan) glued(from, to int) bool {
	class := classes[s.text[from]] & letter
	begin := from
	for begin > 0 && from-begin < 20 && is(s.text[begin-1], class) {
		begin--
	}
	after := s.at(quoteEnd(s.text, to))
	ending := s.text[from]|0x20 == 'p' && !wordChar(s.at(to)) && strings.IndexByte(" =:],>\n", after) >= 0
	if ending && class == upper && to-from < 4 {
		ending = s.before(begin) == '_' // LDAP_BINDPW, not an instruction
	}
	return ending && from-begin >= 2 && from-begin < 12 && !is(s.before(begin), alnum) &&
		!ordinaryEnds[lowerASCII(s.text[begin:from])]
}

// ordinaryEnds are what precedes "pass" in ordinary words.
var ordinaryEnds = set(words("ordinary ends")...)

// detect masks what is set to a secret's name that has the word text[from:to]: after it, below it.
func (n secretName) detect(s *scan, from, to int) {
	end, ok := s.nameEnd(from, to, n.whole)
	if !ok || !n.promises(s, from) {
		return
	}
	head := s.text[from:min(len(s.text), from+40)]
	result := n.literal == "pass" && s.before(from) != '_' && !columnOfPasses().MatchString(head)
	if !result {
		s.column(n, from, end)
	}
	v, ok := s.valueAfter(s.nameAround(from, end))
	v.strength, v.kind = n.strength, n.kind
	if ok && !n.unlikely(s, from, v) {
		v.tell(login, n.kind == "token" && n.logsIn(s, from, to, v))
		v.tell(pair, n.kind == "login" || n.literal == "credential" || n.literal == "auth")
		s.addIfSecret(v)
	}
}

// addIfSecret masks a value if it is a secret.
func (s *scan) addIfSecret(v value) {
	if v.secret() {
		s.add(v.from, v.to, v.kind)
	}
}

// beside masks what looks like a password or a key near the word.
func (n secretName) beside(s *scan, from, to int) {
	password := n.strength == strong || n.kind == "login" || n.literal == "secret" || n.literal == "credential"
	switch {
	case n.whole && s.withinWord(from, to):
	case password:
		besidePassword(s, from, to)
	default:
		besideAccess(s, from, to)
	}
}

// besidePassword masks what looks like a password near a word for one.
func besidePassword(s *scan, from, to int) {
	s.readBeside(&s.password, from, to, func(v string, at int) bool {
		ofOther := text.AnyOf(s.text[:at], strings.HasSuffix, `": "`, `":"`, `': '`) // "mode": "…"
		after := at >= to && passwordLike(v) && !sized().MatchString(v) && !strings.ContainsAny(v, "./+")
		return likely(v, at >= to) || after || wordsAndNumber(v) && !ofOther
	})
}

// besideAccess masks what looks like a key near a word for one.
func besideAccess(s *scan, from, to int) {
	s.readBeside(&s.access, from, to, func(v string, at int) bool {
		return evident(v) || at >= to && at < s.access.line && s.before(at) != '/' &&
			(hexKey(v) || randomWord(v))
	})
}

// columnOfPasses matches a column's head that isn't that of results.
var columnOfPasses = text.Pattern(`\Apass {0,32}[|,;\t]`)

// promises reports whether a word of secrecy is one beside the words around it, which can also say more.
func (n *secretName) promises(s *scan, from int) bool {
	switch {
	case n.literal == "code":
		n.strength = number
		return s.qualified(from, unlocking)
	case n.literal != "key":
		return true
	case s.qualified(from, qualifiers):
		n.strength = middle
		if s.qualified(from, interfaces) {
			n.kind = "api-key"
		}
		return true
	}
	return from > 0 && (is(s.text[from-1], word|blank) && !s.qualified(from, ordinaryKeys) || s.inQuery(from))
}

// unlikely reports whether a value can't be the name's: of a short word in a list, a "pass" that may be a verb, a
// token of pages.
func (n secretName) unlikely(s *scan, from int, v value) bool {
	switch {
	case n.literal == "secret" && s.qualified(from, []string{"existing"}), s.inARN(from):
		return true // its name
	case n.strength == number && shapeIn(v.text).digits == 0:
		return true
	case v.op == "," && !v.has(sure):
		return len(n.literal) <= 3
	case v.op == ":" && n.literal == "pass" && !v.has(named) && !is(s.before(from), word|marks):
		return !(v.has(quoted) && s.text[v.from-2] == ':') && !(s.text[from] == 'p' && v.has(sure) ||
			s.text[from+1] == 'a' && passwordLike(v.text) ||
			s.nearUser(from, v) && (wordsAndNumber(v.text) || drawn(v.text)))
	case n.literal == "pwd" && v.op == "=" && v.has(quoted) && shapeIn(v.text).digits > 0:
		return false
	case n.literal == "pwd" && !is(s.before(from), word): // a working directory, unless a user is near
		return !s.nearUser(from, v) && !mixed(v.text) && !passwordLike(v.text)
	case n.kind == "token" && len(v.text) >= 10:
		return s.qualified(from, pageWords) || n.literal == "signature" && !s.inQuery(from)
	}
	return false
}

// inARN reports whether what begins at from is part of a resource's address: arn:aws:secretsmanager:…:secret:db-a1b2.
func (s *scan) inARN(from int) bool {
	before := s.text[max(0, from-100):from]
	return strings.HasPrefix(before[strings.LastIndexAny(before, " \t\n\"'")+1:], "arn:")
}

// nearUser reports whether a user or a host is named near a name and its value.
func (s *scan) nearUser(from int, v value) bool {
	near := lowerASCII(s.text[max(0, from-80):min(len(s.text), v.to+80)])
	return text.AnyOf(near, strings.Contains, "user", "uid", "login", "host", "ssh")
}

// inQuery reports whether the name around a word is a parameter of an address.
func (s *scan) inQuery(word int) bool {
	return strings.IndexByte("?&", s.before(skipBack(s.text, word, 30))) >= 0
}

// logsIn reports whether a token is one for logging in, in which case even a hash or a UUID is secret.
func (n secretName) logsIn(s *scan, from, to int, v value) bool {
	if v.has(flag) || s.inQuery(from) || v.has(env) && strings.EqualFold(s.text[max(0, from-1):to], "_token") {
		return true
	}
	name := s.text[skipBack(s.text, from, 30):]
	ofHeader := from >= 4 && strings.IndexByte("-_", s.text[from-1]) >= 0 && (strings.EqualFold(name[:2], "x-") ||
		v.op == ":" && s.text[from-1] == '-' && is(name[0], upper) && is(s.text[from], upper))
	hash := len(v.text) >= 30 && public(v.text) && !publicID(v.text)
	return (n.literal == "token" || n.literal == "sk") && (s.qualified(from, qualifiers) || ofHeader ||
		v.set() && (hash || v.op != " " && wordChar(s.before(from))))
}

// ordinaryKeys are words before "key" that make it no secret: of a table, a cache, a keyboard.
var ordinaryKeys = words("ordinary keys")

// pageWords are words before "token" that make it a page token, or something else that isn't secret.
var pageWords = words("pages")

// Words that make what follows a credential: a key or token, an API key, a code.
var (
	qualifiers = words("qualifiers")
	interfaces = []string{"api"}
	unlocking  = words("unlocking")
)

// longestQualifier is the longest of those words, in bytes.
const longestQualifier = 16

// qualified reports whether one of the words precedes a name, separately or as part of it.
func (s *scan) qualified(from int, by []string) bool {
	end := from
	for end > 0 && strings.IndexByte(" -_.", s.text[end-1]) >= 0 && from-end < 2 {
		end--
	}
	if end == 0 || !is(s.text[end-1], word) {
		return false
	}
	before := lowerASCII(s.text[max(0, end-longestQualifier):end])
	return slices.ContainsFunc(by, func(w string) bool { return strings.HasSuffix(before, w) })
}
