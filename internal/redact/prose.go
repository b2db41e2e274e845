package redact

import (
	"strings"
	"unicode/utf8"

	"recall/internal/text"
)

// How far a sentence is read on either side of a name.
const (
	sayingWords = 7
	sayingBytes = 90
)

// looksLike reports whether a word of a sentence looks like a value.
type looksLike func(v string, near nearness, quoted bool) bool

// nearness says how a word relates to the name of a secret before it.
type nearness uint8

const (
	somewhere nearness = iota // in the same sentence
	next                      // directly after the name
	told                      // a colon or a quote marks it as the value
	said                      // a verb does
)

func password(s *scan, from, to int) {
	if to = s.ending(to, 6); !s.isWord(from, to) {
		return
	}
	foreign := s.at(to) == ':' && secretWord[strings.Trim(lowerASCII(s.text[from:to]), " ")].literal == ""
	if s.sentenceContinues(from, to) || foreign {
		phrase := strings.Contains(lowerASCII(s.text[from:to]), "phras")
		s.sayingAfter(to, func(v string, near nearness, quoted bool) bool {
			long := near == next && len(v) >= 6 || near >= told && len(v) >= 8
			number := long && numeric(v) && distinct(v) > 3
			if strings.Contains(v, " ") {
				return (phrase || spokenPhrase().MatchString(v)) && unrelatedWords(v) && !inflected().MatchString(v)
			}
			quote := near == said && quoted && quotable(v)
			if unmistakable(v) || number || quote {
				return true
			}
			alone := near >= told || len(v) >= 8 && mixed(v) && (!public(v) || len(v) >= 16) || passwordLike(v) ||
				near == next && nameWithYear(v) ||
				len(v) >= 12 && strings.Count(v, "-") >= 2
			return near != somewhere && alone && plausibleInProse(v, quoted)
		})
	}
}

// numeric reports whether a value is digits alone, and no date.
func numeric(v string) bool {
	return skip(v, 0, digit, len(v)) == len(v) && v[:2] != "19" && v[:2] != "20"
}

// vagueNames also name other things unless the preceding word is more specific.
var vagueNames = set("key", "private", "access")

// ending returns where the ending of the word that goes on at to ends, at most that many bytes on.
func (s *scan) ending(to, most int) int {
	for n := 0; n < most && (is(s.at(to), lower) || s.at(to) >= 0x80 && s.at(to) < 0xe0); n++ {
		to++
	}
	return to
}

func pin(s *scan, from, to int) {
	if to-from >= 8 { // too long to begin other words: код подтвержд
		to = s.ending(to, 24)
	}
	if !s.sentenceContinues(from, to) || !s.isWord(from, to) || is(s.text[from], letter) && is(s.before(from), alnum) {
		return
	}
	s.sayingAfter(to, func(v string, near nearness, _ bool) bool {
		v = strings.TrimRight(strings.NewReplacer("-", "", " ", "").Replace(v), "#*")
		return near != somewhere && len(v) >= 4 && len(v) <= 12 && skip(v, 0, digit, len(v)) == len(v) &&
			distinct(v) > 2
	})
}

// isWord reports whether text[from:to] is a word of a sentence.
func (s *scan) isWord(from, to int) bool {
	if next := s.at(to); next < utf8.RuneSelf && strings.IndexByte(" :,.?!')\n\r\x00", next) < 0 {
		return false
	}
	return s.text[from] == ' ' || !is(s.before(from), under|marks) || s.before(from) == '-'
}

// sentenceContinues reports whether the sentence continues after a name; in scripts without blanks, anything continues
// it.
func (s *scan) sentenceContinues(from, to int) bool {
	c := s.at(to)
	ownLine := c == '\n' && cellBegins(s.text, from)
	mark := (c == ',' || c == '?') && s.at(to+1) == ' ' || (c == ':' || c == '?') && s.at(to+1) == '\n'
	return c == ' ' || mark || ownLine || strings.HasPrefix(s.text[to:], "'s ") ||
		c >= utf8.RuneSelf || s.text[to-1] >= utf8.RuneSelf
}

// sayingAfter examines the words after a secret's name, and masks the first that looks like its value.
func (s *scan) sayingAfter(to int, looks looksLike) {
	near, most := next, sayingWords
	for n, at := 0, to; n < most && at-to < sayingBytes; n++ {
		if at = s.wordGap(at); s.at(at) == '\n' && (near == told || n == 0) { // the new password is:, Password
			at = s.nextLine(at)
		}
		if at >= len(s.text) || s.text[at] == '\n' {
			return
		}
		open := quoteEnd(s.text, pastMark(s.text, at))
		end := open
		if open > at {
			end += len(quotedPhrase().FindString(s.text[open:min(len(s.text), open+runMost)]))
		}
		inWord := func() bool {
			arrow := end > open && s.text[end] == '>' && s.text[end-1] == '-'
			return arrow || strings.IndexByte(" \t\r\n\"'`<>", s.text[end]) < 0 || s.apostrophe(end)
		}
		for end < len(s.text) && end-open < 200 && inWord() && !s.foreignScript(end) {
			end++
		}
		each := end - open
		grouped := s.at(end) == ' ' && skip(s.text, end+1, digit, each+1) == end+1+each
		if grouped && each > 0 && each <= 5 && skip(s.text, open, digit, each) == end { // in groups: 858 451
			end += each + 1
		}
		whole := s.text[open:end]
		v := strings.TrimLeft(strings.TrimRight(whole, ".,;:!?)*»”“」』"), "(*")
		if v == "" {
			switch {
			case whole == ":", whole == "?" && s.at(end) == '\n':
				near = told
			case (whole == "," || whole == "?") && n == 0: // an aside, or answered at once
				near, most = somewhere, 4
			case whole == "" && open > at: // the end of what was quoted
			default:
				return
			}
			at = end
			continue
		}
		unspaced := s.text[to-1] >= 0xe0 || s.text[to] >= 0xe0
		if n == 0 && (open > at || unspaced) {
			near = told
		}
		if marked := strings.TrimLeft(strings.TrimRight(whole, ".,;:)"), "(*"); looks(v, near, open > at) ||
			len(marked) > len(v) && marked[:len(v)] == v && looks(marked, near, open > at) {
			start := open + strings.Index(whole, v)
			if line := lowerASCII(s.text[to:start]); n > 1 && s.ofThing(line, lastWord(line), start) {
				return // else "on" is a verb
			}
			s.add(start, skip(s.text, start+len(v), closers, 3), "password")
			if !text.AnyOf(s.text[:at], strings.HasSuffix, " from ", " von ", " de ") {
				return
			}
			near, at = said, end // to the new one
			continue
		}
		last := whole[len(whole)-1]
		switch {
		case sayingVerbs[lowerASCII(v)], n > 0 && sayingUses[lowerASCII(v)] && s.text[to] == ',': // a password, type x
			near = said
		case last == ':', last == '?' && s.at(end) == '\n', sayingBelow[lowerASCII(v)]:
			near = told
		case strings.IndexByte(".;!?", last) >= 0:
			return // the sentence ends
		case near >= told && n > 0 && len(v) <= 9:
		default:
			near = somewhere
		}
		at = end
	}
}

// nextLine returns where the next line that isn't empty begins, if it is a single word; else at.
func (s *scan) nextLine(at int) int {
	from := at + 1
	if s.at(from) == '\n' {
		from++
	}
	from = skip(s.text, from, blank, 8)
	from += len(speaker().FindString(s.text[from:min(len(s.text), from+60)]))
	if end := s.lineWord(from); end > from && s.text[end-1] != ':' {
		return from
	}
	return at
}

// speaker matches who answers in a chat, and when.
var speaker = text.Pattern(`\A(?:\[[^\]\n]{1,20}\] )?(?:<[\w.]{2,16}> |[\pL\d_.]{2,16}: )(?:it'?s )?`)

// lineWord returns where the word at at ends if nothing follows on its line; else at.
func (s *scan) lineWord(at int) int {
	n := strings.IndexAny(s.text[at:min(len(s.text), at+maxUnquoted)], " \t\r\n\"'")
	if n < 0 {
		n = min(len(s.text)-at, maxUnquoted)
	}
	if end := at + n; s.at(end) == '\n' || s.at(end) == '\r' || s.at(end) == 0 {
		return end
	}
	return at
}

// wordGap skips the gap between two words, and what separates a word from a value in scripts without blanks.
func (s *scan) wordGap(at int) int {
	for at < len(s.text) && (is(s.text[at], blank) || s.text[at] >= 0xe3 && s.text[at] <= 0xef) {
		if s.text[at] >= 0xe3 {
			at += 2
		}
		at++
	}
	return skip(s.text, at, blank, 2)
}

// foreignScript reports whether a word in a script without blanks begins at at.
func (s *scan) foreignScript(at int) bool { return s.text[at] >= 0xe3 && s.text[at] <= 0xef }

// pastMark skips a quotation mark of prose, as in « x » and „x“, and the blank after it.
func pastMark(t string, at int) int {
	for _, mark := range [...]string{"«", "»", "„", "“", "‚", "「", "『"} {
		if rest, ok := strings.CutPrefix(t[at:], mark); ok {
			return len(t) - len(strings.TrimLeft(rest, " \u00a0"))
		}
	}
	return at
}

// apostrophe reports whether the quote at at is within a word.
func (s *scan) apostrophe(at int) bool {
	return s.text[at] == '\'' && at > 0 && is(s.text[at-1], letter) && (is(s.at(at+1), letter) ||
		s.at(at+1) >= 0xc0) && s.at(at+2) != 0
}

// plausibleInProse reports whether a word of a sentence looks like a password, or is hyphenated words in quotes.
func plausibleInProse(v string, quoted bool) bool {
	if hyphenated(v) {
		return true
	}
	phrase := quoted && len(v) >= 8 && !placeholder(v) && !path(v) && !hasSecretName(v) && !identifier(v) &&
		(strings.Count(v, "-") >= 2 || len(v) >= 12 && !strings.ContainsAny(v, "-.:/="))
	harmless := code(v) || hasSecretName(v) || strings.ContainsAny(v, "=()") || shapeIn(v).digits == 0 ||
		dummies[strings.Trim(lowerASCII(v), "0123456789")] // 1Password
	return phrase || plausible(v) && !harmless
}

// hyphenated reports whether a word is three long words or more joined by hyphens, as passphrases are.
func hyphenated(v string) bool { return passphrase().MatchString(v) && !hasSecretName(v) }

// nameWithYear reports whether a word is what many choose: Maria1987, summer24.
func nameWithYear(v string) bool {
	return nameAndYear().MatchString(v) && !sized().MatchString(v) && !hasSecretName(v)
}

var nameAndYear = text.Pattern(`\A\pL\p{Ll}{3,12}\d{2,4}[!?.]?\z`)

// quotedPhrase matches three words or more in quotation marks.
var quotedPhrase = text.Pattern(`\A[a-z]{3,12}(?:[ ._-][a-z]{3,12}){2,11}\b`)

var passphrase = text.Pattern(`\A(?:[a-z]{4,12}(?:-[a-z]{4,12}){2}|[a-z]{3,12}(?:-[a-z]{3,12}){3,7})\d*\z`)

// quotable reports whether a quoted word that a sentence calls a password is one, and not an adjective for passwords.
func quotable(v string) bool {
	return len(v) >= 5 && len(v) < 40 && skip(v, 0, alnum|under, len(v)) == len(v) && !placeholder(v) &&
		!hasSecretName(v) && !qualities[v] && lowerASCII(v) == v
}

var qualities = set(words("qualities")...)

// randomWord reports whether a word of a sentence is a key or a token: long, or with letters, digits and cases that
// change too often for a name.
func randomWord(v string) bool {
	shuffled := len(v) >= 20 || len(v) >= 14 && (caseSwitches(v)*4 >= len(v) || shapeIn(v).mostSwitches >= 5)
	return shuffled && mixed(v) && !public(v) && !placeholder(v) && !path(v) && !dotted(v) &&
		entropy(v) > 3.2 && (jumbled(v) || !camel(v)) && !numbered(v)
}

// passwordLike reports whether a word mixes letters of both cases and digits, or contains marks, as only passwords do.
func passwordLike(v string) bool {
	t := shapeIn(v)
	harmless := len(v) < 7 || len(v) > 40 || t.digits == 0 || t.lower+t.upper < 3 || placeholder(v) || numbered(v) ||
		hasSecretName(v) || strings.HasPrefix(v, "0x") || publicID(v)
	if harmless {
		return false
	}
	pair := strings.Contains(v, "_") && is(v[0], lower) && is(v[len(v)-1], digit) // meadow_Falcon12
	marked := strings.ContainsAny(v, "!#$^*?") || v[len(v)-1] == '%' && t.lower > 0 && t.upper > 0
	return allJumbled(v) || ofAllKinds(v) || titledNumber().MatchString(v) ||
		marked && strings.IndexAny(v, "$#*") != 0 ||
		t.other == strings.Count(v, "_") && t.lower > 0 && t.upper > 0 && (pair || !camel(v))
}

// ofAllKinds reports whether a word is letters of both cases and digits with a mark inside that names and addresses may
// have too, but not between such parts.
func ofAllKinds(v string) bool {
	t, mark := shapeIn(v), strings.IndexAny(v, "&+=%@")
	allKinds := t.other == 1 && t.lower > 0 && t.upper > 0 && t.digits > 0
	if !allKinds || mark < 1 || mark == len(v)-1 {
		return false
	}
	switch v[mark] {
	case '=': // of a name and a value
		return shapeIn(v[:mark]).digits > 0
	case '%':
		return !encodedInURL().MatchString(v[mark:])
	}
	return true
}

// allJumbled reports whether a word's cases and digits change as in a password that a program made.
func allJumbled(v string) bool {
	return len(v) >= 12 && (textureOf(v) == twoCases || drawn(v)) && !public(v)
}

// drawn reports whether letters of both cases were drawn by a program: the less their pairs are those of words and the
// oftener their case changes, which holds for nine in ten of twenty random letters, and for 2 of 1,000 names in code.
func drawn(v string) bool {
	const leastSwitches = 3
	if len(v) < 12 || skip(v, 0, alnum|under, len(v)) < len(v) {
		return false
	}
	switches := caseSwitches(v)
	if switches < leastSwitches || switches*4 < len(v) {
		return false
	}
	letters := 0
	for i := range len(v) {
		if is(v[i], letter) {
			letters++
		}
	}
	usual, all := usualPairs(v)
	return all >= 4 && 14*(all-usual)*letters+10*switches*all > 10*all*letters
}

// unmistakable reports whether a word near a password's name can't be anything else: letters, digits and a mark inside.
func unmistakable(v string) bool {
	mixture := allJumbled(v) || len(v) >= 10 && ofAllKinds(v)
	if mixture && !path(v) && !code(v) {
		return true
	}
	if len(v) < 8 || len(v) > 64 || strings.ContainsAny(v, "/:=()[]{}<>\\;,\"'|`") || placeholder(v) {
		return false
	}
	mark := strings.IndexAny(v[1:], "!$^&*?#@%")
	t := shapeIn(v)
	ends := mark+2 == len(v) && (v[mark+1] == '*' || t.upper == 0 || !is(v[mark], digit))
	harmless := mark < 0 || ends || t.digits == 0 || t.lower+t.upper < 3 || t.lower+t.upper+t.digits < 6
	if harmless {
		return false
	}
	if mark++; mark == len(v)-1 {
		return strings.IndexByte("#$^&%", v[mark]) >= 0
	}
	switch v[mark] {
	case '%':
		return t.upper > 0 && !encodedInURL().MatchString(v[mark:])
	case '#', '@': // of links and versions
		return !strings.Contains(v, ".") && is(v[mark+1], alnum) && strings.ContainsAny(v[mark+1:], "!$^&*?")
	}
	return is(v[mark-1], alnum) && is(v[mark+1], alnum)
}

// encodedInURL matches a character encoded as in a URL.
var encodedInURL = text.Pattern(`%[0-9a-fA-F]{2}`)
