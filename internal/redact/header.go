package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

const maxHeader = 4 << 10 // bytes of a header's value

// authorization masks the header's credential in any notation: Authorization: Bearer x, "Authorization": "Basic x",
// Set("Authorization", "token "+x).
func authorization(s *scan, _, to int) {
	at := skipPunctuation(s.text, to, 6)
	if at == to {
		return
	}
	end := run(s.text, at, letter, "-", 20)
	scheme := strings.ToLower(s.text[at:end])
	if schemes[scheme] && end < len(s.text) && s.text[end] == ' ' {
		at = skip(s.text, end, blank, 4)
		s.header(at, 8, true)
		return
	}
	if next := skip(s.text, end, blank, 1); end > at && next > end { // a custom scheme
		s.header(next, 16, false)
	}
	s.header(at, 12, false)
}

var schemes = set(words("schemes")...)

// skipPunctuation skips what separates a header's name and value.
func skipPunctuation(t string, at, most int) int {
	return run(t, at, 0, " \t:=\"'`,>\\[", most)
}

// header masks the value at at if it has at least that length and looks like a credential; certain: a scheme precedes
// it.
func (s *scan) header(at, least int, certain bool) {
	end := headerEnd(s.text, at)
	v := s.text[at:end]
	if len(v) < least || placeholder(v) || dotted(v) || path(v) {
		return
	}
	t := shapeIn(v)
	plain := t.digits == 0 && (!certain || !letters(v, t)) || !certain && (!mixed(v) || public(v) && len(v) < 32)
	if !plain {
		s.add(at, end, "auth-header")
	}
}

// letters reports whether letters alone can be a credential: of both cases, and longer than names.
func letters(v string, t shapeOf) bool {
	return t.upper >= 3 && t.lower >= 3 && len(v) >= 20 && entropy(v) > 3.8
}

func headerEnd(t string, at int) int {
	end := skip(t, at, token, maxHeader)
	for end > at && strings.IndexByte(".:|", t[end-1]) >= 0 {
		end--
	}
	return end
}

// bearer masks what follows the bare word. As that also occurs in prose, the token must look like one.
func bearer(s *scan, _, to int) {
	at := skip(s.text, to, blank, 4)
	if at == to {
		return
	}
	at = quoteEnd(s.text, at)
	end := headerEnd(s.text, at)
	v := s.text[at:end]
	if len(v) < 8 || placeholder(v) || path(v) || dotted(v) {
		return
	}
	t := shapeIn(v)
	if t.digits > 0 && t.lower+t.upper > 0 && !numbered(v) || letters(v, t) {
		s.add(at, end, "bearer-token")
	}
}

// basic masks a bare "Basic dXNlcjpwdw==" if the value decodes to user:password.
func basic(s *scan, _, to int) {
	end := run(s.text, to, alnum, "+/=", 512)
	if userPassword(s.text[to:end]) {
		s.add(to, end, "basic-auth")
	}
}

// userPassword reports whether a value is user:password in base64.
func userPassword(v string) bool {
	if len(v) < 8 {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || !utf8.Valid(plain) || strings.IndexByte(string(plain), ':') < 1 {
		return false
	}
	return !slices.ContainsFunc(plain, func(c byte) bool { return c < ' ' })
}

// cookie masks the values of a Cookie or Set-Cookie header that look like session ids.
func cookie(s *scan, from, to int) {
	if from < s.cookieEnd {
		return // still on the previous one's line
	}
	at := skipPunctuation(s.text, to, 4)
	line := s.text[at:min(len(s.text), at+maxHeader)]
	if i := strings.IndexAny(line, "\r\n\"'`"); i >= 0 {
		line = line[:i]
	}
	s.cookieEnd = at + len(line)
	for pair := range strings.SplitSeq(line, ";") {
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
	case !ok && len(user) >= 20 && mixed(user) && !placeholder(user):
		s.add(to, to+at, "url-password")
	}
}

// sourcePassword masks the password of "user:password@tcp(host)".
func sourcePassword(s *scan, from, _ int) {
	begin := from
	for begin > 0 && from-begin < maxAuthority && strings.IndexByte(" \t\r\n\"'`<>=(,", s.text[begin-1]) < 0 {
		begin--
	}
	user, password, ok := strings.Cut(s.text[begin:from], ":")
	if told := ok && user != "" && password != ""; told && !placeholder(password) && !strings.HasPrefix(password, "//") {
		s.add(begin+len(user)+1, from, "url-password")
	}
}

// cookieJar masks the value in a line of a browser's cookies as curl keeps them: seven fields with tabs between.
func cookieJar(s *scan, from, to int) {
	begin := strings.LastIndexByte(s.text[:from], '\n') + 1
	if end := until(s.text, to, "\r\n", maxHeader); from-begin < maxAuthority && begin >= s.cookieEnd {
		s.cookieEnd = end
		field := strings.Split(s.text[begin:end], "\t")
		if len(field) != 7 || field[4] == "" || skip(field[4], 0, digit, len(field[4])) < len(field[4]) {
			return
		}
		if v := field[6]; len(v) >= 16 && mixed(v) && !placeholder(v) {
			s.add(end-len(v), end, "cookie")
		}
	}
}
