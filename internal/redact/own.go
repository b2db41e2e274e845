package redact

import (
	"strings"

	"recall/internal/text"
)

// ownRules adds recall's own rules that are no expression: what gitleaks' rules miss in transcripts.
func ownRules(r *rules) {
	r.add("://", urlPassword)
	for _, before := range []string{"cookie:", "cookie\":", "cookie \"", "cookie '", "cookie = ", " -b \"", " -b '"} {
		r.add(before, cookie)
	}
	for _, w := range words("rescues") {
		r.add(w, codes)
	}
	for _, w := range words("rescue stems") {
		r.add(w, rescued)
	}
	for _, mark := range append(joinMarks, encodedMarks...) {
		r.add(mark, func(s *scan, _, _ int) { s.undo = true })
	}
	proseRules(r)
	for _, w := range words("in commands") {
		r.add(controls.Replace(w), printed)
	}
	for _, w := range words("printers") {
		r.add(w, printedAlone)
	}
	for _, w := range words("keepers") {
		r.add(w, kept)
	}
	for _, w := range words("calls") {
		r.add(w, arguments)
	}
	r.add(" / ", func(s *scan, from, _ int) { s.afterAddress(from) })
	for _, w := range words("users") {
		r.add(w, afterUser)
	}
	r.add("-----begin", keyBlock)
	r.add("-----end", keyTail)
	for _, begin := range words("in base64") {
		r.add(begin, encoded)
	}
	for _, n := range secretNames {
		r.add(n.literal, n.detect)
		if n.strength >= weak {
			r.add(n.literal, n.beside)
			r.add(n.literal, printed)
		}
	}
	for _, k := range keyForms() {
		if !k.whole() {
			r.add(lowerASCII(k.prefix), k.detector())
		}
	}
}

// printed masks what a command prints that names a secret, if that is a single word: "$ jq .password creds.json" and a
// line below it.
func printed(s *scan, from, to int) { s.printed(from, to, true) }

// printedAlone masks what a command prints that is for printing secrets, also without a prompt before it, and what
// looks like a secret among what it prints.
func printedAlone(s *scan, from, to int) {
	const most = 2 << 10
	if is(s.at(to), letter) && is(s.text[to-1], letter) { // "get secrets" lists names
		return
	}
	s.printed(from, to, false)
	if end := lineEnd(s.text, to, most); !strings.Contains(s.text[:from], "\n") {
		s.wordsIn(end, min(len(s.text), end+most), func(v string, _ int) bool {
			return likely(v, true) || wordsAndNumber(v)
		})
	}
}

func (s *scan) printed(from, to int, prompted bool) {
	const reach = 400
	begin := max(0, from-reach)
	begin += strings.LastIndexByte(s.text[begin:from], '\n') + 1
	if prompted && !strings.ContainsAny(s.text[begin:from], "$>#)❯") {
		return
	}
	prompt := prompts().FindString(s.text[begin:min(len(s.text), begin+80)])
	if prompted && (prompt == "" || begin+len(prompt) > from+1) {
		return
	}
	command, output, _ := strings.Cut(s.text[begin:min(len(s.text), max(from+1, to)+reach)], "\n")
	before := s.text[begin:from]
	within := strings.LastIndex(before, "$(") > strings.LastIndex(before, ")") || strings.Count(before, "`")%2 > 0
	if within || prompt == "> " && !strings.ContainsAny(command, "([.") {
		return
	}
	at := begin + len(command) + 1
	for n := 0; n < printedLines && output != ""; n++ {
		line, rest, _ := strings.Cut(output, "\n")
		v := strings.Trim(results().ReplaceAllString(line, ""), " \t\r\"'")
		words := spokenPhrase().MatchString(v) && (!prompted || unrelatedWords(v) && !inflected().MatchString(v))
		prose := strings.ContainsAny(v, " \t") && !words
		switch {
		case n == 0 && prompted && run(v, 0, letter|under, ".@", len(v)) == len(v) && strings.Count(rest, "\n") == 0:
		case prose && n == 0 && !prompted && strings.Contains(lowerASCII(v), "warning"):
		case prose || len(v) < 6 || !words && !isPrinted(v, command, prompted):
			return
		default:
			from := at + strings.Index(line, v)
			s.add(from, from+len(v), "password")
		}
		at, output = at+len(line)+1, rest
	}
}

// kept masks the values that a command is given to keep as secrets: NAME=value.
func kept(s *scan, _, to int) {
	for at, end := to, lineEnd(s.text, to, 400); at < end; at++ {
		if s.text[at] == '=' && wordChar(s.before(at)) {
			v, ok := s.readValue(value{op: "=", strength: middle, kind: "secret", signs: env | sure | login}, at, at+1)
			if ok {
				s.addIfSecret(v)
			}
		}
	}
}

// printedLines is how many lines of a command's output are read for secrets that stand alone.
const printedLines = 4

// isPrinted reports whether a word on a line of its own can be a secret that a command printed.
func isPrinted(v, command string, prompted bool) bool {
	hash := allHex(strings.Trim(v, ".")) && strings.Contains(command, "git ")
	phrase := !prompted && strings.Count(v, "-") >= 2 && skip(v, 0, lower|under, len(v)) == len(v)
	number := !prompted && skip(v, 0, digit, len(v)) == len(v)
	name := fileName().MatchString(v) && (prompted || !passwordLike(v))
	harmless := hash || name || placeholder(v) || prompted && wordOnly(v)
	return !harmless && (phrase || number || looks["printed"](v))
}

// wordOnly reports whether a word has neither digits nor marks.
func wordOnly(v string) bool { return shapeIn(v).digits == 0 && !strings.ContainsAny(v, "!@#$%^&*+?") }

var (
	// prompts matches that of a shell, of PowerShell, of a language, of a database.
	prompts = text.Pattern(`\A(?:\$ |❯ |>>> |> |php > |\(\w{2,8}\) |PS(?: [^>\n]{0,60})?> |irb[^>\n]{0,30}> |` +
		`[\w.:\[\]-]{1,30}[=#]?> |[\w.@-]{1,40}:[^\s$#]{0,60}[$#] )`)
	// results matches what is printed before a result.
	results = text.Pattern(`\A(?:=> |= |val \w+: \w+ = |\$\d+ = (?:0x\w+ )?|b?["'])`)
)

// spokenPhrase matches words as generators of passphrases print them.
var spokenPhrase = text.Pattern(`\A[a-z]{3,12}(?:[ ._-][a-z]{3,12}){3,11}\z`)

var fileName = text.Pattern(`\A[\w-]+\.(?:[a-z]{1,5}\d?|[A-Z]{1,5}|7z|3gp)\z`)

// lowerASCII lowers the case of ASCII letters, so that positions stay.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// arguments masks the passwords and keys among what a call is given whose name says that it takes some. Its first
// argument is more often a user's name or an id than the last.
func arguments(s *scan, from, to int) {
	const reach = 400
	window := s.text[to:min(len(s.text), to+reach)]
	single := text.AnyOf(s.text[from:to], strings.Contains, "crypt", "hash", "hmac", "fernet", ".init", "keyspec")
	n, depth := 0, 1
	for at := 0; at < len(window) && depth > 0; at++ {
		switch c := window[at]; c {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case ',':
			n++
		case '"', '\'', '`':
			end := strings.IndexByte(window[at+1:], c)
			if end < 0 {
				return
			}
			v, next := window[at+1:at+1+end], skip(window, at+end+2, blank, 2)
			alone := n == 0 && next < len(window) && window[next] == ')'
			before := strings.TrimRight(window[:at], " \t\nbuN@")
			direct := depth == 1 && (before == "" || before[len(before)-1] == ',') || strings.HasSuffix(before, "Some(")
			if argument(v, direct && (n > 0 || alone || single)) {
				s.add(to+at+1, to+at+1+end, "password")
			}
			at += end + 1
		case '\n':
			if n == 0 && at > 2 || strings.HasPrefix(window[at:], "\n\n") {
				return
			}
		}
	}
}

// argument reports whether a string given to a call for credentials is one; after a user's name less shows it.
func argument(v string, likely bool) bool {
	_, host, mail := strings.Cut(v, "@")
	harmless := len(v) < 6 || len(v) > 400 || strings.ContainsAny(v, " \n\\") || placeholder(v) || path(v) || dotted(v) ||
		hasSecretName(v) || mail && dotted(host)
	if harmless || passwordLike(v) || unmistakable(v) {
		return !harmless
	}
	t := shapeIn(v)
	random := len(v) >= 16 && disordered(v)
	numberIn := t.digits > 0 && t.lower+t.upper > 3 && !numbered(v)
	chosen := hyphenated(v) || !public(v) && (numberIn || wordsRunTogether(v))
	return likely && !hasSecretName(v) && (random || chosen)
}

const maxHeader = 4 << 10 // bytes of a header's value

// cookie masks the values of a Cookie or Set-Cookie header that look like session ids.
func cookie(s *scan, from, to int) {
	at := run(s.text, to, 0, " \t:=\"'`,>\\[", 4) // what separates the name and the value
	line := s.text[at:min(len(s.text), at+maxHeader)]
	if i := strings.IndexAny(line, "\r\n\"'`"); i >= 0 {
		line = line[:i]
	}
	for pair := range strings.SplitSeq(strings.ReplaceAll(line, ",", ";"), ";") {
		name, v, ok := strings.Cut(pair, "=")
		v = strings.TrimSpace(v)
		secret := ok && len(v) >= 16 && mixed(v) && !placeholder(v) && !strings.ContainsAny(name, "(){}") &&
			!strings.ContainsAny(v, " (){},")
		if secret {
			from := at + strings.Index(pair, v)
			s.add(from, from+len(v), "cookie")
		}
		at += len(pair) + 1
	}
}

// maxAuthority bounds how far a URL's "user:password@host" is searched for, in bytes.
const maxAuthority = 400

// urlPassword examines "://" and masks the password of "user:password@host". A long random user alone is a token.
func urlPassword(s *scan, _, to int) {
	window := s.text[to:min(len(s.text), to+maxAuthority)]
	if i := strings.IndexAny(window, " \t\r\n\"'`<>/\\|,()"); i >= 0 {
		window = window[:i]
	}
	at := strings.LastIndexByte(window, '@')
	if at < 0 {
		return
	}
	switch user, password, ok := strings.Cut(window[:at], ":"); {
	case ok && password != "" && !placeholder(password):
		s.add(to+len(user)+1, to+at, "url-password")
	case !ok && tokenAlone(user):
		s.add(to, to+at, "url-password")
	}
}

// tokenAlone reports whether the user of an address can be a token or a password.
func tokenAlone(v string) bool {
	return (len(v) >= 12 && mixed(v) || passwordLike(v)) && !placeholder(v)
}
