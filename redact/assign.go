package redact

import "strings"

// assignment returns where the value begins of the name that ends at to, if an operator follows: what gitleaks' named
// rules have in common, escaped quotes allowed:
//
//	(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}
func assignment(text string, at int) (value int, ok bool) {
	at = skip(text, at, inName, 20)
	at = skip(text, at, gap, 4)
	at, ok = operator(text, at)
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

// skipBack returns the beginning of the name that ends at to.
func skipBack(text string, to, most int) int {
	at := to
	for at > 0 && to-at < most && (wordChar(text[at-1]) || strings.IndexByte("-.", text[at-1]) >= 0) {
		at--
	}
	return at
}
