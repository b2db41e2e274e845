package redact

import (
	_ "embed"
	"strings"
	"sync"

	"recall/internal/text"
)

// A word that no rule has read is judged as somebody who reads it would: by how odd it looks, by what its line and
// those around it speak of, in any order, and by the word before it. What each sign weighs is in rules/odd.tsv.

// oddTable holds how much each sign weighs; how that was found is written in it.
//
//go:embed rules/odd.tsv
var oddTable string

var oddWeights = func() map[string]int {
	all := map[string]int{}
	for _, f := range rowsOf(oddTable) {
		all[f[0]] = integer(f[1])
	}
	return all
}()

// oddLooks are how odd a word can look; the first that holds counts.
var oddLooks = []struct {
	name  string
	holds func(v string) bool
}{
	{"evident", func(v string) bool { return evident(v) || scattered(v) }},
	{"password", func(v string) bool { return unmistakable(v) || passwordLike(v) }},
	{"chosen", wordsAndNumber},
	{"named", func(v string) bool { return nameWithYear(v) || runTogether().MatchString(v) }},
	{"hexadecimal", hexKey},
	{"grouped", inGroups},
	{"random", func(v string) bool {
		drawn := mixed(v) && !camel(v) || jumbled(v) && !strings.Contains(v, "-")
		return textureOf(v) >= oneCase || textureOf(v) == ordinary && unnamed(v) && shapeIn(v).digits > 1 && drawn
	}},
}

// oddLook returns how odd a word looks, "" if it doesn't, or says what it is.
func oddLook(v string) string {
	shape := shapeIn(v)
	unlikely := len(v) > 28 || shape.digits < 2 || shape.other > 2 // to be chosen by somebody
	named := unlikely && shape.upper == 0 && shape.mostSwitches < 2 || len(v) <= 12 && allHex(v)
	if named || dotted(v) || strings.Contains(v, "/") && !evident(v) {
		return ""
	}
	for _, look := range oddLooks {
		if look.holds(v) {
			setting := strings.Contains(strings.TrimRight(v, "="), "=")
			other := setting || placeholder(v) || path(v) || code(v) || publicID(v) || sized().MatchString(v) ||
				reference().MatchString(v) || len(v) == 40 && allHex(v) // a commit
			if other {
				return ""
			}
			return look.name
		}
	}
	return ""
}

// lookOf is oddLook with a memory: the same names stand in text after text.
func (s *scan) lookOf(v string) string {
	const most = 10_000
	look, known := s.looks[v]
	if !known {
		if len(s.looks) >= most || s.looks == nil {
			s.looks = map[string]string{}
		}
		look = oddLook(v)
		s.looks[v] = look
	}
	return look
}

var (
	// reference matches a date, a line's number before its text, a product, and what repositories and clouds name
	// things by: cockroach#6181, next@15, i-0a1b2c3d4e5f67890.
	reference = text.Pattern(`\A(?:\d{4}-\d\d-\d\d|\d{1,5}-[*_A-Z]|\d+\*|[a-z-]+[#@]\d+\z|` +
		`[a-z]{1,8}-[0-9a-f]{8}(?:[0-9a-f]{9})?\z)`)
	// runTogether matches words in lower case and a number.
	runTogether = text.Pattern(`\A[a-z]{10,24}\d{2,4}\z`)
)

// topics finds what a text speaks of.
var topics = sync.OnceValue(func() *literals {
	all := &literals{}
	for _, f := range append(wordRows["topic"], append([]string{"password"}, tongue["passwords"]...)) {
		for _, w := range f[1:] {
			all.add(w, func(s *scan, _, _ int) { s.topics[f[0]] = true })
		}
	}
	return all
})

// topicsOf returns what a text speaks of, apart from our placeholders.
func topicsOf(text string) map[string]bool {
	inner, masked := scan{topics: map[string]bool{}}, false
	inner.text = " " + lowerASCII(strings.Map(func(c rune) rune {
		masked = c == '‹' || masked && c != '›'
		if c < ' ' || masked {
			return ' '
		}
		return c
	}, text)) + " "
	topics().each(inner.text, inner.try)
	return inner.topics
}

// oddWords judges the words of a text, one by one and in lists, by the signs that it passes on.
func (s *scan) oddWords(judge func(from, to int, signs []string)) {
	t := s.text
	last, plain, words := span{}, 0, 0 // words in lower case that follow one another begin at plain
	noList := 0                        // up to where no list of like groups is
	for at := 0; at < len(t); at++ {
		from, kinds := at, uint16(0)
		for at < len(t) && is(t[at], mark) {
			kinds |= classes[t[at]]
			at++
		}
		n := at - from
		if n > 2 && n < 9 && kinds&^(lower|hexa|inName|mark) == 0 {
			if words++; words == 1 || from-last.to != 1 || !is(t[from-1], gap) { // a,b are none of a sentence
				plain, words = from, 1
			}
			last = span{from: from, to: at}
			goesOn := s.at(at) == ' ' && is(s.at(at+1), lower)
			if words >= seedWords && words <= mostWords && !goesOn {
				all := strings.FieldsFunc(t[plain:at], func(c rune) bool { return c < 'a' })
				if v := strings.Join(all[words%seedWords:], " "); unrelatedWords(v) {
					judge(at-len(v), at, s.oddSigns(at-len(v), at, "words"))
				}
			}
			continue
		}
		if words = 0; n < 4 {
			continue
		}
		if kinds&inside != 0 {
			s.markedWord(from, at)
		}
		alike := kinds&digit != 0 && last.to-last.from == n && n < 24 && groupGap(t[last.to:from])
		first := last.from
		last = span{from: from, to: at}
		if alike && at > noList {
			end, read := s.listEnd(first)
			if end > at {
				judge(first, end, s.oddSigns(first, end, "listed"))
				at = end
				continue
			}
			noList = read
		}
		v := strings.TrimRight(t[from:at], ".?!")
		possible := len(v) > 5 && n < 100 && len(v) < len(t) && kinds&(digit|upper) != 0 && s.apart(from, from+len(v))
		mixture := kinds&digit != 0 && (kinds&letter != 0 || strings.Count(v, "-") > 1)
		if possible && (mixture || kinds&letter == letter && drawn(v)) {
			judge(from, from+len(v), s.oddSigns(from, from+len(v), s.lookOf(v)))
		}
	}
}

// markedWord masks what can only be a password wherever it stands: letters of both cases, digits and a mark.
func (s *scan) markedWord(from, to int) {
	if at := strings.IndexByte(s.text[from:to], '@'); at > 0 {
		s.afterMail(from + at)
	}
	s.maskIn(from, to, func(v string, _ int) bool {
		t := shapeIn(v)
		allKinds := t.lower > 0 && t.upper > 0 && t.digits > 0 && t.other > 0 && t.other*4 <= len(v)
		drawn := len(v) >= 10 && len(v) <= 64 && (allKinds || scattered(v))
		return drawn && !encodedInURL().MatchString(v) && evident(v)
	})
}

const (
	seedWords = 12 // of a wallet, at the least
	mostWords = 48 // of which its words may be the last
)

// apart reports whether a word stands for itself, as words of sentences do: it isn't part of an expression or a path,
// nor the value of a key.
func (s *scan) apart(from, to int) bool {
	t, open, next := s.text, s.before(from), s.at(to)
	if strings.IndexByte("\"'`", open) >= 0 {
		return from < 2 || is(t[from-2], gap) && !text.AnyOf(t[:from-1], strings.HasSuffix, `": `, `': `)
	}
	return (is(open, gap) || strings.IndexByte("(\x00>:", open) >= 0) &&
		(is(next, gap) || strings.IndexByte(".,;:!?)\x00`*", next) >= 0)
}

// listEnd returns where groups of letters and digits end that begin at from, are of equal length, three or more, and
// neither names with a number nor hexadecimal, else 0; and up to where it looked.
func (s *scan) listEnd(from int) (to, read int) {
	t, n, drawn, hex := s.text, 0, 0, true
	each := skip(t, from, alnum, 24) - from
	if each < 4 || each > 16 {
		return 0, from
	}
	for read = from; read == from || read < len(t) && groupGap(t[to:read]); {
		end := skip(t, read, alnum, 24)
		if v := t[read:end]; len(v) == each {
			name := strings.TrimRight(v, "0123456789")
			if skip(name, 0, letter, each) < len(name) {
				drawn++
			}
			n, to, hex = n+1, end, hex && allHex(v)
		} else if len(v) > 2 { // else the number of a list's item
			break
		}
		for read = end; read < len(t) && read-end < 9 && !is(t[read], alnum); read++ {
		}
	}
	if n < 3 || drawn*2 <= n || hex {
		return 0, read
	}
	return to, read
}

// oddWord masks what is more likely a secret than not.
func (s *scan) oddWord(from, to int, signs []string) {
	sum := 0
	for _, sign := range signs {
		sum += oddWeights[sign]
	}
	if sum > 0 && s.hintBefore(from) != hintPublic && !s.inBlock(from, to) {
		s.beside = append(s.beside, span{from: from, to: to})
	}
}

// oddSigns tells the signs of a word that looks odd, none if what is spoken of has nothing to do with secrets.
func (s *scan) oddSigns(from, to int, look string) []string {
	const before, after = 120, 90
	if look == "" {
		return nil
	}
	t, v, open := s.text, s.text[from:to], s.before(from)
	begin := max(0, from-before)
	begin += strings.LastIndexByte(t[begin:from], '\n') + 1
	end := lineEnd(t, to, after)
	line := strings.TrimRight(t[begin:from], " \t\"'`(")
	word := lowerASCII(line[strings.LastIndexAny(line, " \t")+1:])
	given := word != "user" && word != "as" && (sayingUses[word] || sayingVerbs[word] || word == "/")
	here, near := topicsOf(t[begin:end]), topicsOf(t[max(0, begin-before):begin]+t[end:min(len(t), end+after)])
	marks := 0
	for _, c := range []byte(t[begin:end]) {
		if strings.IndexByte("(;{=[|<", c) >= 0 {
			marks++
		}
	}
	signs, related := []string{"any", look}, false
	letters := !given && word != "" && skip(word, 0, lower, len(word)) == len(word)
	for sign, so := range map[string]bool{"short": len(v) < 10, "secret's name": hasSecretName(v),
		"backquoted": open == '`', "bracketed": open == '(', "first": line == "", "given": given,
		"told":         open != ':' && strings.HasSuffix(word, ":") || strings.HasSuffix(word, "="),
		"after a noun": letters && len(topicsOf(word)) == 0, "in code": marks > 3} {
		if so {
			signs = append(signs, sign)
		}
	}
	for _, f := range wordRows["topic"] {
		topic := f[0]
		if related = related || (here[topic] || near[topic]) && topic != "person" && topic != "other"; here[topic] {
			signs = append(signs, topic+" here")
		} else if near[topic] {
			signs = append(signs, topic+" near")
		}
	}
	if !related {
		return nil
	}
	return signs
}
