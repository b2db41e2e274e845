package redact

import "strings"

// value is the value assigned to a name.
type value struct {
	from, to int
	text     string
	quoted   bool
	op       string // "=", ":", ",", ">", " " after a flag, "is"
	spaced   bool   // there is a blank before the operator, as in code
	line     bool   // name, operator and value make up a line, as in a .env file
	env      bool   // assigned to an environment variable: NAME=value
	header   bool   // of a header: X-Name: value
	pair     bool   // it is user:password
	named    bool   // the name is quoted
	sure     bool   // only a value can be here, not the name of a variable
	phrase   bool   // the name is a passphrase's: words are enough
	login    bool   // the name is that of a token for logging in
	flag     bool   // of a flag: --name value
	whole    bool   // makes up a line together with its name
}

const (
	maxQuoted   = 512
	maxUnquoted = 512
)

// keyword reports whether a name is a Lisp keyword (":name") or a setting as in nginx's files.
func keyword(t string, start, end int) bool {
	return start > 0 && (t[start-1] == ':' || lineStart(t, start) && strings.ContainsAny(t[start:end], "_-"))
}

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
		if v.op, v.sure = "(", true; !isSetter(t[skipBack(t, from, 60):from]) || quoteEnd(t, at+1) == at+1 {
			return v, false
		}
		return s.readValue(v, from, at+1)
	}
	bare := at
	at = skipEmphasis(t, at)
	painted := at > bare
	blanks := skip(t, at, blank, 8)
	v.spaced = blanks > at
	at = blanks
	elsewhere := at >= len(t) || is(t[at], letter) && !painted && (!v.spaced || !v.flag && !v.named &&
		!beginsWithVerb(t[at:]) && !(is(t[from], upper) && is(t[end-1], upper)))
	if elsewhere {
		return v, false
	}
	start := skipBack(t, from, 60)
	shouts := !strings.ContainsFunc(t[start:end], func(c rune) bool { return c >= 'a' && c <= 'z' })
	switch {
	case strings.HasPrefix(t[at:], ":=") || strings.HasPrefix(t[at:], "=>") ||
		strings.HasPrefix(t[at:], "==") || strings.HasPrefix(t[at:], "!="):
		v.op, at = "=", at+2
		at = skip(t, at, marks, 1) // ===
	case (v.named || start > 2 && strings.IndexByte(":=", t[start-2]) >= 0) && pairedValue(t, at) > at:
		v.op, v.sure, at = ":", true, pairedValue(t, at)
	case t[at] == '=' || t[at] == ':' || t[at] == ',' && v.named:
		v.op, at = t[at:at+1], at+1
		at = skipEmphasis(t, at)
	case t[at] == '>' && !v.spaced:
		v.op, at = ">", at+1
	case v.spaced && start > 0 && t[start-1] == '<' && attributesEnd(t, at) > at:
		v.op, at = ">", attributesEnd(t, at)
	case strings.HasPrefix(t[at:], "</") && nextElement(t, at) > at:
		v.op, v.sure, at = ">", true, nextElement(t, at)
	case t[at] == '|' && v.spaced && cellBegins(t, start):
		v.op, at = "|", at+1
	case v.spaced && (v.flag || shouts && endsWithDeclaration(t[:start])):
		v.op = " "
	case v.spaced && quoteEnd(t, at) > at && keyword(t, start, end):
		v.op, v.sure = " ", true
	case v.spaced && beginsWithVerb(t[at:]):
		v.op, at = "is", strings.IndexByte(t[at:], ' ')+at
	default:
		return v, false
	}
	v.env = shouts && (v.op == "=" && !v.spaced || v.op == ":" && strings.Contains(t[start:end], "_") &&
		end-start > 4 || v.op == " " && !v.flag)
	v.header = v.op == ":" && strings.HasPrefix(lowerASCII(t[start:min(end, start+2)]), "x-")
	v.sure = v.sure || start > 0 && v.op == "=" && !v.spaced && strings.IndexByte(";?&", t[start-1]) >= 0 ||
		v.op == "," && (strings.Contains(t[start:end], "_") ||
			shouts && strings.HasSuffix(strings.TrimRight(t[:start], "\"' "), "define("))
	at = skip(t, at, blank, 40)
	if v.op == ":" || v.op == " " || v.op == "is" {
		at = skipType(t, at)
	}
	if v.op == ":" {
		at = skipFold(t, at)
		if strings.HasPrefix(t[at:], "!!") { // a type in YAML
			at = skip(t, skip(t, at+2, letter, 12), blank, 4)
		}
	}
	if to := skipEmphasis(t, at); to > at || painted {
		v.sure, at = true, skip(t, to, blank, 4)
	}
	return s.readValue(v, from, at)
}

// readValue reads the value at at, quoted or bare.
func (s *scan) readValue(v value, name, at int) (value, bool) {
	t := s.text
	if open := quoteEnd(t, at); open > at {
		v.quoted = true
		v.from, v.to = open, closing(t, open, t[at:open])
	} else {
		v.line = v.op == "=" && !v.spaced && lineStart(t, name)
		v.from, v.to = at, bareEnd(t, at, v.line)
		if n := v.to - at; n >= 4 && n <= 8 && s.at(v.to) == ' ' {
			v.to = max(v.to, lineGroups(t, at))
		}
		next := skip(t, v.to, blank, 8)
		v.whole = (next >= len(t) || strings.IndexByte("\r\n#", t[next]) >= 0) &&
			(lineStart(t, name) || v.op == ":" && cellBegins(t, name))
	}
	if v.to <= v.from {
		return v, false
	}
	v.text = t[v.from:v.to]
	if !v.quoted && strings.HasPrefix(t[v.to:], "..") { // clipped
		return v, false
	}
	next := s.at(v.to)
	switch {
	case v.quoted && v.op == ",":
		v.sure = v.sure || v.named && isKeyName(t[skipBack(t, name, 60):v.from]) &&
			(strings.Count(v.text, "-") >= 2 && !code(v.text) || wordsRunTogether(v.text))
	case v.quoted && v.op == "(":
		end := skip(t, v.to, under|marks|other|lead, 3)
		v.sure = v.sure && s.at(end) == ')'
	case v.quoted:
	case v.op == "=" && !v.spaced, v.op == " ":
		// A shell word or a line of a file, where a variable would have a dollar; in code a comma or bracket follows.
		v.sure = v.sure || next == 0 || strings.IndexByte(" \t\r\n\"'&|", next) >= 0 ||
			next == ';' && strings.Contains(v.text, "-")
	case v.op == "|":
		v.sure = plausible(v.text) || strings.Count(v.text, "-") >= 2 || s.at(skip(t, v.to, blank, 40)) == '|' &&
			(shapeIn(v.text).digits > 3 || wordsRunTogether(v.text))
	case v.op == ">":
		v.sure = v.sure || strings.HasPrefix(t[v.to:], "</")
	case v.op == "=" || v.op == ":":
		ends := next == 0 || strings.IndexByte("\r\n\"", next) >= 0
		v.sure = v.sure || ends && (strings.Count(v.text, "-") >= 2 || wordsRunTogether(v.text) &&
			(lineStart(t, name) || v.op == ":" && cellBegins(t, name)))
	}
	return v, true
}

// lineGroups returns where groups of characters that begin at at and fill the line or field end, or at.
func lineGroups(t string, at int) int {
	line := t[at:min(len(t), at+80)]
	if i := strings.IndexAny(line, "\r\n;|\"'`"); i >= 0 {
		line = line[:i]
	}
	if line = strings.TrimRight(line, " \t"); strings.Contains(line, " ") && grouped(line) {
		return at + len(line)
	}
	return at
}

// valueBefore finds the value before a name that is itself a value: value = 'x' WHERE name = 'DB_PASSWORD'.
func (s *scan) valueBefore(from, end int) (value, bool) {
	const reach = 160
	t := s.text
	start := skipBack(t, from, 60)
	if quoteEnd(t, end) == end || start < 6 || quoteEnd(t, start-1) != start {
		return value{}, false
	}
	before := lowerASCII(t[max(0, start-reach):start])
	i := strings.LastIndex(before, "value")
	if i < 0 || strings.ContainsAny(before[i:], "{}\n") {
		return value{}, false
	}
	at := start - len(before) + i + len("value")
	at = skip(t, quoteEnd(t, at), blank, 2)
	if at >= start || t[at] != '=' && t[at] != ':' {
		return value{}, false
	}
	at = skip(t, at+1, blank, 2)
	if quoteEnd(t, at) == at {
		return value{}, false
	}
	return s.readValue(value{op: "=", named: true, sure: true}, start, at)
}

// valueFirst examines what a sentence afterwards calls the password: use x as the password, x is our password.
func valueFirst(s *scan, from, to int) {
	begin := from
	for begin > 0 && from-begin < runMost && strings.IndexByte(" \t\n", s.text[begin-1]) < 0 {
		begin--
	}
	v := strings.Trim(s.text[begin:from], "\"'`(),:")
	harmless := v == "" || shapeIn(v).digits == 0 && strings.Count(v, "-") < 3 || dateLike(v) || code(v)
	if harmless {
		return
	}
	for n, at := 0, to; n < 5; n++ {
		end := skip(s.text, at, letter, 20)
		if name, ok := secretWord[lowerASCII(s.text[at:end])]; ok && (name.literal != "key" ||
			s.qualified(at, qualifiers) || shapeIn(v).digits > 0) {
			begin += strings.Index(s.text[begin:from], v)
			found := value{from: begin, to: begin + len(v), text: v, op: "=", sure: true, whole: true, login: true}
			if found.secret(name.strength) {
				s.add(found.from, found.to, name.kind)
			}
			return
		}
		if end == at || s.at(end) != ' ' {
			return
		}
		at = end + 1
	}
}
