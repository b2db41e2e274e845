package redact

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recall/internal/text"
)

// shippedTable holds the rules of gitleaks (v8.30.1, MIT) and those of rules/recall.toml that are stored as written,
// one a line, as produced by TestShippedTable: id, kind, form, "bound" or nothing, least, most, entropy, expression,
// anchors separated by "|", what the value must look like, and each pattern of allowed values in a field of its own.
// Lines "allowed" hold a pattern of values allowed in every rule.
//
//go:embed rules/shipped.tsv
var shippedTable string

// form is how a gitleaks rule is tried.
type form uint8

const (
	formAt     form = iota // the match begins with the literal
	formAssign             // a name, an operator, a value: the expression matches the value
	formAround             // the match contains the literal, or is near it
)

// shippedRule is one rule of gitleaks.
type shippedRule struct {
	id, kind string
	form     form
	expr     string
	anchors  []string // literals in lower case
	bound    bool     // formAt: no word character precedes it
	least    int      // length of the shortest match, all token characters; 0 if unknown
	most     int      // length of the longest match; 0 if unbounded
	entropy  float64  // minimum for the secret, in bits per byte
	looks    string   // what the value must look like, in judge.go's words; "" if the expression says it all
	allow    []string // patterns of values that aren't secrets
}

// forms are the names of forms in the table.
var forms = []string{"at", "assign", "around"}

// shipped parses the table on first use.
var shipped = sync.OnceValue(func() (all []shippedRule) {
	for _, f := range rowsOf(shippedTable) {
		if f[0] == allowedLine {
			continue
		}
		r := shippedRule{id: f[0], kind: f[1], form: form(slices.Index(forms, f[2])), bound: f[3] != "",
			least: integer(f[4]), most: integer(f[5]), expr: f[7],
			anchors: strings.Split(controls.Replace(f[8]), "|")}
		r.entropy, _ = strconv.ParseFloat(f[6], 64)
		r.looks = f[9]
		r.allow = append(r.allow, f[10:]...)
		all = append(all, r)
	}
	return all
})

var controls = strings.NewReplacer(`\t`, "\t", `\n`, "\n")

// rowsOf returns the rows of a table with tab-separated fields, without comments.
func rowsOf(table string) (rows [][]string) {
	for line := range strings.Lines(table) {
		if line[0] != '#' {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return rows
}

// wordTable holds the word lists used by the rules; its format is documented in it.
//
//go:embed rules/words.tsv
var wordTable string

// wordRows groups the rows of that table by their first field.
var wordRows = func() map[string][][]string {
	rows := map[string][][]string{}
	for _, f := range rowsOf(wordTable) {
		rows[f[0]] = append(rows[f[0]], f[1:])
	}
	return rows
}()

// words returns a list that is a single row.
func words(list string) []string { return wordRows[list][0] }

func integer(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

const allowedLine = "allowed"

// How far a rule looks, in bytes.
const (
	reachAt     = 4096 // from the literal onwards, if the rule's matches are unbounded
	reachAssign = 512  // from the value onwards
	reachAround = 384  // to either side
	reachSurely = 256  // to either side, where windows overlap
)

// lazyRule compiles its expressions on first use.
type lazyRule struct {
	*shippedRule
	re    func() *regexp.Regexp
	allow []func() *regexp.Regexp
}

func newLazyRule(r *shippedRule) *lazyRule {
	l := &lazyRule{shippedRule: r, re: text.Pattern(r.expr)}
	for _, a := range r.allow {
		l.allow = append(l.allow, text.Pattern(a))
	}
	return l
}

func (r *lazyRule) detect(s *scan, from, to int) {
	switch r.form {
	case formAt:
		r.detectAt(s, from)
	case formAssign:
		r.detectAssign(s, to)
	default:
		r.detectAround(s, from, to)
	}
}

func (r *lazyRule) detectAt(s *scan, from int) {
	if r.bound && wordChar(s.before(from)) {
		return
	}
	if r.least > 0 && skip(s.text, from, token, r.least) < from+r.least {
		return
	}
	reach := reachAt
	if r.most > 0 {
		reach = r.most + 8
	}
	r.match(s, from, min(len(s.text), from+reach))
}

func (r *lazyRule) detectAssign(s *scan, to int) {
	// without an operator there, no need to try the expression
	if strings.IndexByte("=?|:>,", s.at(skip(s.text, skip(s.text, to, inName, 20), gap, 4))) < 0 {
		return
	}
	m := assignment().FindStringIndex(s.text[to:min(len(s.text), to+40)])
	if m == nil {
		return
	}
	value := to + m[1]
	if skip(s.text, value, token, r.least) < value+r.least {
		return
	}
	r.match(s, value, min(len(s.text), value+reachAssign))
}

// assignment matches what stands between a word of a name and a value: what gitleaks' named rules have in common, with
// escaped quotes allowed.
var assignment = text.Pattern(`\A[\w. \t-]{0,20}[\s'"\\]{0,4}(?:=>|\?=|\|\||:{1,3}=|::?|=|>|,)[\x60'"\s=\\]{0,6}`)

func (r *lazyRule) detectAround(s *scan, from, to int) {
	if to+reachSurely <= s.around[r] {
		return
	}
	end := min(len(s.text), to+reachAround)
	if s.around == nil {
		s.around = map[*lazyRule]int{}
	}
	s.around[r] = end
	for at := max(0, from-reachAround); at < end; {
		next := r.match(s, at, end)
		if next <= at {
			return
		}
		at = next
	}
}

// match applies the expression to a window and adds the secret. It returns where the match ends, or -1.
func (r *lazyRule) match(s *scan, from, to int) int {
	window := s.text[from:to]
	m := r.re().FindStringSubmatchIndex(window)
	if m == nil {
		return -1
	}
	a, b := secretGroup(m)
	if r.accepts(window[a:b]) {
		if b == len(window) { // longer than the window
			b = skip(s.text, to, token, maxBlock) - from
		}
		s.add(from+a, from+b, r.kind)
	}
	return from + m[1]
}

// accepts reports whether a match also meets the rule's other conditions.
func (r *lazyRule) accepts(secret string) bool {
	none := func(re func() *regexp.Regexp) bool { return re().MatchString(secret) }
	return (r.entropy <= 0 || entropy(secret) > r.entropy) && !none(allowExpr) && !slices.ContainsFunc(r.allow, none) &&
		(r.looks == "dump" || !placeholder(secret)) && (r.looks == "" || looks[r.looks](secret))
}

// secretGroup returns the place of the first group that isn't empty, else of the whole match.
func secretGroup(m []int) (from, to int) {
	for g := 2; g < len(m); g += 2 {
		if m[g] < m[g+1] {
			return m[g], m[g+1]
		}
	}
	return m[0], m[1]
}

// allowExpr matches what gitleaks never considers a secret.
var allowExpr = sync.OnceValue(func() *regexp.Regexp {
	var all []string
	for _, f := range rowsOf(shippedTable) {
		if f[0] == allowedLine {
			all = append(all, f[1])
		}
	}
	return regexp.MustCompile("(?:" + strings.Join(all, ")|(?:") + ")")
})
