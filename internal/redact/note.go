package redact

import "strings"

// credentialNote masks a password in a short note of credentials: "id/pw: ann/x", "(pw:x)", "PASS - x", with any
// separators. The value must look like nothing else.
func credentialNote(s *scan, from, to int) {
	const reach, runs, jottedRun = 60, 8, 48
	name := s.text[from:to]
	c := s.at(to)
	goesOn := is(c, alnum) && is(name[len(name)-1], alnum) || c == '_' || c == '@'
	if goesOn || skip(s.text, to, word|marks, jottedRun) == to+jottedRun {
		return
	}
	glued := is(s.before(from), alnum) && !(is(name[0], upper) && is(s.before(from), lower))
	if glued && !strings.EqualFold(name, "pwd") && !strings.EqualFold(name, "pw:") {
		return
	}
	end := min(len(s.text), to+reach)
	for at, n := to, 0; at < end && n < runs && s.text[at] != '\n'; {
		stop := skip(s.text, at, jot, len(s.text))
		if stop == at {
			at++
			continue
		}
		if v := strings.TrimRight(s.text[at:stop], "!?"); passwordLike(v) && skip(s.text, stop, word|marks, 24) < stop+24 {
			s.add(at, at+len(v), "password")
			return
		}
		at, n = stop, n+1
	}
}

// passwordLike reports whether a word mixes letters of both cases and digits, or contains marks, as only passwords do.
func passwordLike(v string) bool {
	t := shapeIn(v)
	harmless := len(v) < 7 || len(v) > 40 || t.digits == 0 || t.lower+t.upper < 3 || placeholder(v) || numbered(v) ||
		hasSecretName(v) || strings.HasPrefix(v, "0x")
	return !harmless && (strings.ContainsAny(v, "!#$^*?") && strings.IndexAny(v, "$#*") != 0 ||
		t.other == strings.Count(v, "_") && t.lower > 0 && t.upper > 0 && !camel(v))
}

// loginPair masks the password of "ann / password" and "ann:password" after a word for logging in.
func loginPair(s *scan, _, to int) {
	line, _, _ := strings.Cut(s.text[to:min(len(s.text), to+100)], "\n")
	for _, between := range [...]string{" / ", ":", ", "} {
		user, rest, ok := strings.Cut(line, between)
		if ok && between == ":" && strings.HasPrefix(rest, " ") { // "credentials: ann:password"
			var more string
			more, _, ok = strings.Cut(rest[1:], between)
			user += ": " + more
		}
		if !ok || len(user) == 0 || strings.Count(user, " ") > 3 {
			continue
		}
		open, end := s.wordAt(to+len(user)+len(between), 100)
		v := strings.TrimRight(s.text[open:end], ".,;:?)")
		secret := plausible(v) && !code(v) && !strings.Contains(v, "/") && shapeIn(v).digits > 0 && (between != ", " ||
			unmistakable(v))
		if secret {
			s.add(open, open+len(v), "password")
			return
		}
	}
}

// beforeName masks a password that precedes its name in a sentence.
func (s *scan) beforeName(from int) {
	begin, digits := from, 0
	for begin > 0 && from-begin < 60 && s.text[begin-1] != '\n' && s.text[begin-1] != ';' {
		begin--
		if is(s.text[begin], digit) {
			digits++
		}
	}
	if digits == 0 {
		return
	}
	window := s.text[begin:from]
	at := from - len(window)
	for word := range strings.SplitSeq(window, " ") {
		v := strings.Trim(word, ".,;:?)(\"'`")
		says := strings.HasPrefix(window[at+len(window)-from+len(word):], " is ")
		if unmistakable(v) || says && passwordLike(v) {
			begin := at + strings.Index(word, v)
			s.add(begin, begin+len(v), "password")
		}
		at += len(word) + 1
	}
}

// unmistakable reports whether a word near a password's name can't be anything else: letters, digits and a mark inside.
func unmistakable(v string) bool {
	if len(v) < 8 || len(v) > 64 || strings.ContainsAny(v, "/:=()[]{}<>\\;,\"'|`") || placeholder(v) {
		return false
	}
	mark := strings.IndexAny(v[1:], "!$^&*?#@%")
	t := shapeIn(v)
	harmless := mark < 0 || mark+2 == len(v) || t.digits == 0 || t.lower+t.upper < 3 || t.lower+t.upper+t.digits < 6
	if harmless {
		return false
	}
	mark++
	switch v[mark] {
	case '%':
		return !is(v[mark+1], hexa)
	case '#', '@': // of links and versions
		return !strings.Contains(v, ".") && is(v[mark+1], alnum) && strings.ContainsAny(v[mark+1:], "!$^&*?")
	}
	return is(v[mark-1], alnum) && is(v[mark+1], alnum)
}

// seedPhrase masks a wallet's words after their name: twelve to twenty-four short words in lower case.
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

// passwordHash masks a stored password hash, as weak passwords can be guessed from it.
func passwordHash(s *scan, from, to int) {
	end := run(s.text, from, word, "$./+=,", 300)
	v := strings.TrimRight(s.text[from:end], ".,=")
	i := strings.LastIndexByte(v, '$')
	if last := v[i+1:]; strings.Count(v, "$") >= 3 && len(last) >= 22 && mixed(last) && !placeholder(v[1:]) {
		s.add(from, from+len(v), "password-hash")
	}
}
