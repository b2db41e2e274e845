package redact

import "strings"

// seedPhrase masks the words of a wallet after its name: twelve to twenty-four,
// all short and of small letters.
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

// hexKey masks the 64 hexadecimal digits after the words "private key".
func hexKey(s *scan, _, to int) {
	at := to
	for n := 0; n < 6 && at < len(s.text) && strings.IndexByte(" :=\"'`", s.text[at]) >= 0; n++ {
		at++
	}
	if strings.HasPrefix(s.text[at:], "is ") {
		at += len("is ")
	}
	if strings.HasPrefix(s.text[at:], "0x") {
		at += len("0x")
	}
	if end := skip(s.text, at, hexa, 65); end-at == 64 && distinct(s.text[at:end]) > 3 {
		s.add(at, end, "private-key")
	}
}

// passwordHash masks what a password is stored as: weak ones are told from it.
func passwordHash(s *scan, from, to int) {
	end := from
	for end < len(s.text) && end-from < 300 && (is(s.text[end], word) ||
		strings.IndexByte("$./+=,", s.text[end]) >= 0) {
		end++
	}
	v := strings.TrimRight(s.text[from:end], ".,=")
	i := strings.LastIndexByte(v, '$')
	if last := v[i+1:]; strings.Count(v, "$") >= 3 && len(last) >= 22 && mixed(last) && !placeholder(v[1:]) {
		s.add(from, from+len(v), "password-hash")
	}
}
