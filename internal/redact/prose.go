package redact

import (
	"strings"
	"unicode/utf8"
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

func (y *sentenceRules) password(s *scan, from, to int) {
	if !s.isWord(from, to) {
		return
	}
	if s.sentenceContinues(to) {
		y.after(s, from, to, "password", func(v string, near nearness, quoted bool) bool {
			return unmistakable(v) || near != somewhere && plausibleInProse(v, quoted) &&
				(near >= told || len(v) >= 8 && mixed(v) && !public(v)) || near == said && quoted && quotable(v)
		})
	}
	s.beforeName(from)
}

func (y *sentenceRules) token(s *scan, from, to int) {
	if !s.sentenceContinues(to) || !s.isWord(from, to) {
		return
	}
	name := lowerASCII(strings.TrimLeft(s.text[from:to], " -"))
	vague, glued := vagueNames[name], is(s.before(from), alnum)
	unlikely := (vague || glued) && s.text[to] == ' ' && !s.randomNext(to) && (glued || !s.qualified(from, qualifiers))
	if unlikely {
		return
	}
	known := glued || name == "secret" || s.qualified(from, qualifiers)
	long := func(v string) bool { return len(v) >= 24 && public(v) && mixed(v) }
	y.after(s, from, to, "token", func(v string, near nearness, quoted bool) bool {
		switch {
		case known && (near == next || near >= told) && long(v):
			return true
		case glued || vague && !known:
			return near == next && shuffled(v) && randomWord(v) && (known || jumbled(v))
		case near == somewhere:
			return len(v) >= 24 && randomWord(v)
		case near >= told && randomWord(v), near == next && unmistakable(v):
			return true
		}
		return shuffled(v) && randomWord(v)
	})
}

// shuffled reports whether a word is long, or changes between letters and digits or cases too often for a name.
func shuffled(v string) bool {
	return len(v) >= 20 || len(v) >= 14 && (caseSwitches(v)*4 >= len(v) || shapeIn(v).mostSwitches >= 5)
}

// randomNext reports whether the word after a name is as long as random values are.
func (s *scan) randomNext(to int) bool {
	at := quoteEnd(s.text, to+1)
	return skip(s.text, at, word|marks, 14) == at+14
}

// vagueNames also name other things unless the preceding word is more specific.
var vagueNames = set("key", "private", "access")

func (y *sentenceRules) pin(s *scan, from, to int) {
	if !s.sentenceContinues(to) || !s.isWord(from, to) {
		return
	}
	y.after(s, from, to, "password", func(v string, near nearness, _ bool) bool {
		return near != somewhere && len(v) >= 4 && len(v) <= 12 && skip(v, 0, digit, len(v)) == len(v) &&
			distinct(v) > 2
	})
}

// isWord reports whether text[from:to] is a word of a sentence.
func (s *scan) isWord(from, to int) bool {
	if next := s.at(to); next < utf8.RuneSelf && strings.IndexByte(" :,.?!)\n\r", next) < 0 {
		return false
	}
	return s.text[from] == ' ' || !is(s.before(from), under|marks) || s.before(from) == '-'
}

// sentenceContinues reports whether the sentence continues after a name; in scripts without blanks, anything continues
// it.
func (s *scan) sentenceContinues(to int) bool {
	c := s.at(to)
	return c == ' ' || c >= utf8.RuneSelf || s.text[to-1] >= utf8.RuneSelf
}

// after examines the words after a secret's name, and masks the first that looks like its value.
func (y *sentenceRules) after(s *scan, from, to int, kind string, looks looksLike) {
	near := next
	for n, at := 0, to; n < sayingWords && at-to < sayingBytes; n++ {
		at = s.wordGap(at)
		if at >= len(s.text) || s.text[at] == '\n' {
			return
		}
		open := quoteEnd(s.text, at)
		end := open
		inWord := func() bool { return strings.IndexByte(" \t\r\n\"'`<>", s.text[end]) < 0 || s.apostrophe(end) }
		for end < len(s.text) && end-open < 200 && inWord() && !s.foreignScript(end) {
			end++
		}
		whole := s.text[open:end]
		v := strings.TrimLeft(strings.TrimRight(whole, ".,;:!?)*"), "(*")
		if v == "" {
			if whole != "" && whole[len(whole)-1] == ':' {
				near, at = told, end
				continue
			}
			return
		}
		if n == 0 && (open > at || y.saysUse(s, from)) {
			near = told
		}
		if looks(v, near, open > at) {
			start := open + strings.Index(whole, v)
			s.add(start, start+len(v), kind)
			return
		}
		last := whole[len(whole)-1]
		switch {
		case y.verbs[lowerASCII(v)]:
			near = said
		case last == ':':
			near = told
		case strings.IndexByte(".;!?", last) >= 0:
			return // the sentence ends
		case near >= told && n > 0 && len(v) <= 5:
		default:
			near = somewhere
		}
		if open > at && s.at(end) == s.text[open-1] {
			end++ // past the quote
		}
		at = end
	}
}

// wordGap skips the gap between two words, and what separates a word from a value in scripts without blanks.
func (s *scan) wordGap(at int) int {
	for at < len(s.text) && (is(s.text[at], blank) || s.text[at] >= 0xe3 && s.text[at] <= 0xef) {
		if s.text[at] >= 0xe3 {
			at += 2
		}
		at++
	}
	for at < len(s.text) && s.text[at] >= 0x80 && s.text[at] < 0xc0 {
		at++
	}
	return skip(s.text, at, blank, 2)
}

// foreignScript reports whether a word in a script without blanks begins at at.
func (s *scan) foreignScript(at int) bool { return s.text[at] >= 0xe3 && s.text[at] <= 0xef }

// apostrophe reports whether the quote at at is within a word.
func (s *scan) apostrophe(at int) bool {
	return s.text[at] == '\'' && at > 0 && is(s.text[at-1], letter) && (is(s.at(at+1), letter) ||
		s.at(at+1) >= 0xc0) && s.at(at+2) != 0
}

// saysUse reports whether one of the three words before a name says that it is used.
func (y *sentenceRules) saysUse(s *scan, at int) bool {
	window := s.text[max(0, at-40):at]
	if i := strings.LastIndexAny(window, "\n.;"); i >= 0 {
		window = window[i+1:]
	}
	words := strings.Fields(window)
	for _, w := range words[max(0, len(words)-3):] {
		if y.uses[strings.Trim(lowerASCII(w), ",(\"'")] {
			return true
		}
	}
	return false
}

// plausibleInProse reports whether a word of a sentence looks like a password, or is hyphenated words in quotes.
func plausibleInProse(v string, quoted bool) bool {
	phrase := quoted && len(v) >= 8 && !placeholder(v) && !path(v) && !label(v) && !hasSecretName(v) && !identifier(v) &&
		(strings.Count(v, "-") >= 2 || len(v) >= 12 && !strings.ContainsAny(v, "-.:/="))
	return phrase || plausible(v) && !code(v) && !label(v) && !strings.ContainsAny(v, "=()") && !dateLike(v) &&
		shapeIn(v).digits > 0
}

// quotable reports whether a quoted word that a sentence calls a password is one, and not an adjective for passwords.
func quotable(v string) bool {
	return len(v) >= 5 && len(v) < 40 && skip(v, 0, alnum|under, len(v)) == len(v) && !placeholder(v) &&
		!hasSecretName(v) && !qualities[v] && lowerASCII(v) == v
}

var qualities = set(words("qualities")...)

// randomWord reports whether a word of a sentence is a key or a token.
func randomWord(v string) bool {
	return len(v) >= 12 && mixed(v) && !public(v) && !placeholder(v) && !path(v) && !dotted(v) &&
		entropy(v) > 3.2 && (jumbled(v) || !camel(v)) && !numbered(v)
}
