package redact

import (
	"strings"

	"recall/internal/text"
)

// ownRules adds recall's own rules that are no expression: what gitleaks' rules miss in transcripts.
func ownRules(b *builder) {
	b.add("://", urlPassword)
	for _, before := range []string{"cookie:", "cookie\":", "cookie \"", "cookie '", "cookie = ", " -b \"", " -b '"} {
		b.add(before, cookie)
	}
	b.add("mcp__", serverName)
	for _, mark := range undone {
		b.add(mark, func(s *scan, _, _ int) { s.undo = true })
	}
	proseRules(b)
	b.add(".key", printed)
	b.add("_key", printed)
	b.add("-----begin", keyBlock)
	b.add("-----end", keyTail)
	for _, begin := range []string{"eyj", "ewog", "ewoj", "ls0tls1crudjti"} {
		b.add(begin, encoded)
	}
	b.add("private-lines:", puttyKey)
	b.add("kind:", kubernetesSecret)
	for _, n := range secretNames {
		b.add(n.literal, n.detect)
		if n.strength >= weak {
			b.add(n.literal, printed)
		}
	}
	for _, k := range keyForms() {
		if !k.whole() {
			b.add(lowerASCII(k.prefix), k.detector())
		}
	}
}

// serverName examines the name of an MCP server separately from the tool name that is glued to it.
func serverName(s *scan, _, to int) {
	end := skip(s.text, to, word, 200)
	name, _, ok := strings.Cut(s.text[to:end], "__")
	if !ok || len(name) < 16 || s.decoding {
		return
	}
	inner := scan{decoding: true}
	inner.look(s.rules, name)
	for _, f := range inner.found {
		s.add(to+f.from, to+f.to, f.kind)
	}
}

// printed masks what a command that names a secret prints, if that is a single word: "$ jq .password creds.json" and a
// line below it.
func printed(s *scan, from, to int) {
	const reach = 400
	begin := max(0, from-reach)
	begin += strings.LastIndexByte(s.text[begin:from], '\n') + 1
	if !strings.HasPrefix(s.text[begin:], "$ ") {
		return
	}
	command, rest, _ := strings.Cut(s.text[begin:min(len(s.text), to+reach)], "\n")
	line, _, _ := strings.Cut(rest, "\n")
	v := strings.Trim(line, " \t\r\"'")
	if len(v) < 6 || strings.ContainsAny(v, " \t") {
		return
	}
	hash := allHex(strings.Trim(v, ".")) && strings.Contains(command, "git ")
	if !hash && !fileName().MatchString(v) && !placeholder(v) && looks["printed"](v) {
		at := begin + len(command) + 1 + strings.Index(line, v)
		s.add(at, at+len(v), "password")
	}
}

var fileName = text.Pattern(`\A[\w-]+\.\w{1,5}\z`)

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

const maxHeader = 4 << 10 // bytes of a header's value

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

// skipPunctuation skips what separates a header's name and value.
func skipPunctuation(t string, at, most int) int {
	return run(t, at, 0, " \t:=\"'`,>\\[", most)
}
