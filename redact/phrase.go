package redact

import "strings"

// seedPhrase masks a wallet's words after its name: twelve to twenty-four, short, of small letters.
func seedPhrase(s *scan, _, to int) {
	v, ok := s.valueAfter(to, to)
	if !ok {
		return
	}
	at, n := v.from, 0
	end := at
	for {
		stop := skip(s.text, at, lower, 9)
		if stop-at < 3 || stop-at > 8 {
			return
		}
		n, end = n+1, stop
		if next := s.at(stop); next != ' ' || !is(s.at(stop+1), lower) {
			break
		}
		at = stop + 1
	}
	if n >= 12 && n <= 24 && n%3 == 0 {
		s.add(v.from, end, "seed-phrase")
	}
}

// passwordHash masks what a password is stored as: weak ones are told from it.
func passwordHash(s *scan, from, to int) {
	end := run(s.text, from, word, "$./+=,", 300)
	v := strings.TrimRight(s.text[from:end], ".,=")
	i := strings.LastIndexByte(v, '$')
	if last := v[i+1:]; strings.Count(v, "$") >= 3 && len(last) >= 22 && mixed(last) && !placeholder(v[1:]) {
		s.add(from, from+len(v), "password-hash")
	}
}
