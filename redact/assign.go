package redact

import (
	"regexp"
	"strings"
	"sync"
)

// assignment returns where the value begins of the name that ends at to, if an
// operator follows it. It is what the named rules of gitleaks have in common:
//
//	(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}
//
// escaped quotes allowed.
func (s *scan) assignment(to int) (value int, ok bool) {
	if s.assignedAt != to {
		s.assignedAt = to
		s.value, s.assigned = assignment(s.text, to)
	}
	return s.value, s.assigned
}

func assignment(text string, at int) (int, bool) {
	at = skip(text, at, inName, 20)
	at = skip(text, at, gap, 4)
	at, ok := operator(text, at)
	if !ok {
		return at, false
	}
	return skip(text, at, lead, 6), true
}

// operator returns where the operator at at ends.
func operator(text string, at int) (end int, ok bool) {
	if at >= len(text) {
		return at, false
	}
	next := byte(0)
	if at+1 < len(text) {
		next = text[at+1]
	}
	switch c := text[at]; {
	case c == '=' && next == '>', c == '?' && next == '=', c == '|' && next == '|', c == ':' && next == '=':
		return at + 2, true
	case c == ':' && next == ':':
		if colons := strings.Index(text[at:min(len(text), at+4)], "="); colons > 0 {
			return at + colons + 1, true
		}
		return at + 1, true
	case c == '=' || c == '>' || c == ':' || c == ',':
		return at + 1, true
	}
	return at, false
}

// generic applies gitleaks' rule for any name with "key", "auth" and the like.
// Its words say little, so that the value has to look like a secret as well.
func generic(s *scan, _, to int) {
	from, ok := s.assignment(to)
	if !ok || skip(s.text, from, token, 10) < from+10 {
		return
	}
	end := skip(s.text, from, token, 160)
	m := genericExpr().FindStringSubmatchIndex(s.text[from:min(len(s.text), end+2)])
	if m == nil {
		return
	}
	v := s.text[from+m[2] : from+m[3]]
	if !mixed(v) || entropy(v) <= 3.5 || public(v) || path(v) || dotted(v) || allowed(v) || placeholder(v) ||
		stopped(v) {
		return
	}
	if quote := s.before(from); quote != '"' && quote != '\'' && quote != '`' && camel(v) {
		return
	}
	before := skipBack(s.text, to, 60)
	if genericAllowed().MatchString(s.text[before:from]) {
		return
	}
	s.add(from, from+len(v), genericKind)
}

// skipBack returns the beginning of the name that ends at to.
func skipBack(text string, to, most int) int {
	at := to
	for at > 0 && to-at < most && (wordChar(text[at-1]) || text[at-1] == '-' || text[at-1] == '.') {
		at--
	}
	return at
}

var genericExpr = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?i)([\w.=-]{10,150}|[a-z0-9][a-z0-9+/]{11,}={0,3})(?:[^\w.=+/-]|$)`)
})

// genericAllowed is of names that gitleaks' generic rule leaves alone.
var genericAllowed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:access(?:ibility|or)|access[_.-]?id|random[_.-]?access|api[_.-]?(?:id|` +
		`name|version)|rapid|capital|` +
		`author|(?:credentials?[_.-]?id|withCredentials)|(?:bucket|foreign|hot|idx|natural|primary|` +
		`pub(?:lic)?|schema|sequence|cache|object|sort|partition|dedup|group)[_.-]?key|` +
		`turkey|key[_.-]?(?:alias|board|code|frame|id|length|mesh|name|pair|press(?:ed)?|ring|selector|` +
		`signature|size|stone|storetype|word|up|down|left|right)|` +
		`key(?:store|tab)[_.-]?(?:file|path)|issuerkeyhash|monkey|keying|secret[_.-]?(?:length|name|size)|` +
		`csrf[_.-]?token|` +
		`(?:api|credentials|token)[_.-]?(?:endpoint|ur[il])|(?:page|next|continuation|sync)[_.-]?token|` +
		`public[_.-]?token|(?:key|token)[_.-]?file|--mount=type)`)
})

// stopped says that a value holds one of gitleaks' stop words as a whole piece
// between letters that aren't: a random value holds one by chance.
func stopped(v string) bool {
	low := strings.ToLower(v)
	for _, w := range genericStopWords {
		if len(w) >= 5 && strings.Contains(low, w) {
			return true
		}
	}
	return false
}
