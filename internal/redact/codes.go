package redact

import (
	"strings"

	"recall/internal/text"
)

// rescueNouns are what "recovery" must stand beside to speak of codes or keys.
var rescueNouns = words("rescue nouns")

const codeNouns = 16 // of those, the first, are for codes

// rescued looks for codes after a word such as "recovery" that has one for codes beside it, in any order: backup codes,
// códigos de recuperação.
func rescued(s *scan, from, to int) {
	const before, after, longest = 32, 40, 48
	if skip(s.text, to, word|marks, longest) == to+longest {
		return // data
	}
	rest := lowerASCII(s.text[to:lineEnd(s.text, to, after)])
	for _, noun := range rescueNouns {
		if i := strings.Index(rest, noun); i >= 0 {
			codes(s, to+i, to+i+len(noun))
			return
		}
	}
	begin := max(0, from-before)
	begin += strings.LastIndexByte(s.text[begin:from], '\n') + 1
	if text.AnyOf(lowerASCII(s.text[begin:from]), strings.Contains, rescueNouns...) {
		codes(s, begin, to)
	}
}

// codes masks the groups of equal length, on its line and below, after a word for what lets somebody in when all else
// fails: recovery codes, keys as programs display them.
func codes(s *scan, word, to int) {
	const reach, most = 400, 12 // of the word, and words before the first group
	end, name := min(len(s.text), to+reach), lowerASCII(s.text[word:to])
	ofCodes := text.AnyOf(name, strings.Contains, rescueNouns[:codeNouns]...)
	var row []span
	for at, n := to, 0; at < end && n < most; at++ {
		from := at
		if at = skip(s.text, at, alnum, 80); at == from {
			continue
		}
		last := len(row) - 1
		switch {
		case last >= 0 && at-from == row[0].to-row[0].from && groupGap(s.text[row[last].to:from]):
			row = append(row, span{from: from, to: at})
			continue
		case at-from >= 10 && ofCodes && s.before(from) != '`' && oneCode(s.text[from:at]),
			at-from >= runLeast && base32(s.text[from:at]):
			s.add(from, at, "password")
			continue
		case at-from <= 2 && strings.IndexByte(".):", s.at(at)) >= 0: // the number of a list's item
			continue
		case s.addGroups(row):
			return
		}
		row = append(row[:0], span{from: from, to: at})
		n++
	}
	s.addGroups(row)
}

// groupGap reports whether only what separates groups or a list's items is between two.
func groupGap(gap string) bool {
	return len(gap) <= 8 && run(gap, 0, blank|digit, "-,.):/\r\n\"'*[|]", len(gap)) == len(gap) &&
		(strings.Contains(gap, "\n") || !strings.Contains(gap, ":"))
}

// addGroups masks groups of equal length, a line at a time, if they are those of codes.
func (s *scan) addGroups(row []span) bool {
	n, names := len(row), 0
	if n < 2 {
		return false
	}
	var all strings.Builder
	for _, g := range row {
		v := s.text[g.from:g.to]
		all.WriteString(v)
		letters, hyphen := strings.TrimRight(v, "0123456789"), s.at(g.to) == '-' || s.before(g.from) == '-'
		if skip(letters, 0, letter, len(v)) == len(letters) && !(hyphen && len(letters) == 1) {
			names++ // as words, with a number or without, are
		}
	}
	v, each := all.String(), row[0].to-row[0].from
	t := shapeIn(v)
	numbers := t.digits == len(v) && (len(v) >= 24 || len(v) >= 16 && distinct(v) > 5)
	mixture := t.digits*8 >= len(v) && t.lower+t.upper > 1 && names*2 <= n
	alike := numbers || mixture || n >= 4 && jumbled(v)
	part := is(s.before(row[0].from), word|marks) || is(s.at(row[n-1].to), under) || each < 4 || each > 10
	listed := n == 2 && each < 8 && strings.Contains(s.text[row[0].to:row[1].from], ",")
	harmless := part || listed || placeholder(v) || strings.HasPrefix(v, "0x")
	if harmless || !alike {
		return false
	}
	for i := 0; i < n; {
		from, to := row[i].from, row[i].to
		for i++; i < n && !strings.Contains(s.text[to:row[i].from], "\n"); i++ {
			to = row[i].to
		}
		s.add(from, to, "password")
	}
	return true
}

// base32 reports whether a run is a key as authenticators are given it.
func base32(v string) bool {
	return len(v)%2 == 0 && run(v, 0, upper, "234567", len(v)) == len(v) && jumbled(v)
}

// oneCode reports whether a run is a code of its own: letters and digits that are neither a word nor a name.
func oneCode(v string) bool {
	return textureOf(v) != ordinary || mixed(v) && !camel(v) && !sized().MatchString(v)
}
