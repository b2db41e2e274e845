package redact

import "strings"

// maxAuthority is how far a URL's "user:password@host" is looked for, in bytes.
const maxAuthority = 400

// urlPassword looks at "://" and masks the password of "user:password@host". A long random user alone is a token.
func urlPassword(s *scan, _, to int) {
	window := s.text[to:min(len(s.text), to+maxAuthority)]
	if i := strings.IndexAny(window, " \t\r\n\"'`<>/\\|,()"); i >= 0 {
		window = window[:i]
	}
	at := strings.LastIndexByte(window, '@')
	if at < 0 {
		return
	}
	user, password, ok := strings.Cut(window[:at], ":")
	if !ok {
		if len(user) >= 20 && mixed(user) && !placeholder(user) {
			s.add(to, to+at, "url-password")
		}
		return
	}
	if password == "" || placeholder(password) {
		return
	}
	s.add(to+len(user)+1, to+at, "url-password")
}
