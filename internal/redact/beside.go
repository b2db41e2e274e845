package redact

import (
	"cmp"
	"slices"
	"strings"

	"recall/internal/text"
)

// What no rule says how to read is masked for its looks beside a word of secrecy or of access, on its line and on the
// next: the weaker the word, the less ordinary the value has to look. What can be nothing else is masked anywhere.

// How far from a word such a value can be.
const (
	besideBefore = 80 // bytes
	besideAfter  = 120
)

// reach is how far the text around words of one kind has been read for values.
type reach struct {
	line int // where the last word's line ends
	end  int // where the next one does, or what was read of it
}

// readBeside looks for values around a word, however they are joined to it.
func (s *scan) readBeside(seen *reach, from, to int, looks func(v string, at int) bool) {
	t := s.text
	if from < seen.line {
		return
	}
	at := max(seen.end, from-besideBefore)
	at += strings.LastIndexByte(t[at:max(at, from)], '\n') + 1
	seen.line = lineEnd(t, to, besideAfter)
	seen.end = lineEnd(t, min(len(t), seen.line+1), besideAfter)
	for at > 0 && at < seen.end && is(t[at-1], mark) {
		at++
	}
	s.wordsIn(at, seen.end, looks)
}

// wordsIn masks the words that look so, of those with a digit or several hyphens.
func (s *scan) wordsIn(at, end int, looks func(v string, at int) bool) {
	for t := s.text; at < end; at++ {
		from, kinds := at, uint16(0)
		for at < len(t) && is(t[at], mark) {
			kinds |= classes[t[at]]
			at++
		}
		unusual := kinds&digit != 0 || kinds&under != 0 && strings.Count(t[from:at], "-") >= 3
		unusual = unusual || kinds&letter == letter && drawn(t[from:at])
		if unusual && kinds&letter != 0 && at-from >= 7 && at-from <= 100 {
			s.maskIn(from, at, looks)
		}
	}
}

// lineEnd returns where the line at at ends, at most that many bytes on.
func lineEnd(t string, at, most int) int {
	end := min(len(t), at+most)
	if i := strings.IndexByte(t[at:end], '\n'); i >= 0 {
		return at + i
	}
	return end
}

// maskIn masks the parts of a word that look like secrets, or else the word if it does.
func (s *scan) maskIn(from, to int, looks func(v string, at int) bool) {
	whole := strings.TrimRight(s.text[from:to], ".?!")
	if strings.HasPrefix(whole, "//") || s.at(to) == '(' {
		return
	}
	before := len(s.beside)
	sum := allHex(whole) && strings.HasPrefix(s.text[to:], "  ") // of the file behind it
	if sum || s.inARN(from) || resource().MatchString(whole) || strings.HasPrefix(whole, "AAAA") {
		return
	}
	keep := func(at, end int) {
		other := s.hintBefore(from) == hintPublic || s.hintBefore(at) == hintPublic || s.inBlock(from, to)
		if !other {
			s.beside = append(s.beside, span{from: at, to: end})
		}
	}
	for at := from; at < from+len(whole); at++ {
		end := at
		for end < from+len(whole) && strings.IndexByte("/=&", s.text[end]) < 0 {
			end++
		}
		if end-at >= 7 && end-at < len(whole) && looks(s.text[at:end], at) {
			keep(at, end)
		}
		at = end
	}
	value := strings.TrimRight(whole, "=")
	single := len(s.beside) == before && !strings.Contains(value, "=")
	ended := value == whole && to > from+len(whole) // with marks that may be a sentence's
	if single && (looks(whole, from) || ended && looks(s.text[from:to], from)) {
		keep(from, skip(s.text, from+len(whole), closers, 3))
	}
}

// addBeside adds what was found beside words where no rule has found anything: those know better where a value ends.
func (s *scan) addBeside() {
	byPlace := func(a, b span) int { return cmp.Compare(a.from, b.from) }
	slices.SortFunc(s.beside, byPlace)
	slices.SortFunc(s.found, byPlace)
	n, i, taken := len(s.found), 0, 0
	for _, b := range s.beside {
		for ; i < n && s.found[i].from < b.to; i++ {
			taken = max(taken, s.found[i].to)
		}
		if taken <= b.from {
			s.add(b.from, b.to, "password")
		}
	}
}

// likely reports whether a word beside one for a password is one: evident, jumbled, or words and a number. A hash or a
// UUID is one only after it.
func likely(v string, after bool) bool {
	drawn := after && unnamed(v) && jumbled(v) && shapeIn(v).digits > 1 && !strings.Contains(v, "-")
	if drawn || evident(v) || inGroups(v) || allJumbled(v) {
		return true
	}
	switch kind := textureOf(v); {
	case len(v) < 8 || v[0] == '-' || kind == ordinary:
		return false
	case kind == hexes:
		return after && hexKey(v)
	}
	named := strings.ContainsAny(v, "/.=:\\~@+(") || numbered(v) || hasSecretName(v) || publicID(v)
	return mixed(v) && !named && !placeholder(v)
}

// hexKey reports whether a word is hexadecimal digits as of a key, or a UUID.
func hexKey(v string) bool {
	uuid := len(v) == 36 && strings.Count(v, "-") == 4
	return textureOf(v) == hexes && (uuid || len(v) >= 32 && allHex(v)) && !placeholder(v)
}

// evident reports whether a word can only be a password or a key: jumbled, of all kinds of characters, in groups.
func evident(v string) bool {
	named := strings.ContainsAny(v, ".\\~") || v[0] == '!'
	switch {
	case named || !unusualKinds(v) || placeholder(v) || public(v):
		return false
	case scattered(v):
		return true
	case inGroups(v):
		first, last := strings.IndexAny(v, "0123456789"), strings.LastIndexAny(v, "0123456789")
		return strings.Contains(v[first:last], "-")
	case skip(v, 0, alnum|marks|under, len(v)) == len(v) && allJumbled(v) &&
		(len(v) >= 20 || caseSwitches(v)*4 >= len(v)):
		return strings.Count(v, "/")*10 <= len(v)
	case strings.Contains(v, "/") || !passwordLike(v) && !unmistakable(v):
		return false
	}
	at := strings.IndexAny(v, "!#$^*?&%@+")
	if at < 0 {
		return chosenPair().MatchString(v)
	}
	before, after := shapeIn(v[:at]), shapeIn(v[at+1:])
	switch {
	case at == len(v)-1:
		return strings.IndexByte("*+&@", v[at]) < 0
	case v[at] == '#': // of a link
		return after.digits > 0 && after.lower+after.upper > 0
	case strings.IndexByte("*&+^", v[at]) >= 0 && textureOf(v) != twoCases: // of an expression
		upper := before.upper+after.upper > 0 && before.lower+before.upper > 0
		return upper && min(at, len(v)-at-1) >= 4 && caseSwitches(v[1:at]) == 0 && caseSwitches(v[at+2:]) == 0
	}
	return before.lower+before.upper > 0 && after.lower+after.upper+after.digits > 1
}

// scattered reports whether letters of both cases, digits and marks change so often in a word that a program drew it:
// its pieces, words in letters and numbers, have two characters or fewer on average.
func scattered(v string) bool {
	t, pieces := shapeIn(v), 0
	for i := range len(v) {
		c := classes[v[i]] & alnum
		goesOn := i > 0 && c != 0 && (c == classes[v[i-1]]&alnum || c == lower && is(v[i-1], upper))
		if !goesOn {
			pieces++
		}
	}
	allKinds := t.lower > 0 && t.upper > 0 && t.digits > 0 && t.other*2 < len(v)
	return allKinds && is(v[0], alnum) && len(v) >= 10 && pieces*2 >= len(v) && strings.ContainsAny(v, "!#$^") &&
		!strings.ContainsAny(v, "/:,;()[]{}<>\"'`|") && !encodedInURL().MatchString(v)
}

// unusualKinds reports whether a word has more kinds of characters than most have.
func unusualKinds(v string) bool {
	t := shapeIn(v)
	return t.digits > 0 && (t.lower > 0 && t.upper > 0 || t.other > 0)
}

// inGroups reports whether a word is groups with hyphens, and no UUID.
func inGroups(v string) bool {
	return strings.Count(v, "-") >= 2 && grouped(v) && textureOf(v) != hexes
}

// titled matches a word, a number and a letter: Meadow-4711x.
const titled = `[A-Z][a-z]{2,12}[-_.]\d{3,4}[A-Za-z]`

var (
	// chosenPair matches a word, one in capitals and a number: meadow_Falcon89.
	chosenPair = text.Pattern(`\A[a-z]{3,12}_[A-Z][a-z]{2,12}\d{1,4}\z`)
	// chosenWords matches words and a number: Meadow-falcon89, meadow.falcon.89, meadow8989, MEADOW89falcon,
	// meadow@f4lcon. W is a word, S what joins two.
	chosenWords = text.Pattern(strings.NewReplacer("W", `(?:[A-Z]?[a-z]{2,12}|[A-Z]{3,12})`, "S", `[-_.@!#$&*]`,
		"J", `[-_.@!#$&*+]?`,
		"M", `[!#$%*+&?]`, "T", `[A-Z][a-z]{2,12}`, "L", `[a-z]{0,8}(?:\d[a-z]{1,8}){1,4}\d?`).
		Replace(`\A(?:W(?:SW|T){1,2}(?:J\d{2,4}|\d{2,4}[a-z])|WS(?:WS)?\d{2,4}W|` + titled + `|` +
			`T(?:S|\+)TS\d{1,4}|[A-Z]L\d{2,4}|T[@_.]\d{4}|(?:T|[A-Za-z]L)M\d{2,4}|[A-Z]L\.\d{2,4}|` +
			`[a-z]{3,12}[@!#$*&+?]\d{2,4}|T\d{1,4}M|` +
			`\d{1,4}TM[A-Za-z0-9]{1,5}|[A-Z]{3,12}\d{2,4}[a-z]{3,12}S?\d{0,4}|[A-Z]?[a-z]{4,12}@?\d{4}(?:\d\d)?|` +
			`[A-Z]?[a-z]{3,12}[@!#$]L)[!?.*#$%]?\z`))
	titledNumber = text.Pattern(`\A` + titled + `\z`)
	// chosenDotted matches two words and a number, which names in code seldom end with.
	chosenDotted = text.Pattern(`\A(?:[A-Za-z][a-z]{3,12}\.[A-Za-z][a-z]{2,12}\d{2,4}|` +
		`[A-Z][a-z]{2,12}[._][A-Z][a-z]{2,12}[-_.]\d{1,4})\z`)
	// resource matches what is named in files and programs: tls-wildcard-2025, api-7d9f8b6c5-x2k4q.
	resource = text.Pattern(`\A[a-z]+(?:-[a-z]+)*-(?:[a-z]*\d{1,4}|` +
		`[a-z0-9]{8,10}-[b-df-hj-np-tv-xz2-9]{5}|[0-9a-f]{8}(?:[0-9a-f]{9})?)\z`)
	// sized matches what ends with a number of bits, as names in code do.
	sized = text.Pattern(`[A-Za-z-](?:8|16|32|64|128|256|384|512|1024|2048|4096|\d+x\d+)\z`)
)

// wordsAndNumber reports whether a word is words and a number, as people choose passwords. Most words can't be: the
// expression, which is long, isn't tried with those.
func wordsAndNumber(v string) bool {
	_, host, _ := strings.Cut(v, "@") // ann@web-eu12
	possible := shapeIn(v).digits > 0 && is(v[0], alnum) && len(v) < 64 && !strings.ContainsAny(v, "/:=") &&
		(host == "" || !resource().MatchString(host))
	return possible && chosenWords().MatchString(v) && !hasSecretName(v) && !placeholder(v) && !dotted(v) &&
		!sized().MatchString(v)
}

// unnamed reports whether a word with a number is none that names something.
func unnamed(v string) bool {
	names := strings.ContainsAny(v, "/.=:\\~+(_@*") || hasSecretName(v) || public(v)
	return len(v) >= 8 && shapeIn(v).digits > 0 && !names
}

// afterMail masks what looks like a password behind the address of mail around the "@" at at.
func (s *scan) afterMail(at int) {
	host := hostName().FindString(s.text[at+1 : min(len(s.text), at+60)])
	from := skipBack(s.text, at, 40)
	if host != "" && from < at && strings.IndexByte("/:", s.before(from)) < 0 {
		s.afterAddress(at + 1 + len(host))
	}
}

// afterUser masks what looks like a password behind the name of a user that many programs have: "admin / x", or on the
// line below if the name has one of its own.
func afterUser(s *scan, from, to int) {
	if wordChar(s.at(to)) || is(s.before(from), word|marks) {
		return
	}
	end := quoteEnd(s.text, to)
	c := s.at(end)
	joined := c == '\n' && s.before(from) == c || strings.IndexByte(":/", c) >= 0 || c == ' ' && !is(s.at(end+1), alnum)
	if joined {
		s.afterAddress(end)
	}
}

// afterAddress masks the password behind an address that ends at end, or that the next line consists of.
func (s *scan) afterAddress(end int) {
	from := end + len(addressGap().FindString(s.text[end:min(len(s.text), end+60)]))
	to := skip(s.text, from, mark, 64)
	below := from > end && s.text[from-1] == '\n'
	fits := from > end && to-from >= 7 && to-from < 64
	if fits && (!below || s.lineWord(from) == to) {
		s.maskIn(from, to, func(v string, at int) bool {
			return at == from && (likely(v, false) || wordsAndNumber(v) || passwordLike(v))
		})
	}
}

var (
	hostName = text.Pattern(`\A[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}`)
	// addressGap matches what joins a user's address and password: ann@example.org / x
	addressGap = text.Pattern(`\A(?: ?[:/,;|] ?| (?:->|→|-|=>) |[ \t\n]|\t\|)["'\x60]?`)
)
