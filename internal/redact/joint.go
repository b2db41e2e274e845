package redact

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"recall/internal/text"
)

// jointTable holds what can join a name to its value; its format is documented in it.
//
//go:embed rules/joints.tsv
var jointTable string

// joint is a way in which a name is joined to its value: "=", a column of XML, the word "is".
type joint struct {
	op     string
	first  string // the characters it can begin with, "" if any
	holds  func(n *nameAt) bool
	quoted bool // the value must be
	gives  signs
	expr   func() *regexp.Regexp
}

// joints parses the table on first use.
var joints = sync.OnceValue(func() (all []joint) {
	firstBytes := strings.NewReplacer(`\xc3`, "\xc3", `\xe2`, "\xe2", `\r`, "\r", `\n`, "\n")
	macros := strings.NewReplacer("{b}", `[ \t]{0,40}`, "{e}", `(?:\*\*|\x1b\[[\d;]*m)*`)
	for _, f := range rowsOf(jointTable) {
		j := joint{op: f[0], first: strings.TrimPrefix(firstBytes.Replace(f[1]), "any"),
			holds: conditions[f[2]], quoted: strings.Contains(f[3], "quoted"), expr: text.Pattern(`\A` + macros.Replace(f[4]))}
		if strings.Contains(f[3], "sure") {
			j.gives = sure
		}
		all = append(all, j)
	}
	return all
})

// nameAt is a secret's name in a text, with what can be told of it before the joint is read.
type nameAt struct {
	text      string
	from, end int // of the whole name
	word      int // where its word of secrecy begins
	after     int // where the joint can begin: after a quote, emphasis and blanks
	signs
}

// conditions are what a joint can require of the name before it.
var conditions = map[string]func(n *nameAt) bool{
	"-":      func(n *nameAt) bool { return true },
	"spaced": func(n *nameAt) bool { return n.has(spaced) },
	"close":  func(n *nameAt) bool { return !n.has(spaced) },
	"named":  func(n *nameAt) bool { return n.has(named) },
	"call":   func(n *nameAt) bool { return strings.Contains(n.text[n.after:min(len(n.text), n.after+40)], "(") },
	"given": func(n *nameAt) bool {
		return text.AnyOf(n.text[n.after:min(len(n.text), n.after+80)], strings.Contains, `("`, `('`, "(`", `(\`, "( ")
	},
	"either": func(n *nameAt) bool {
		return text.AnyOf(n.text[n.after:min(len(n.text), n.after+40)], strings.Contains, " or ", "||", "??", "?:")
	},
	"paired": func(n *nameAt) bool { // name: DB_PASSWORD, value: x
		own := n.after < len(n.text) && strings.IndexByte(":=", n.text[n.after]) >= 0
		return !own && (n.has(named) || n.from > 2 && strings.IndexByte(":=", n.text[n.from-2]) >= 0)
	},
	"setter":  func(n *nameAt) bool { return !n.has(spaced) && setter().MatchString(n.text[n.from:n.word]) },
	"element": func(n *nameAt) bool { return n.has(spaced) && n.from > 0 && n.text[n.from-1] == '<' },
	"cell":    func(n *nameAt) bool { return n.has(spaced) && cellBegins(n.text, n.from) },
	"flag":    func(n *nameAt) bool { return n.has(spaced) && n.has(flag) },
	"declares": func(n *nameAt) bool { // ENV NAME value
		before := n.text[max(0, n.from-12):n.from]
		return n.has(spaced) && (n.has(shouted) && declaration().MatchString(before) ||
			strings.ContainsAny(before, "#(-") && defines().MatchString(before))
	},
	"setting": func(n *nameAt) bool { // a line of name and value
		begins := lineStart(n.text, n.from) || (strings.HasPrefix(n.text[n.end:], "  ") ||
			strings.Contains(n.text[n.from:n.end], "-")) && cellBegins(n.text, n.from)
		return n.has(spaced) && !n.has(named) && begins && setting().MatchString(n.text[n.after:])
	},
	"keyword": func(n *nameAt) bool { // ":name" in Lisp, or a setting as in nginx's files
		colon := n.from > 0 && n.text[n.from-1] == ':'
		begins := lineStart(n.text, n.from) && strings.ContainsAny(n.text[n.from:n.end], "_-")
		return n.has(spaced) && (colon || begins || strings.HasPrefix(n.text[n.from:], "X-"))
	},
}

var (
	emphasis    = text.Pattern(`\A(?:\*\*|\x1b\[[\d;]*m)*`)
	declaration = text.Pattern(`(?i)(?:env|arg|setenv|setx|set -[gul]?x|#define|_param) \z`)
	defines     = text.Pattern(`(?i)(?:#define |\(def\w* |\bset\(|set -[gul]?x )\z`)
	pairEnd     = text.Pattern(`\A(["'])[^"'\n]{1,150}["'][\])]`)
	nextQuoted  = text.Pattern(`\A,\s{0,40}["'][^"'\s-]`)
	setting     = text.Pattern(`\A(?:[^\s*()]{5,80}[^\s*.()]|(?:[a-z0-9]{4} ){3}[a-z0-9]{4}|` +
		`[^\s*&(){}\[\]<>]{20,400})[ \t\r]*(?:\n|\z)`)
	setter = text.Pattern(`(?i)(?:\.\w{0,24}|(?:\A|\.)(?:use|(?:set|with)[\w-]*))\z`)
)

// nameAround returns the name around the word of secrecy text[word:end].
func (s *scan) nameAround(word, end int) *nameAt {
	n := &nameAt{text: s.text, word: word, from: skipBack(s.text, word, 60), end: end}
	n.after = quoteEnd(s.text, end)
	n.tell(named, n.after > end)
	if s.at(n.after) == ']' {
		n.after++
	}
	if c := s.at(n.after); c == '*' || c == 0x1b { // emphasis in Markdown, a terminal's colors
		n.after += emphasis().FindStringIndex(s.text[n.after:])[1]
	}
	blanks := skip(s.text, n.after, blank, 40)
	if blanks > n.after+8 && strings.IndexByte("=:", s.at(blanks)) >= 0 { // aligned code
		blanks = n.after + 8
	}
	n.tell(spaced, blanks > n.after)
	n.after = blanks
	n.tell(flag, flagBefore(s.text, word))
	n.tell(shouted, !strings.ContainsFunc(s.text[n.from:end], func(c rune) bool { return c >= 'a' && c <= 'z' }))
	n.tell(phrase, strings.HasSuffix(lowerASCII(s.text[word:end]), "phrase"))
	return n
}

// valueAfter finds the joint after a name, and the value.
func (s *scan) valueAfter(n *nameAt) (value, bool) {
	const reach = 200
	rest := s.text[n.after:min(len(s.text), n.after+reach)]
	if rest == "" || is(rest[0], alnum) && !n.has(spaced) {
		return value{}, false
	}
	for _, j := range joints() {
		possible := (j.first == "" || strings.IndexByte(j.first, rest[0]) >= 0) && j.holds(n)
		if !possible {
			continue
		}
		m := j.expr().FindStringIndex(rest)
		if m == nil || j.quoted && quoteEnd(rest, m[1]) == m[1] {
			continue
		}
		v := value{op: j.op, signs: n.signs | j.gives}
		v.tell(sure, strings.ContainsAny(s.text[n.end:n.after+m[1]], "*\x1b"))
		listed := j.op == "," && n.has(named) && n.from > 1 && strings.IndexByte("[(", n.text[n.from-2]) >= 0
		argument := n.has(named) && n.has(flag) && nextQuoted().MatchString(rest) // "--name", "value"
		if argument || listed && pairEnd().MatchString(rest[m[1]:]) {             // ["name", "value"], a default
			v.op, v.signs = "=", v.signs|sure
		}
		n.judgeJoint(&v)
		return s.readValue(v, n.from, n.after+m[1])
	}
	return value{}, false
}

// judgeJoint tells what the name and its joint say together.
func (n *nameAt) judgeJoint(v *value) {
	name, assigned := n.text[n.from:n.end], v.op == "=" && !v.has(spaced)
	variable := assigned || v.op == ":" && strings.Contains(name, "_") && len(name) > 4 || v.op == " " && !v.has(flag)
	v.tell(env, v.has(shouted) && variable)
	v.tell(header, v.op == ":" && len(name) > 1 && strings.EqualFold(name[:2], "x-"))
	v.tell(sure, assigned && n.from > 0 && strings.IndexByte(";?&", n.text[n.from-1]) >= 0)
	v.tell(sure, v.op == "," && (strings.ContainsAny(name, "_-") ||
		v.has(shouted) && strings.HasSuffix(strings.TrimRight(n.text[:n.from], "\"' "), "define(")))
}
