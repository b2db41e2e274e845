package redact

import (
	"strings"
	"unicode/utf8"
)

// value is the value assigned to a name.
type value struct {
	from, to int
	text     string
	op       string // "=", ":", ",", ">", "|", "(", " " after a flag, "is", "head" of a column
	strength        // of the name
	kind     string // of secret, if it is one
	signs
}

// signs are what can be told of a value, as bits: first what is read of its place. What is seen of the value itself,
// and what each sign weighs, is in judge.go.
type signs uint64

const (
	quoted  signs = 1 << iota
	spaced        // there is a blank before the operator, as in code
	line          // name, operator and value make up a line, as in a .env file
	env           // assigned to an environment variable: NAME=value
	header        // of a header: X-Name: value
	pair          // it can be user:password
	named         // the name is quoted
	sure          // only a value can be here, not the name of a variable
	phrase        // the name is a passphrase's: words are enough
	login         // the name is that of a token for logging in
	flag          // of a flag: --name value
	whole         // makes up a line together with its name
	shouted       // the name is in capitals
)

// read are the names of those.
var read = [...]string{"quoted", "spaced", "line", "env", "header", "pair", "named", "sure", "phrase", "login", "flag",
	"whole", "shouted"}

func (s signs) has(one signs) bool { return s&one != 0 }

// tell adds a sign if it is so.
func (s *signs) tell(one signs, so bool) {
	if so {
		*s |= one
	}
}

const (
	maxQuoted   = 512
	maxUnquoted = 512
)

// readValue reads the value at at, quoted or bare.
func (s *scan) readValue(v value, name, at int) (value, bool) {
	t := s.text
	if from, to, joined := pieces(t, at); joined != "" {
		v.from, v.to, v.text = from, to, joined
		v.tell(quoted, true)
		return v, true
	}
	at = stringAt(t, at)
	if open := quoteEnd(t, at); open > at {
		v.tell(quoted, true)
		v.from, v.to = open, closing(t, open, t[at:open])
	} else {
		v.tell(line, v.op == "=" && !v.has(spaced) && lineStart(t, name))
		end := s.lineWord(at) // of a value that its line is for, whatever marks are in it
		own := v.op == ":" && end > at && lineStart(t, name) && is(t[end-1], alnum|mark)
		v.from, v.to = at, bareEnd(t, at, v.has(line) || own)
		if n := v.to - at; n >= 4 && n <= 8 && s.at(v.to) == ' ' {
			v.to = max(v.to, lineGroups(t, at))
		}
		rest := lineEnd(t, at, maxQuoted)
		if v.has(phrase|line) && v.op != "is" && spokenPhrase().MatchString(t[at:rest]) {
			v.to = rest
			v.tell(phrase, true)
		}
		next := skip(t, v.to, blank, 8)
		ends := next >= len(t) || strings.IndexByte("\r\n#", t[next]) >= 0
		sentence := strings.HasSuffix(t[:skipBack(t, name, 60)], ". ")
		begins := lineStart(t, name) || v.op == ":" && (sentence || cellBegins(t, name))
		v.tell(whole, ends && begins)
	}
	clipped := v.to <= v.from || !v.has(quoted) && strings.HasPrefix(t[v.to:], "..")
	if clipped {
		return v, false
	}
	v.text = t[v.from:v.to]
	v.tell(sure, s.ends(v, name))
	return v, true
}

// ends reports whether a value ends so that it can't be the name of a variable.
func (s *scan) ends(v value, name int) bool {
	t, next := s.text, s.at(v.to)
	switch {
	case v.has(quoted):
		return v.op == "," && v.has(named) &&
			(strings.Count(v.text, "-") >= 2 && !code(v.text) || wordsRunTogether(v.text))
	case v.op == "=" && !v.has(spaced), v.op == " ":
		// A shell word or a line of a file, where a variable would have a dollar; in code a comma or bracket follows.
		return next == 0 || strings.IndexByte(" \t\r\n\"'&|", next) >= 0 || next == ';' && strings.Contains(v.text, "-")
	case v.op == "|":
		return plausible(v.text) || strings.Count(v.text, "-") >= 2 || s.at(skip(t, v.to, blank, 40)) == '|' &&
			(shapeIn(v.text).digits > 3 || wordsRunTogether(v.text))
	case v.op == ">":
		return strings.HasPrefix(t[v.to:], "</")
	case v.op == "=" || v.op == ":":
		return (next == 0 || strings.IndexByte("\r\n\"", next) >= 0) && (strings.Count(v.text, "-") >= 2 ||
			wordsRunTogether(v.text) && (lineStart(t, name) || v.op == ":" && cellBegins(t, name)))
	}
	return false
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

// valueFirst examines what a sentence afterwards calls the password: use x as the password, x is our password.
func valueFirst(s *scan, from, to int) {
	begin := from
	for begin > 0 && from-begin < runMost && strings.IndexByte(" \t\n", s.text[begin-1]) < 0 {
		begin--
	}
	v := strings.TrimRight(strings.Trim(s.text[begin:from], "\"'`(),:*"), ".")
	digits := shapeIn(v).digits
	harmless := v == "" || len(v) < 16 && public(v) && digits < len(v) || digits == 0 && strings.Count(v, "-") < 3 ||
		code(v)
	if harmless {
		return
	}
	for n, at := 0, to; n < 5; n++ {
		end := at
		for end < len(s.text) && end-at < 20 && (is(s.text[end], letter) || s.text[end] >= utf8.RuneSelf) {
			end++
		}
		word := lowerASCII(s.text[at:end])
		if strings.HasPrefix(s.text[at:], "mot de passe") || strings.HasSuffix(word, "seña") {
			word = "password"
		}
		name, ok := secretWord[word]
		if name.literal == "code" {
			ok = name.promises(s, at)
		}
		if ok && (name.literal != "key" || s.qualified(at, qualifiers) || shapeIn(v).digits > 0) {
			begin += strings.Index(s.text[begin:from], v)
			s.addIfSecret(value{from: begin, to: begin + len(v), text: v, op: "is", strength: name.strength,
				kind: name.kind, signs: sure | login})
			return
		}
		if end == at || s.at(end) != ' ' {
			return
		}
		at = end + 1
	}
}
