package eval

import (
	"regexp"
	"strings"
	"testing"

	"recall/internal/text"
	"recall/payload"
)

// A Form is a way to turn a statement into one that must not match what it
// matched before. Make turns b round at a place that a speaks of too; not ok
// where b gives no hold for that.
type Form struct {
	Name string
	Make func(a, b string) (turned string, ok bool)
}

// Forms are the ways, made by code: what is said is denied, its direction turned
// round, two of its names or numbers exchanged, a number another one.
var Forms = []Form{
	{"negated", deny},
	{"reversed", reverse},
	{"swapped", exchange},
	{"renumbered", renumber},
}

// rewrite is a pattern with what takes its place.
type rewrite struct {
	find func() *regexp.Regexp
	with string
}

// denials, most telling first: a "no" is taken out before one is put in.
var denials = []rewrite{
	{text.Pattern(`\b(is|are|was|were|will|can|must|should|does|do|did|may) not\b`), `$1`},
	{text.Pattern(`\b([Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Dd]oes|[Dd]id)n['’]t\b`), `$1`},
	{text.Pattern(`\bcannot\b`), `can`},
	{text.Pattern(`\bnever\b`), `always`},
	{text.Pattern(`\bno longer\b`), `still`},
	{text.Pattern(`^No `), `Have `},
	{text.Pattern(`^Never `), `Always `},
	{text.Pattern(`^(Don['’]t|Do not) `), ``},
	{text.Pattern(`\balways\b`), `never`},
	{text.Pattern(`\b(is|are|was|were|will|can|must|should|may)\b`), `$1 not`},
	{text.Pattern(`\b(stays|keeps|uses|runs|lives|goes|moves|shows|gets|takes|works|comes|stands|sends|writes|reads|` +
		`stores|sets|makes|needs|rejects|follows|lists|answers|prints|returns|allows|appears|sits|covers|looks|tries|` +
		`becomes|means|checks|fails|includes|requires|removes|starts|stops|opens|holds|happens|adds|waits|calls|passes|` +
		`belongs|carries|replaces|names|applies|treats|ends|sorts|retries|deletes|ships|saves|caches|logs|builds|` +
		`skips)\b`), `does not $1`},
	{text.Pattern(`^(Use|Keep|Move|Store|Show|Add|Make|Let|Put|Take|Write|Read|Send|Set|Rename|Replace|Drop|Remove|Ask|` +
		`Fix|Migrate|Create|Run|Find|Bring|Give|Get|Split|Skip|Start|Turn|Rerun|Configure|Wait|Switch|Ship|Retry|Document|` +
		`Merge|Push|Serve|Cache|Sort|Delete|Limit|Build) `), `Do not $1 `},
}

// third takes the ending off a verb that "does not" now stands before.
var third = text.Pattern(`does not (\w+)`)

// deny says of b that it isn't so, in a clause whose words a holds too.
func deny(a, b string) (string, bool) {
	known := wordsOf(a)
	for _, r := range denials {
		for _, at := range r.find().FindAllStringIndex(b, -1) {
			if !inCommonWith(known, clauseAround(b, at[0], at[1])) {
				continue
			}
			out := b[:at[0]] + r.find().ReplaceAllString(b[at[0]:at[1]], r.with) + b[at[1]:]
			return third().ReplaceAllStringFunc(out, bareVerb), true
		}
	}
	return b, false
}

func bareVerb(s string) string {
	verb := strings.TrimPrefix(s, "does not ")
	switch {
	case verb == "goes", strings.HasSuffix(verb, "shes"), strings.HasSuffix(verb, "ches"), strings.HasSuffix(verb, "sses"):
		verb = strings.TrimSuffix(verb, "es")
	case strings.HasSuffix(verb, "ies") && len(verb) > 4:
		verb = strings.TrimSuffix(verb, "ies") + "y"
	default:
		verb = strings.TrimSuffix(verb, "s")
	}
	return "does not " + verb
}

// clauseAround is what stands between the marks of punctuation around a place.
func clauseAround(text string, from, to int) string {
	const marks = ",;:.()"
	ends := func(s string, i int) bool { // a mark that a blank or the end follows
		return strings.ContainsRune(marks, rune(s[i])) && (i+1 == len(s) || s[i+1] == ' ' || s[i] == '(')
	}
	for from > 0 && !ends(text, from-1) {
		from--
	}
	for to < len(text) && !ends(text, to) {
		to++
	}
	return text[from:to]
}

func wordsOf(s string) map[string]bool {
	m := map[string]bool{}
	between := func(r rune) bool { return strings.ContainsRune(" ,;:`\"'()[]{}<>!?“”’", r) }
	for _, w := range strings.FieldsFunc(strings.ToLower(s), between) {
		w = strings.Trim(w, ".")
		if len(w) > 1 && !text.Stop(w) {
			m[text.Stem(w)] = true
		}
	}
	return m
}

// inCommonWith reports whether a clause of two words or more stands, for the
// greater part, in another text as well.
func inCommonWith(known map[string]bool, clause string) bool {
	n, both := 0, 0
	for w := range wordsOf(clause) {
		n++
		if known[w] {
			both++
		}
	}
	return both >= 2 && 2*both >= n
}

// thing is a quoted name, or a word or name.
const thing = "(`[^`]+`|\"[^\"]+\"|[A-Za-z0-9_./#<>=+-]*[A-Za-z0-9_/>)])"

// turns are the ways to say which of two is meant, in what order they come or
// which becomes which. Each has the two things as its first and third groups.
var turns = []func() *regexp.Regexp{
	text.Pattern(thing + `( instead of (?:the |a |an |by |in |on |with )?)` + thing),
	text.Pattern(thing + `( rather than (?:the |a |an |of |as |by |in |with )?)` + thing),
	text.Pattern(thing + `(,? (?:and )?not (?:the |a |an |as |of |in |by |with |on )?)` + thing),
	text.Pattern(thing + `( ?(?:→|->) ?)` + thing),
	text.Pattern(`\b[Ff]rom (?:the |a )?` + thing + `( to (?:the |a |be a )?)` + thing),
	text.Pattern(`\b(?i:replaces?|renamed?|renames|replaced|moved?|switch|migrate|change[ds]?) (?:the |a )?` + thing +
		`( (?:with|by|to|into) (?:the |a )?)` + thing),
	text.Pattern(thing + `( (?:replaces|becomes|is replaced by|was replaced by|comes before|comes after|goes ` +
		`before|precedes) (?:the |a )?)` + thing),
	text.Pattern(thing + `( (?:before|after|unlike) (?:the |a )?)` + thing),
	text.Pattern(thing + `( > )` + thing),
}

// reverse turns b's direction round: "A instead of B" becomes "B instead of
// A", "X → Y" becomes "Y → X".
func reverse(a, b string) (string, bool) {
	known := wordsOf(a)
	for _, r := range turns {
		for _, at := range r().FindAllStringSubmatchIndex(b, -1) {
			one, two := b[at[2]:at[3]], b[at[6]:at[7]]
			if !heldApart(known, one, two) {
				continue
			}
			return b[:at[2]] + two + b[at[3]:at[6]] + one + b[at[7]:], true
		}
	}
	return b, false
}

// heldApart reports whether a text holds both things and they are two.
func heldApart(known map[string]bool, one, two string) bool {
	x, y := wordsOf(one), wordsOf(two)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	for w := range x {
		if !known[w] || y[w] {
			return false
		}
	}
	for w := range y {
		if !known[w] {
			return false
		}
	}
	return true
}

var (
	namePattern = text.Pattern("`[^`\\s]+`|[A-Za-z0-9_-]*[A-Za-z0-9][/_.][A-Za-z0-9_./-]*[A-Za-z0-9]|" +
		"--[a-z][a-z-]+|\\b[A-Z]?[a-z]+[A-Z][A-Za-z]+\\b|\\b[A-Z]{2,}[A-Z_]+\\b")
	numberPattern = text.Pattern(`\b\d[\d,_]*(?:\.\d+)*k?\b`)
)

// exchange makes change places two numbers of b, or where it hasn't two two names, that a
// holds too. Names of one list are left: they may stand in any order.
func exchange(a, b string) (string, bool) {
	known := wordsOf(a)
	for _, pattern := range []*regexp.Regexp{numberPattern(), namePattern()} {
		found := pattern.FindAllStringIndex(b, -1)
		for i, x := range found {
			for _, y := range found[i+1:] {
				one, two := b[x[0]:x[1]], b[y[0]:y[1]]
				unlike := partOfName(b, x) || partOfName(b, y) || !heldApart(known, one, two) || strung(b[x[1]:y[0]]) ||
					strings.Contains(one, two) || strings.Contains(two, one) ||
					strings.Count(b, one) > 1 || strings.Count(b, two) > 1
				if unlike {
					continue
				}
				return b[:x[0]] + two + b[x[1]:y[0]] + one + b[y[1]:], true
			}
		}
	}
	return b, false
}

// strung reports whether what stands between two names only strings things
// together: pieces of two words at most.
func strung(between string) bool {
	for _, piece := range regexp.MustCompile(`,|;| and | or | plus |\(|\)`).Split(between, -1) {
		if len(strings.Fields(strings.Trim(piece, "`\"' "))) > 1 {
			return false
		}
	}
	return true
}

// partOfName reports whether what was found goes on at either end: "ENT-241",
// "v1.2", "worktree1".
func partOfName(text string, at []int) bool {
	if at[0] > 0 && strings.ContainsRune("#-/._=:@\\", rune(text[at[0]-1])) {
		return true
	}
	rest := text[at[1]:]
	return len(rest) > 1 && strings.ContainsRune("./:_=-@(", rune(rest[0])) && rest[1] != ' ' && rest[1] != '`'
}

// renumber gives a number that a holds too another value in b.
func renumber(a, b string) (string, bool) {
	known := wordsOf(a)
	for _, at := range numberPattern().FindAllStringIndex(b, -1) {
		n := b[at[0]:at[1]]
		if partOfName(b, at) || !known[text.Stem(n)] {
			continue
		}
		turned := "3" + n
		if n[0] != '9' && n[0] != '0' {
			turned = string(n[0]+1) + n[1:]
		}
		if known[text.Stem(turned)] || known[turned] {
			continue
		}
		return b[:at[0]] + turned + b[at[1]:], true
	}
	return b, false
}

// toldApart counts, by the name of the form, which forms of the true pairs a judge tells from what they were made of.
func toldApart(t *testing.T, by Judge, pairs []LabelledPair) map[string]KofN {
	t.Helper()
	names, turned := formsOf(pairs)
	x, err := pairSimilarities(t.Context(), by, turned)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]KofN{}
	for i, name := range names {
		n := forms[name]
		if x[i] < by.Threshold() {
			n.K++
		}
		forms[name] = wilson(n.K, n.N+1)
	}
	return forms
}

// formsOf makes every form of the true pairs, with their names: of each statement against the other's wording, and
// (named "… same words") against itself.
func formsOf(pairs []LabelledPair) (names []string, out []LabelledPair) {
	for _, p := range pairs {
		for _, f := range Forms {
			if !p.Same || !f.fits(p) {
				continue
			}
			for _, t := range []struct{ name, a, b string }{
				{f.Name, p.A, p.B}, {f.Name, p.B, p.A}, {f.Name + ", same words", p.A, p.A}, {f.Name + ", same words", p.B, p.B},
			} {
				if turned, ok := f.Make(t.a, t.b); ok {
					q := p
					q.A, q.B, q.Same = t.a, turned, false
					names, out = append(names, t.name), append(out, q)
				}
			}
		}
	}
	return names, out
}

// fits reports whether a form of such a pair says something else. Files are told
// apart by path; of what isn't said to be so the denial may mean the same.
func (f Form) fits(p LabelledPair) bool {
	return p.Kind != payload.File && (f.Name != "negated" || affirms(p.Kind))
}
