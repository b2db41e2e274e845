package redact

import (
	"iter"
	"strings"

	"recall/text"
)

// What no rule knows is a secret by what it is made of: a run too long and too jumbled for a word, a name, a hash or an
// id. How much is asked of it goes by what is around it.

const (
	runLeast = 20  // characters of the shortest run that is looked at
	runMost  = 200 // of the longest: more is data
	runAlone = 24  // of a run that nothing around it tells
)

// texture is what a run is made of.
type texture uint8

const (
	ordinary texture = iota // words, names, numbers
	hexes                   // hexadecimal digits, in groups or not: hashes and UUIDs too
	oneCase                 // letters of one case and digits, jumbled
	twoCases                // letters of both cases and digits, jumbled
)

// textureOf tells what a run is made of.
func textureOf(v string) texture {
	var kinds, last uint16
	changes, all, hex := 0, 0, true
	for i := range len(v) {
		c := classes[v[i]] & alnum
		if c == 0 {
			last = 0
			continue
		}
		hex = hex && is(v[i], hexa)
		if last != 0 && c != last {
			changes++
		}
		kinds |= c
		all++
		last = c
	}
	switch {
	case kinds&digit == 0 || kinds&letter == 0 || all*6 < len(v)*5:
		return ordinary
	case hex:
		return hexes
	case kinds&letter != letter:
		jumpy := changes*5 >= all && changes >= 4 && shapeIn(v).digits*10 >= all && (jumbled(v) || changes*3 >= all)
		if jumpy {
			return oneCase
		}
	case changes*3 >= all*2, changes*3 >= all && jumbled(v) && (changes*2 >= all || !camel(v)):
		return twoCases
	}
	return ordinary
}

// longRuns are the places of what stands as one word and is as long as a key. Every runLeast-th byte is in all of them.
func longRuns(t string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for at := runLeast - 1; at < len(t); at += runLeast {
			if !is(t[at], word) {
				continue
			}
			from := at
			for from > 0 && is(t[from-1], word) {
				from--
			}
			at = skip(t, at, word, len(t))
			if at-from >= runLeast && !yield(from, at) {
				return
			}
		}
	}
}

// randomRun masks a run if it is random, and nothing says that it is something else.
func (s *scan) randomRun(from, to int) {
	if to-from > runMost {
		return
	}
	v := s.text[from:to]
	for n := 2; n <= 3; n++ {
		if form, ok := s.rules.wholes[v[:n]]; ok && to-from >= 20 {
			form(s, from, from+n)
		}
	}
	if opens(v) || s.before(from) == '/' && !strings.Contains(s.text[max(0, from-40):from], "hook") ||
		s.partOfMore(from, to) {
		return
	}
	texture := textureOf(v)
	if texture < oneCase || placeholder(v) {
		return
	}
	least := runAlone
	switch told := s.tells(from); {
	case told == toldNot:
		return
	case told == toldNear, s.before(from) == '/':
		least = runLeast
	case texture != twoCases || s.inBlock(from, to):
		return
	}
	if to-from >= least {
		s.add(from, to, genericKind)
	}
}

// partOfMore reports whether a run stands within a path, an address, longer base64 or a name with dots.
func (s *scan) partOfMore(from, to int) bool {
	switch s.before(from) {
	case '+', '.', '%', '\\', '#', '@':
		return true
	}
	switch s.at(to) {
	case '/', '+', '(', '\\':
		return true
	case '.', ':':
		return is(s.at(to+1), word)
	}
	return false
}

// inBlock reports whether a run is a line of data: the one above or below is made of the same.
func (s *scan) inBlock(from, to int) bool {
	t := s.text
	if next := strings.IndexByte(t[to:min(len(t), to+12)], '\n'); next >= 0 {
		at := skip(t, to+next+1, lead, 40)
		if end := skip(t, at, alnum|marks, runMost); end-at >= runAlone && textureOf(t[at:end]) == twoCases {
			return true
		}
	}
	if strings.HasPrefix(t[from:], "MII") { // how keys and certificates begin in DER
		return true
	}
	above := strings.LastIndexByte(t[max(0, from-40):from], '\n')
	if above < 0 {
		return false
	}
	end := max(0, from-40) + above
	if strings.HasSuffix(t[:end], "-----") {
		return true
	}
	for end > 0 && is(t[end-1], lead|marks) {
		end--
	}
	at := end
	for at > 0 && end-at < runMost && is(t[at-1], alnum|marks) {
		at--
	}
	return end-at >= runAlone && textureOf(t[at:end]) == twoCases
}

// saysOf is what the words before a run say of it.
type saysOf uint8

const (
	toldNothing saysOf = iota
	toldNear           // a word of secrecy stands before it
	toldNot            // it is named as something else
)

// others are the last words of names whose values are random and no secret.
var others = set(words("others")...)

// tells reads the line before a run.
func (s *scan) tells(from int) saysOf {
	const reach = 60
	line := s.text[max(0, from-reach):from]
	if i := strings.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	line = lowerASCII(line)
	name := strings.TrimRight(line, " \t\"'`:=>(,[{<")
	i := len(name)
	for i > 0 && is(name[i-1], alnum) {
		i--
	}
	last := name[i:]
	switch {
	case others[last] || strings.HasSuffix(last, "id") || text.AnyOf(line, strings.Contains, lists...):
		return toldNot
	case text.AnyOf(line, strings.Contains, "key", "token", "secret", "auth", "pass", "pwd", "cred", "api", "bearer"):
		return toldNear
	}
	return toldNothing
}

// pairs tells which letters often follow each in the words of names in code: 85 % of the pairs in the words of Go's
// standard library; of random letters four in ten are among them.
var pairs = func() (t [26]uint32) {
	for a, after := range [26]string{"abcdefgiklmnprstuvxy", "abcdefilorsu", "abcdefhiklmorstu",
		"abcdefiloprsu", "abcdefgilmnpqrstvwx", "acdefilorsu",
		"acehilnors", "aeiort", "abcdefglmnoprstvz", "", "eis", "adefilostuy", "abeimopsu", "acdefgiklnostuv",
		"abcdfgilmnoprstuvw",
		"acehiloprstu", "u", "acdefgiklmnoprstuy", "acehilmoprstuy", "acdefhilmoprstuy", "abcefilmnprst",
		"aceisv", "aeio", "abcefpstvx", "mps", "e"} {
		for i := range len(after) {
			t[a] |= 1 << (after[i] - 'a')
		}
	}
	return t
}()

// jumbled says that a value's letters aren't those of words: under seven in ten of its pairs are usual, as of 93 of 100
// random values of twenty letters and digits, and 3 of 1,000 names in code.
func jumbled(v string) bool {
	usual, all := 0, 0
	for i := 1; i < len(v); i++ {
		a, b := v[i-1], v[i]
		if !is(a, letter) || !is(b, letter) || is(a, lower) && is(b, upper) {
			continue
		}
		all++
		if pairs[a|0x20-'a']>>(b|0x20-'a')&1 != 0 {
			usual++
		}
	}
	return all >= 4 && usual*10 < all*7
}
