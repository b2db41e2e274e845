package redact

import (
	"iter"
	"strings"

	"recall/internal/text"
)

// Secrets that no rule knows are recognized by their texture: a run too long and too jumbled for a word, a name, a hash
// or an id. How strict the test is depends on the context.

const (
	runLeast  = 16  // length of the shortest run examined
	maxPrefix = 12  // of the longest prefix of a key before a dot
	runDotted = 24  // of one after a dot or that ends in a number of bits, where names of code stand
	runMost   = 200 // of the longest: more is data
)

// texture is what a run consists of.
type texture uint8

const (
	ordinary texture = iota // words, names, numbers
	hexes                   // hexadecimal digits, possibly in groups: also hashes and UUIDs
	oneCase                 // letters of one case and digits, jumbled
	twoCases                // letters of both cases and digits, jumbled
)

// textureOf classifies a run.
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
	case kinds&letter == letter && changes*3 >= all && drawn(v):
		return twoCases
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

// longRuns iterates over the words as long as a key. It probes only every runLeast-th byte, as each of them contains
// one.
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

// randomRun masks a run if it is random, and nothing identifies it as something else.
func (s *scan) randomRun(from, to int) {
	if to-from > runMost {
		return
	}
	v := s.text[from:to]
	for n := 2; n <= 3; n++ {
		if form, ok := scanner.wholes[v[:n]]; ok && to-from >= 20 {
			form(s, from, from+n)
		}
	}
	if s.partOfMore(from, to) || s.before(from) == '/' && !strings.Contains(s.text[max(0, from-40):from], "hook") {
		return
	}
	texture, tail := textureOf(v), afterPrefix(v)
	if texture < oneCase && tail == 0 || publicID(v) || placeholder(v) {
		return
	}
	hint := s.hintBefore(from)
	expected := hint == hintSecret || s.before(from) == '/'
	long := texture == oneCase && len(v) >= runDotted && !strings.ContainsAny(v, "_-") && v[1] != 'x'
	other := texture != twoCases && tail == 0 && !long || s.inBlock(from, to)
	if hint == hintPublic || !expected && other {
		return
	}
	short := s.before(from) == '.' && to-from < runDotted
	number := strings.HasPrefix(v, "0x") && len(v) < 40
	if named := len(v) < runDotted && sized().MatchString(v); !short && !number && !named {
		if texture != twoCases {
			from += tail
		}
		s.add(from, to, genericKind)
	}
}

// afterPrefix returns where the rest of a key begins that has a prefix as services give theirs, abc_ or abc-live-; 0 if
// none has.
func afterPrefix(v string) int {
	at := strings.LastIndexAny(v, "_-") + 1
	if at < 3 || len(v)-at < runLeast+4 || !keyPrefix().MatchString(v[:at]) {
		return 0
	}
	if texture := textureOf(v[at:]); texture >= oneCase || texture == hexes && len(v)-at >= 32 && v[at-1] == '_' {
		return at
	}
	return 0
}

var keyPrefix = text.Pattern(`\A[A-Za-z][A-Za-z0-9]{1,7}(?:[_-][a-z0-9]{1,8})?[_-]\z`)

// partOfMore reports whether a run is part of a path, a URL, longer base64 or a dotted name.
func (s *scan) partOfMore(from, to int) bool {
	switch s.before(from) {
	case '.': // unless of a key with a prefix
		if skip(s.text, max(0, from-1-maxPrefix), word, maxPrefix+1) == from-1 {
			return true
		}
	case '+', '%', '\\', '#', '@':
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

// inBlock reports whether a run is a line of data: the line above or below looks the same.
func (s *scan) inBlock(from, to int) bool {
	t := s.text
	if next := strings.IndexByte(t[to:min(len(t), to+12)], '\n'); next >= 0 {
		at := skip(t, to+next+1, lead, 40)
		if end := skip(t, at, alnum|marks, runMost); end-at >= runLeast && textureOf(t[at:end]) >= oneCase {
			return true
		}
	}
	if strings.HasPrefix(t[from:], "MII") { // DER keys and certificates
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
	return end-at >= runLeast && textureOf(t[at:end]) >= oneCase
}

// hint is what the words before a run say about it.
type hint uint8

const (
	hintNone   hint = iota
	hintSecret      // a word for secrets precedes it
	hintPublic      // it is named as something else
)

var (
	// owners are what has an id that may stand behind it without saying so: user 6a2f41c0-….
	owners = set(words("owners")...)
	itsID  = text.Pattern(`\A(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[a-z_]{2,16}\d{0,4})` +
		`(?:[\s,;)]|\z)`)
	// publicBefore matches what stands before a file's checksum or a key for everybody: SHA2-256(secrets.tar)=
	publicBefore = text.Pattern(`(?:(?:sha|md|blake|checksum|hash|digest)[\w-]*` +
		`(?: ?\([^()]*\) ?=| of \S+(?: is|:)|[: ]) ?|` +
		`(?:public|site|publishable|idempotency|cache)[ _-]?key["']?(?: is| ?[:=(])? ?["']?)\z`)
	beforeHosts = words("before hosts")
)

// publicNames are the last words of names whose values are random but not secret.
var publicNames = set(words("others")...)

// hintBefore reads the line before a run.
func (s *scan) hintBefore(from int) hint {
	const reach = 60
	line := s.text[max(0, from-reach):from]
	if i := strings.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	line = lowerASCII(line)
	name := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(line, "\""), "w/"), " \t\"'`:=>(),[{<")
	last := lastWord(name)
	switch {
	case s.ofThing(line, last, from):
		return hintPublic
	case publicNames[last] || strings.HasSuffix(last, "id") || strings.HasPrefix(last, "public") ||
		text.AnyOf(line, strings.Contains, pageWords...):
		return hintPublic
	case text.AnyOf(line, strings.Contains, "key", "token", "secret", "auth", "pass", "pwd", "cred", "api", "bearer"):
		return hintSecret
	}
	return hintNone
}

// lastWord returns the letters and digits that a text ends with, apart from a blank.
func lastWord(t string) string {
	t = strings.TrimRight(t, " ")
	i := len(t)
	for i > 0 && is(t[i-1], alnum) {
		i--
	}
	return t[i:]
}

// ofThing reports whether a word stands behind what it is the id, the name or the checksum of.
func (s *scan) ofThing(line, last string, from int) bool {
	owned := strings.HasSuffix(line, " ") && owners[last] && itsID().MatchString(s.text[from:])
	named := text.AnyOf(line, strings.Contains, "sha", "md", "blake", "sum", "hash", "digest", "key")
	return owned || named && publicBefore().MatchString(line) || text.AnyOf(line, strings.HasSuffix, beforeHosts...)
}

// pairs holds the letters that often follow each letter in names in code: 85 % of the pairs in the words of Go's
// standard library; of random letters' pairs, four in ten are among them.
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

// jumbled reports whether a value's letters aren't those of words: fewer than seven in ten of its pairs are common,
// which holds for 93 of 100 random values of twenty letters and digits, and for 3 of 1,000 names in code.
func jumbled(v string) bool {
	usual, all := usualPairs(v)
	return all >= 4 && usual*10 < all*7
}

// usualPairs counts the common ones of a value's pairs of letters, and all.
func usualPairs(v string) (usual, all int) {
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
	return usual, all
}
