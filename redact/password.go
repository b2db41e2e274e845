package redact

import "strings"

// strength says how much a name promises a secret.
type strength uint8

const (
	weak   strength = iota // token: the value has to look random
	middle                 // api_key, secret: letters and digits
	strong                 // password: nearly anything in quotes
)

var secretNames = []struct {
	literal, kind string
	strength
}{
	{"password", "password", strong}, {"passwd", "password", strong}, {"passphrase", "password", strong}, {"passwort", "password", strong},
	{"kennwort", "password", strong}, {"pwd", "password", strong}, {"_pass", "password", strong}, {"-pass", "password", strong},
	{"secret", "secret", middle}, {"apikey", "api-key", middle}, {"api_key", "api-key", middle}, {"api-key", "api-key", middle}, {"api key", "api-key", middle},
	{"access_key", "secret", middle}, {"accesskey", "secret", middle}, {"access-key", "secret", middle}, {"accountkey", "secret", middle},
	{"private_key", "secret", middle}, {"privatekey", "secret", middle}, {"signing_key", "secret", middle}, {"encryption_key", "secret", middle},
	{"encryptionkey", "secret", middle}, {"master_key", "secret", middle}, {"auth_key", "secret", middle}, {"credential", "secret", middle},
	{"token", "token", weak}, {"session_id", "token", weak}, {"sessionid", "token", weak}, {"sessid", "token", weak}, {"session_key", "token", weak},
	{"sharedaccesssignature", "secret", middle}, {"sig", "token", weak},
	{"subscription-key", "api-key", middle}, {"app_key", "secret", middle}, {"pw", "password", strong}, {"psk", "password", strong},
}

// tails are what may follow the literal in a name for it still to be the name
// of a secret.
var tails = set("", "s", "_key", "key", "_access_key", "accesskey", "_value", "value", "_prod", "_dev", "_test", "_staging", "_live", "_main",
	"_local", "_root", "_admin", "_user", "_db", "_base", "_key_base", "_string", "_text", "_plain", "-key")

// nameTail is how much of a name after its literal is looked at.
const nameTail = 24

// named looks at a name of a secret that ends at to, and masks its value.
func named(kind string, st strength) detector {
	return func(s *scan, from, to int) {
		end := to
		for end < len(s.text) && end-to < nameTail && wordChar(s.text[end]) {
			end++
		}
		tail := strings.TrimRight(strings.ToLower(s.text[to:end]), "0123456789")
		if !tails[tail] || to-from <= 3 && short[lowerASCII(s.text[from:to])] && wordChar(s.before(from)) {
			return
		}
		v, ok := s.valueAfter(from, end)
		if !ok || v.op == "," && to-from <= 3 {
			return
		}
		if kind == "token" && v.to-v.from >= 10 {
			name := lowerASCII(s.text[skipBack(s.text, from, 30):to])
			if pages(name) {
				return
			}
			v.login = logsIn(name) || v.env && strings.HasSuffix(name, "_token")
		}
		if v.secret(s, st) {
			s.add(v.from, v.to, kind)
		}
	}
}

// short are names that stand alone: in others they are a part of a word.
var short = set("sig", "pw", "psk")

// pages says that a token's name is of a place in a list.
func pages(name string) bool {
	for _, before := range [...]string{"page", "next", "continuation", "sync"} {
		if strings.HasSuffix(name, before+"token") || strings.HasSuffix(name, before+"_token") {
			return true
		}
	}
	return false
}

// logsIn says that a token's name is of one that lets in, so that even a hash or
// a UUID is one.
func logsIn(name string) bool {
	for _, kind := range [...]string{"auth", "access", "api", "private", "deploy", "bot", "refresh", "secret", "personal"} {
		for _, dash := range [...]string{"", "_", "-"} {
			if strings.HasSuffix(name, kind+dash+"token") {
				return true
			}
		}
	}
	return strings.HasPrefix(name, "x-") && strings.HasSuffix(name, "-token")
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
	phrase   bool   // the name is of a passphrase: words will do
	login    bool   // the name is of a token that lets in
}

const (
	maxQuoted   = 256
	maxUnquoted = 512
)

// valueAfter finds the operator after the name text[from:end], and the value.
func (s *scan) valueAfter(from, end int) (value, bool) {
	t, at := s.text, end
	v := value{phrase: strings.EqualFold(t[from:min(len(t), from+4)], "pass") && strings.EqualFold(t[max(from, end-6):end], "phrase")}
	at = quoteEnd(t, at)
	named := at > end // the name is in quotes
	if at < len(t) && t[at] == ']' {
		at++
	}
	blanks := skip(t, at, blank, 8)
	v.spaced = blanks > at
	at = blanks
	switch {
	case at >= len(t):
		return v, false
	case strings.HasPrefix(t[at:], ":=") || strings.HasPrefix(t[at:], "=>") || strings.HasPrefix(t[at:], "==") || strings.HasPrefix(t[at:], "!="):
		v.op, at = "=", at+2
		at = skip(t, at, marks, 1) // ===
	case t[at] == '=' || t[at] == ':' || t[at] == ',' && named:
		v.op, at = t[at:at+1], at+1
	case t[at] == '>' && !v.spaced:
		v.op, at = ">", at+1
	case v.spaced && flagBefore(t, from):
		v.op = " "
	case v.spaced && sets(t[at:]):
		v.op, at = "is", strings.IndexByte(t[at:], ' ')+at
	default:
		return v, false
	}
	v.env = v.op == "=" && !v.spaced && strings.ToUpper(t[from:end]) == t[from:end]
	at = skip(t, at, blank, 40)
	if v.op == ":" || v.op == " " || v.op == "is" {
		at = pastType(t, at)
	}
	return s.readValue(v, from, at)
}

// sets says that a text goes on with a verb that a value follows.
func sets(t string) bool {
	for _, verb := range [...]string{"is ", "was ", "ist ", "war ", "lautet "} {
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
	}
	if v.to <= v.from {
		return v, false
	}
	v.text = t[v.from:v.to]
	return v, true
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
	stop := " \t\r\n\"'`"
	if !line {
		stop = " \t\r\n\"'`,;)]}<>&|"
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

// lineStart says that the name that holds position at begins its line.
func lineStart(t string, at int) bool {
	at = skipBack(t, at, 60)
	line := t[:at]
	line = strings.TrimSuffix(line, "export ")
	line = strings.TrimRight(line[max(0, len(line)-8):], " \t")
	return line == "" || line[len(line)-1] == '\n'
}

// flagBefore says that the name at from is a flag's: --password, --db-password.
func flagBefore(t string, from int) bool {
	at := skipBack(t, from, 30)
	return strings.HasPrefix(t[at:], "--")
}

// pastType skips a type between a colon and an equals sign: string = "…".
func pastType(t string, at int) int {
	end := at
	for end < len(t) && end-at < 20 && (wordChar(t[end]) || t[end] == '&') {
		end++
	}
	eq := skip(t, end, blank, 4)
	if end > at && eq > end && eq < len(t) && t[eq] == '=' && quoteEnd(t, skip(t, eq+1, blank, 4)) > skip(t, eq+1, blank, 4) {
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
	if strings.ContainsAny(t, " \t") {
		return v.quoted && (v.phrase && v.op != "," && strings.Count(t, " ") >= 3 && shape.other == strings.Count(t, " ") ||
			st == strong && shape.digits > 0 && strings.Count(t, " ") == 1 && v.op != "," && mixed(t))
	}
	if !v.quoted && !v.line && (code(t) || st != strong && camel(t) && !jumbled(t) && !v.random()) || dotted(t) {
		return false
	}
	switch st {
	case strong:
		return v.password(shape)
	case middle:
		return v.hasLetterAndDigit(shape) && len(t) >= 8 && entropy(t) >= 2.8 && !numbered(t) && (mixed(t) || v.symbols(shape)) && v.allowedOp()
	}
	return len(t) >= 10 && mixed(t) && (!public(t) || v.login && len(t) >= 32) && entropy(t) >= 3 && !numbered(t) && v.allowedOp()
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
		return false
	}
	if shape.digits == 0 && (names(t) || identifier(t) && !jumbled(t)) {
		return false
	}
	if numbered(t) && !v.quoted {
		return false
	}
	if v.quoted && v.op != "," && v.op != "is" {
		return !strings.ContainsAny(t, "()<>") && !strings.HasSuffix(t, ":")
	}
	if len(t) < 6 {
		return false
	}
	if v.hasLetterAndDigit(shape) && !dateLike(t) {
		return true
	}
	return v.op != "is" && v.op != "," && (shape.lower+shape.upper > 0 && v.symbols(shape) || shape.lower > 1 && shape.upper > 1 && jumbled(t))
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
