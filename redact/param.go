package redact

import "strings"

// paramRules adds rules for the parameters of addresses whose names say little
// elsewhere: "key" and "code" are words of any code.
func paramRules(b *builder) {
	for _, name := range []string{"key=", "token=", "auth=", "code=", "sig=", "signature=", "api_key=",
		"apikey=", "access_token=", "secret="} {
		b.add("?"+name, param)
		b.add("&"+name, param)
	}
	b.add("x-goog-signature=", param)
}

// param masks the value of an address' parameter if it looks random.
func param(s *scan, _, to int) {
	end := to
	for end < len(s.text) && end-to < maxUnquoted && (is(s.text[end], word|marks) || s.text[end] == '%') {
		end++
	}
	for end > to && strings.IndexByte(".=", s.text[end-1]) >= 0 {
		end--
	}
	v := s.text[to:end]
	if len(v) < 16 || placeholder(v) || numbered(v) || dotted(v) || entropy(v) < 3 {
		return
	}
	if mixed(v) && (len(v) >= 32 || !public(v)) && (jumbled(v) || !camel(v)) {
		s.add(to, end, "url-token")
	}
}
