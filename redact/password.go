package redact

import "strings"

// strength says how much a name promises a secret.
type strength uint8

const (
	loud         strength = iota // a variable of the environment or a header: the value has to look random
	weak                         // token: the value has to look random
	middle                       // api_key, secret: letters and digits
	strong                       // password: nearly anything in quotes
	qualifiedKey                 // middle if the word before says so
)

// secretNames are the words that names of secrets are made of. One that is whole
// counts only as a word of its own within a name: the pass of storePass and
// DB_PASS, not that of compass.
var secretNames = []struct {
	literal, kind string
	strength
	whole bool
}{
	{"password", "password", strong, false}, {"passwd", "password", strong, false},
	{"passphrase", "password", strong, false}, {"passwort", "password", strong, false},
	{"kennwort", "password", strong, false}, {"pwd", "password", strong, false},
	{"pass", "password", strong, true}, {"passcode", "password", strong, true},
	{"pw", "password", strong, true}, {"psk", "password", strong, true},
	{"keypass", "password", strong, true}, {"storepass", "password", strong, true},
	{"mot de passe", "password", strong, false}, {"mdp", "password", strong, true},
	{"seña", "password", strong, false}, {"rasena", "password", strong, false},
	{"senha", "password", strong, false}, {"wachtwoord", "password", strong, false},
	{"d'ordine", "password", strong, false},
	{"secret", "secret", middle, false}, {"credential", "secret", middle, false},
	{"apikey", "api-key", middle, false}, {"api_key", "api-key", middle, false},
	{"api-key", "api-key", middle, false}, {"api key", "api-key", middle, false},
	{"key", "secret", qualifiedKey, false},
	{"sharedaccesssignature", "secret", middle, false},
	{"token", "token", weak, false}, {"session_id", "token", weak, false}, {"sessionid", "token", weak, false},
	{"sessid", "token", weak, false}, {"session_key", "token", weak, false}, {"sig", "token", weak, true},
	{"_pat", "token", loud, false}, {"_key", "secret", loud, false}, {"-key", "secret", loud, false},
	{"_auth", "secret", loud, false}, {"_session", "token", loud, false}, {"_cookie", "cookie", loud, false},
	{"_salt", "secret", loud, false}, {"_pin", "password", loud, false}, {"_creds", "login", loud, false},
	{"_dsn", "secret", loud, false}, {"_credentials", "login", loud, false}, {"_sas", "secret", loud, false},
}

// tails are the words that may follow in a name for it still to be the name of a
// secret.
var tails = set("s", "key", "keys", "access", "value", "prod", "production", "dev", "test", "staging", "live",
	"main", "local", "root",
	"admin", "user", "db", "base", "string", "text", "plain", "old", "new", "raw", "default", "primary", "secondary")

// nameTail is how much of a name after its word is looked at.
const nameTail = 24

// nameEnd returns where the name ends whose word of secrecy is text[from:to],
// and whether what stands around the word leaves it the name of a secret.
func (s *scan) nameEnd(from, to int, whole bool) (end int, ok bool) {
	t := s.text
	if whole && from > 0 && is(t[from-1], alnum) && !(is(t[from], upper) && !is(t[from-1], upper)) {
		return to, false
	}
	for end = to; end < len(t) && end-to < nameTail; {
		next := end
		if t[next] == '_' || t[next] == '-' && next+1 < len(t) && is(t[next+1], alnum) {
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
			return end, false
		}
		end = next
	}
	return end, end >= len(t) || !wordChar(t[end])
}

// named looks at a name of a secret that ends at to, and masks its value.
func named(literal, kind string, st strength, whole bool) detector {
	return func(s *scan, from, to int) {
		end, ok := s.nameEnd(from, to, whole)
		if !ok {
			return
		}
		st := st
		if st == qualifiedKey {
			if _, ok := s.assignment(to); !ok && !flagBefore(s.text, from) || !s.qualified(from) {
				return
			}
			st = middle
		}
		if st != loud && literal != "pass" && s.inTable(from, end) {
			s.column(from, end, kind, st)
		}
		v, ok := s.valueAfter(from, end)
		if !ok || v.op == "," && to-from <= 3 && !v.sure ||
			v.op == ":" && literal == "pass" && !v.named && !is(s.before(from), under) &&
				!(s.text[from] == 'p' && (v.sure || unmistakable(v.text))) {
			return
		}
		if kind == "token" && v.to-v.from >= 10 {
			name := lowerASCII(s.text[skipBack(s.text, from, 30):to])
			if pages(name) {
				return
			}
			v.login = v.flag || v.env && strings.HasSuffix(name, "_token") || literal == "token" &&
				(s.logsIn(from) || (v.quoted && v.op != "," || v.op == "=" && !v.spaced) && wordChar(s.before(from)))
		}
		if st == loud {
			v.pair = kind == "login"
			if !v.env && !v.header && !v.flag && !v.sure || genericAllowed().MatchString(s.text[skipBack(s.text, from,
				60):v.from]) {
				return
			}
		}
		if v.secret(s, st) {
			s.add(v.from, v.to, kind)
		}
	}
}

// lists are what is before "token" in the name of a place in a list, or of
// something that isn't a secret.
var lists = [...]string{"page", "next", "continuation", "sync", "cancel", "cancellation", "csrf", "xsrf",
	"total", "max"}

// pages reports whether a token's name is of no secret.
func pages(name string) bool {
	before := strings.TrimRight(strings.TrimSuffix(name, "token"), "_-")
	for _, w := range lists {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// logsIn reports whether a token's name is of one that lets in, so that even a hash
// or a UUID is one.
func (s *scan) logsIn(from int) bool {
	return s.qualified(from) || from >= 4 && strings.IndexByte("-_", s.text[from-1]) >= 0 &&
		strings.EqualFold(s.text[skipBack(s.text, from, 30):][:2], "x-")
}

// value is what a name is set to.
type value struct {
	from, to int
	text     string
	quoted   bool
	op       string // "=", ":", ",", ">", " " after a flag, "is"
	spaced   bool   // a blank stands before the operator, as in code
	line     bool   // name, operator and value make up a line, as in a .env file
	env      bool   // it is an environment's variable that is set: NAME=value
	header   bool   // it is a header's: X-Name: value
	pair     bool   // it is user:password
	named    bool   // the name stands in quotes
	sure     bool   // where it stands only a value does, no variable's name
	phrase   bool   // the name is of a passphrase: words will do
	login    bool   // the name is of a token that lets in
	flag     bool   // it is a flag's: --name value
	whole    bool   // with its name it makes up a line
}

const (
	maxQuoted   = 256
	maxUnquoted = 512
)

// valueAfter finds the operator after the name text[from:end], and the value.
func (s *scan) valueAfter(from, end int) (value, bool) {
	t := s.text
	v := value{flag: flagBefore(t, from), phrase: strings.EqualFold(t[from:min(len(t), from+4)], "pass") &&
		strings.EqualFold(t[max(from, end-6):end], "phrase")}
	at := quoteEnd(t, end)
	v.named = at > end
	if at < len(t) && t[at] == ']' {
		at++
	}
	if at < len(t) && t[at] == '(' {
		if v.op, v.sure = "(", true; !sets(t[skipBack(t, from, 60):from]) || quoteEnd(t, at+1) == at+1 {
			return v, false
		}
		return s.readValue(v, from, at+1)
	}
	bare := at
	at = pastPaint(t, at)
	painted := at > bare
	blanks := skip(t, at, blank, 8)
	v.spaced = blanks > at
	at = blanks
	if at >= len(t) || is(t[at], letter) && !v.spaced && !painted {
		return v, false
	}
	start := skipBack(t, from, 60)
	shouts := shouted(t[start:end])
	switch {
	case strings.HasPrefix(t[at:], ":=") || strings.HasPrefix(t[at:], "=>") ||
		strings.HasPrefix(t[at:], "==") || strings.HasPrefix(t[at:], "!="):
		v.op, at = "=", at+2
		at = skip(t, at, marks, 1) // ===
	case (t[at] == ',' || t[at] == '\n' || t[at] == '\r' || v.named && v.spaced) && pairedValue(t, at) > at:
		v.op, v.sure, at = ":", true, pairedValue(t, at)
	case t[at] == '=' || t[at] == ':' || t[at] == ',' && v.named:
		v.op, at = t[at:at+1], at+1
		at = pastPaint(t, at)
	case t[at] == '>' && !v.spaced:
		v.op, at = ">", at+1
	case v.spaced && start > 0 && t[start-1] == '<' && attributesEnd(t, at) > at:
		v.op, at = ">", attributesEnd(t, at)
	case strings.HasPrefix(t[at:], "</td><td>"):
		v.op, v.sure, at = ">", true, at+len("</td><td>")
	case t[at] == '|' && v.spaced && cellBegins(t, start):
		v.op, at = "|", at+1
	case v.spaced && (v.flag || shouts && declares(t[:start])):
		v.op = " "
	case v.spaced && states(t[at:]):
		v.op, at = "is", strings.IndexByte(t[at:], ' ')+at
	default:
		return v, false
	}
	v.env = shouts && (v.op == "=" && !v.spaced || v.op == ":" && strings.Contains(t[start:end], "_") &&
		end-start > 4 || v.op == " " && !v.flag)
	v.header = v.op == ":" && strings.HasPrefix(lowerASCII(t[start:min(end, start+2)]), "x-")
	v.sure = v.sure || v.op == "," && shouts && strings.HasSuffix(strings.TrimRight(t[:start], "\"' "), "define(")
	at = skip(t, at, blank, 40)
	if v.op == ":" || v.op == " " || v.op == "is" {
		at = pastType(t, at)
	}
	if v.op == ":" {
		at = pastFold(t, at)
		if strings.HasPrefix(t[at:], "!!") { // a type in YAML
			at = skip(t, skip(t, at+2, letter, 12), blank, 4)
		}
	}
	if to := pastPaint(t, at); to > at || painted {
		v.sure, at = true, skip(t, to, blank, 4)
	}
	return s.readValue(v, from, at)
}

// attributesEnd returns the position behind the attributes of an element in XML,
// or at.
func attributesEnd(t string, at int) int {
	if i := strings.IndexAny(t[at:min(len(t), at+100)], "<>\n"); i > 0 && t[at+i] == '>' && t[at+i-1] != '/' {
		return at + i + 1
	}
	return at
}

// pastFold skips what says in YAML that the value stands on the next line.
func pastFold(t string, at int) int {
	end := at
	if at < len(t) && (t[at] == '>' || t[at] == '|') {
		end = at + 1
		if end < len(t) && (t[end] == '-' || t[end] == '+') {
			end++
		}
	}
	if end == at || end >= len(t) || t[end] != '\n' || end+1 >= len(t) || !is(t[end+1], blank) {
		return at
	}
	return skip(t, end+1, blank, 40)
}

// shouted reports whether a name has no small letters.
func shouted(name string) bool {
	for i := range len(name) {
		if is(name[i], lower) {
			return false
		}
	}
	return true
}

// pastPaint skips what gives words an emphasis or a colour: ** in Markdown,
// escape sequences on terminals.
func pastPaint(t string, at int) int {
	if at >= len(t) || t[at] != '*' && t[at] != 0x1b {
		return at
	}
	for end := at; ; at = end {
		switch {
		case strings.HasPrefix(t[at:], "**"):
			end = at + 2
		case strings.HasPrefix(t[at:], "\x1b["):
			if end = skip(t, at+2, digit, 12); end < len(t) && t[end] == ';' {
				end = skip(t, end+1, digit, 12)
			}
			end++
		}
		if end == at || end > len(t) {
			return at
		}
	}
}

// pairedValue returns where the value begins if the name stood as a value
// itself, the thing that it names beside it: name: DB_PASSWORD, value: x.
func pairedValue(t string, at int) int {
	end := at
	for end < len(t) && end-at < 40 && strings.IndexByte(", \t\r\n{", t[end]) >= 0 {
		end++
	}
	end = quoteEnd(t, end)
	word := skip(t, end, letter, 8)
	if w := lowerASCII(t[end:word]); w != "value" && w != "default" {
		return at
	}
	end = skip(t, quoteEnd(t, word), blank, 2)
	if end >= len(t) || t[end] != ':' && t[end] != '=' {
		return at
	}
	return end + 1
}

// sets reports whether what stands before a name makes it a call that sets
// something: client.password(, setPassword(.
func sets(before string) bool {
	i := strings.LastIndexByte(before, '.')
	verb := lowerASCII(before[i+1:])
	return i >= 0 && verb == "" || verb == "set" || verb == "with" || verb == "use" ||
		strings.HasPrefix(verb, "set_") || strings.HasPrefix(verb, "with_")
}

// declares reports whether a text ends with a word that sets a variable: ENV NAME value.
func declares(t string) bool {
	t = lowerASCII(t[max(0, len(t)-12):])
	for _, w := range [...]string{"env ", "arg ", "setenv ", "set -x ", "set -gx ", "set -ux ", "set -lx "} {
		if strings.HasSuffix(t, w) {
			return true
		}
	}
	return false
}

// states says that a text continues a verb that a value follows.
func states(t string) bool {
	if strings.IndexByte("iwle\xc3", t[0]) < 0 {
		return false
	}
	for _, verb := range [...]string{"is ", "was ", "ist ", "war ", "lautet ", "est ", "es ", "é "} {
		if strings.HasPrefix(t, verb) {
			return true
		}
	}
	return false
}

// readValue reads the value that begins at at, in quotes or bare.
func (s *scan) readValue(v value, name, at int) (value, bool) {
	t := s.text
	if open := quoteEnd(t, at); open > at {
		v.quoted = true
		v.from, v.to = open, closing(t, open, t[at:open])
	} else {
		v.line = v.op == "=" && !v.spaced && lineStart(t, name)
		v.from, v.to = at, bareEnd(t, at, v.line)
		next := skip(t, v.to, blank, 8)
		v.whole = (next >= len(t) || strings.IndexByte("\r\n#", t[next]) >= 0) && lineStart(t, name)
	}
	if v.to <= v.from {
		return v, false
	}
	v.text = t[v.from:v.to]
	next := s.at(v.to)
	switch {
	case v.quoted && v.op == ",":
		v.sure = v.sure || v.named && keyed(t[skipBack(t, name, 60):v.from]) &&
			(strings.Count(v.text, "-") >= 2 && !code(v.text) || wordsRunTogether(v.text))
	case v.quoted && v.op == "(":
		end := skip(t, v.to, under|marks|other|lead, 3)
		v.sure = v.sure && s.at(end) == ')'
	case v.quoted:
	case v.op == "=" && !v.spaced, v.op == " ":
		// A shell's word or a line of a file, where a variable would have a dollar;
		// in code a comma or a bracket follows.
		v.sure = v.sure || next == 0 || strings.IndexByte(" \t\r\n\"'&|", next) >= 0 ||
			next == ';' && strings.Contains(v.text, "-")
	case v.op == "|":
		v.sure = telling(v.text) || strings.Count(v.text, "-") >= 2
	case v.op == ">":
		v.sure = v.sure || strings.HasPrefix(t[v.to:], "</")
	case v.op == "=" || v.op == ":":
		ends := next == 0 || strings.IndexByte("\r\n\"", next) >= 0
		v.sure = v.sure || ends && (strings.Count(v.text, "-") >= 2 || wordsRunTogether(v.text) && lineStart(t, name))
	}
	return v, true
}

// keyed reports whether a name in quotes is a variable's or a setting's: words
// with underscores between, or one alone.
func keyed(name string) bool {
	name, _, _ = strings.Cut(name, ",")
	return !strings.Contains(name, "-") && !strings.Contains(name, " ")
}

// quoteEnd returns the position after a quote at at, an escaped one too, or at.
func quoteEnd(t string, at int) int {
	end := at
	for end < len(t) && t[end] == '\\' && end-at < 3 {
		end++
	}
	if end < len(t) && (t[end] == '"' || t[end] == '\'' || t[end] == '`') {
		return end + 1
	}
	return at
}

// closing returns where the value that began with quote ends, -1 if it doesn't
// on its line.
func closing(t string, from int, quote string) int {
	window := t[from:min(len(t), from+maxQuoted)]
	i := strings.Index(window, quote)
	if nl := strings.IndexByte(window, '\n'); i < 0 || nl >= 0 && nl < i {
		return -1
	}
	return from + i
}

// bareEnd returns where an unquoted value ends. On a line of its own only a
// blank ends it, elsewhere punctuation of code, prose and URLs does.
func bareEnd(t string, at int, line bool) int {
	stop := " \t\r\n\"'`\x1b"
	if !line {
		stop = " \t\r\n\"'`,;)]}<>&|\x1b"
	}
	window := t[at:min(len(t), at+maxUnquoted)]
	i := strings.IndexAny(window, stop)
	if i < 0 {
		i = len(window)
	}
	if n := strings.Index(window[:i], `\n`); n >= 0 {
		i = n
	}
	end := at + i
	for !line && end > at && strings.IndexByte(".:!?", t[end-1]) >= 0 && end-at > 1 {
		end--
	}
	return end
}

// lineStart reports whether the name that holds position at begins its line, but
// for what marks a comment, an item or a quote.
func lineStart(t string, at int) bool {
	at = skipBack(t, at, 60)
	line := strings.TrimSuffix(strings.TrimSuffix(t[max(0, at-24):at], "export "), "set ")
	line = strings.TrimRight(line, " \t\"';#>*-")
	return line == "" || line[len(line)-1] == '\n'
}

// cellBegins reports whether nothing but a label's words stand between the
// beginning of a row or a cell and position at.
func cellBegins(t string, at int) bool {
	for n := 0; at > 0 && n < 30 && (is(t[at-1], alnum|under) || t[at-1] == ' ' || t[at-1] == '*'); n++ {
		at--
	}
	return at == 0 || t[at-1] == '\n' || t[at-1] == '|'
}

// flagBefore reports whether the name at from is a flag's: --password,
// --db-password, -storepass.
func flagBefore(t string, from int) bool {
	at := skipBack(t, from, 30)
	return strings.HasPrefix(t[at:], "--") || at > 0 && t[at] == '-' && t[at-1] == ' '
}

// pastType skips a type between a colon and an equals sign: string = "…".
func pastType(t string, at int) int {
	end := at
	for end < len(t) && end-at < 20 && (wordChar(t[end]) || t[end] == '&') {
		end++
	}
	eq := skip(t, end, blank, 4)
	if end > at && eq > end && eq < len(t) && t[eq] == '=' &&
		quoteEnd(t, skip(t, eq+1, blank, 4)) > skip(t, eq+1, blank, 4) {
		return skip(t, eq+1, blank, 4)
	}
	return at
}

// secret says that the value is one.
func (v value) secret(s *scan, st strength) bool {
	t := v.text
	if len(t) < 4 || placeholder(t) || path(t) {
		return false
	}
	shape := shapeIn(t)
	if v.env || v.header || v.flag && st == loud {
		if ok, told := v.declared(st, shape); told {
			return ok
		}
	}
	if v.quoted && len(t) >= 32 && shape.other >= 6 && shape.digits > 0 && entropy(t) > 4.5 && jumbled(t) {
		return true
	}
	if st == loud {
		return false
	}
	if strings.ContainsAny(t, " \t") {
		return v.quoted && (v.phrase && v.op != "," && strings.Count(t, " ") >= 3 &&
			shape.other == strings.Count(t, " ") ||
			st == strong && shape.digits > 0 && strings.Count(t, " ") == 1 && v.op != "," && mixed(t))
	}
	if !v.quoted && !v.line && (code(t) || st != strong && camel(t) && !jumbled(t) && !v.random()) || dotted(t) {
		return false
	}
	switch st {
	case strong:
		return v.password(shape)
	case middle:
		if (v.sure || v.named && v.quoted && v.op == ":") && strings.Count(t, "-") >= 2 && !label(t) && !public(t) {
			return true
		}
		return v.hasLetterAndDigit(shape) && len(t) >= 8 && entropy(t) >= 2.8 && !numbered(t) && (mixed(t) ||
			v.symbols(shape)) && v.allowedOp()
	}
	return len(t) >= 10 && mixed(t) && (!public(t) || v.login && len(t) >= 32) && entropy(t) >= 3 &&
		!numbered(t) && v.allowedOp()
}

// declared judges what a variable of the environment or a header is set to,
// where nothing but a value stands; told is false where more has to be asked.
func (v value) declared(st strength, shape shapeOf) (secret, told bool) {
	t := v.text
	if strings.ContainsAny(t, " \t()<>") || !v.line && !v.quoted && code(t) || label(t) && v.op == ":" ||
		st != loud && numbered(t) {
		return false, false
	}
	random := shape.digits > 0 && shape.lower+shape.upper > 0 && mixed(t)
	switch {
	case st == strong:
		return len(t) >= 6 && shape.lower+shape.upper > 0 && (shape.digits > 0 || !identifier(t) || jumbled(t)), true
	case st == middle || st == weak && v.header:
		words := !identifier(t) && (strings.Count(t, "-") >= 2 || st == middle && !v.header && shape.lower >= 10)
		secret = len(t) >= 8 && shape.lower+shape.upper > 0 && (random || words ||
			v.header && shape.digits > 0 && len(t) >= 16)
		return secret, secret
	case st == loud && v.op == ":" && !v.header:
		return false, true
	case st == loud:
		number := shape.digits == len(t) && len(t) >= 6 && len(t) <= 12 && distinct(t) > 3
		return len(t) >= 16 && random && !dotted(t) && entropy(t) > 3 || number ||
			v.pair && strings.Contains(t, ":"), true
	}
	return false, false
}

// random says that a value looks like camel case by chance: it is what a variable
// of the environment is set to, and too long and too mixed for a name.
func (v value) random() bool {
	return v.env && len(v.text) >= 20 && mixed(v.text) && entropy(v.text) > 3.8
}

func (v value) hasLetterAndDigit(shape shapeOf) bool {
	return shape.digits > 0 && shape.lower+shape.upper > 0
}

// symbols says that a value has a character that names don't have.
func (v value) symbols(shapeOf) bool { return strings.ContainsAny(v.text, "!@#$%^&*+?") }

// allowedOp says that the operator goes with names that are words of prose too.
func (v value) allowedOp() bool { return v.op != "is" || mixed(v.text) }

// password judges the value of a strong name.
func (v value) password(shape shapeOf) bool {
	t := v.text
	if shape.lower+shape.upper == 0 && (shape.digits < 6 || !v.quoted) {
		return v.whole && shape.digits >= 8 && shape.digits == len(t) && distinct(t) >= 5
	}
	if shape.digits == 0 && (label(t) || names(t) && !v.sure || identifier(t) && !jumbled(t)) {
		return false
	}
	if numbered(t) && !v.quoted {
		return false
	}
	if v.quoted && (v.op != "," && v.op != "is" || v.sure) {
		return !strings.ContainsAny(t, "()<>") && !strings.HasSuffix(t, ":")
	}
	if len(t) < 6 {
		return false
	}
	if v.hasLetterAndDigit(shape) && !dateLike(t) || v.sure && (v.op != " " || len(t) >= 10) {
		return true
	}
	hyphens := v.quoted && v.op == "is" && strings.Count(t, "-") >= 2
	return hyphens || v.op != "is" && v.op != "," && (shape.lower+shape.upper > 0 && v.symbols(shape) ||
		shape.lower > 1 && shape.upper > 1 && jumbled(t))
}

// identifier says that letters alone are a constant's, a label's or a key's name.
func identifier(t string) bool {
	if strings.Contains(t, "_") {
		return true
	}
	if strings.ToUpper(t) == t || is(t[0], upper) && strings.ToLower(t[1:]) == t[1:] {
		return true
	}
	if strings.ContainsAny(t, "-!@#$%^&*") {
		return false
	}
	return strings.ToLower(t) != t && is(t[0], lower) // camelCase
}

// dateLike says that a value begins with a year or a time.
func dateLike(t string) bool {
	return len(t) >= 8 && is(t[0], digit) && is(t[1], digit) && strings.Count(t, "-")+strings.Count(t, ":") >= 2
}
