package redact

import (
	_ "embed"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/internal/text"
)

// looks are what a rule's value must look like, besides not standing for a secret.
var looks = map[string]func(v string) bool{
	"some":       func(v string) bool { return v != "" },
	"dump":       func(v string) bool { return v != "" }, // has dots for what isn't text, and so may a placeholder
	"any":        func(v string) bool { return len(v) >= 4 },
	"letters":    func(v string) bool { t := shapeIn(v); return t.lower+t.upper > 0 },
	"plausible":  plausible,
	"digits":     func(v string) bool { return plausible(v) && !code(v) && shapeIn(v).digits > 0 },
	"printed":    func(v string) bool { return !path(v) && v[len(v)-1] != ':' && plausible(v) },
	"password":   func(v string) bool { return passwordLike(v) || grouped(v) && mixed(v) },
	"numbers":    func(v string) bool { return shapeIn(v).digits > 0 },
	"phrase":     func(v string) bool { return plausible(v) || wordsRunTogether(v) || hyphenated(v) },
	"token":      tokenLike,
	"credential": func(v string) bool { return tokenLike(v) || plausible(v) || wordsRunTogether(v) },
	"mixed":      disordered,
	"drawn":      func(v string) bool { return hexKey(v) || disordered(v) },
	"chosen": func(v string) bool {
		return !path(v) && (passwordLike(v) || wordsAndNumber(v) || hyphenated(v) || grouped(v) && mixed(v))
	},
	"words": unrelatedWords,
	"seed": func(v string) bool { // more may follow that is prose
		some := strings.FieldsFunc(v, func(c rune) bool { return c < 'A' })
		return unrelatedWords(strings.Join(some[:min(12, len(some))], " "))
	},
	"drawn words":   func(v string) bool { return unrelatedWords(v) && !inflected().MatchString(v) },
	"user:password": userPassword,
}

// disordered reports whether a value's letters and digits are mixed as in no name.
func disordered(v string) bool {
	return mixed(v) && (!camel(v) || jumbled(v)) && (!public(v) || len(v) >= 32)
}

// tokenLike reports whether a value after a word for credentials can be one.
func tokenLike(v string) bool {
	t := shapeIn(v)
	return !path(v) && !dotted(v) && (t.digits > 0 && t.lower+t.upper > 0 && !numbered(v) ||
		t.upper >= 3 && t.lower >= 3 && len(v) >= 20 && entropy(v) > 3.8)
}

// secret reports whether the value is one: whether what speaks for it weighs more than what speaks against it.
func (v value) secret() bool {
	tooShort := len(v.text) < 4 || len(v.text) < 6 && v.strength < strong
	version := run(v.text, 0, digit, ".", len(v.text)) == len(v.text) && strings.Contains(v.text, ".")
	publishable := v.strength < strong && text.AnyOf(v.text, strings.HasPrefix, "pk_live_", "pk_test_")
	harmless := tooShort || version || publishable || placeholder(v.text) || path(v.text)
	if harmless {
		return false
	}
	named := (v.set() || v.op == "head") && (v.strength > vague || !strings.Contains(v.text, " ")) &&
		(v.has(quoted|whole) || !v.has(spaced))
	number := v.strength == strong && len(v.text) >= 6 && numeric(v.text) && distinct(v.text) > 3
	words := v.strength == strong && spokenPhrase().MatchString(v.text) && looks["drawn words"](v.text)
	evident := number || words || passwordLike(v.text) || unmistakable(v.text)
	if named && evident {
		return true
	}
	sum := weights[0][v.strength]
	for i, told := 1, v.look(); told != 0; i, told = i+1, told>>1 {
		if told&1 != 0 {
			sum += weights[i][v.strength]
		}
	}
	return sum > 0
}

// weightTable holds how much each sign weighs for each strength of name; how that was found is written in it.
//
//go:embed rules/weights.tsv
var weightTable string

// weights are by sign, after that of any value.
var weights = func() (all [][]int) {
	for _, f := range rowsOf(weightTable) {
		var row []int
		for _, w := range f[1:] {
			row = append(row, integer(w))
		}
		all = append(all, row)
	}
	return all
}()

// sight is what is looked at of a value to tell its signs.
type sight struct {
	value
	shapeOf
	texture
	letters, blanks int
	jumbled, marked bool
}

// seen are the signs that a value's look gives, after those that reading it gave.
var seen = []struct {
	name  string
	holds func(v *sight) bool
}{
	{"set", func(v *sight) bool { return v.set() }}, // in a settings file, in quotes, on a line of its own
	{"listed", func(v *sight) bool { return v.op == "," }},
	{"said", func(v *sight) bool { return v.op == "is" }},
	{"below", func(v *sight) bool { return v.op == "head" }},
	{"aligned", func(v *sight) bool { return v.op == "head" && v.has(spaced) }},
	{"6 long", func(v *sight) bool { return len(v.text) >= 6 }},
	{"8 long", func(v *sight) bool { return len(v.text) >= 8 }},
	{"12 long", func(v *sight) bool { return len(v.text) >= 12 }},
	{"20 long", func(v *sight) bool { return len(v.text) >= 20 }},
	{"32 long", func(v *sight) bool { return len(v.text) >= 32 }},
	{"mixed", func(v *sight) bool { return mixed(v.text) }},
	{"jumbled", func(v *sight) bool { return v.jumbled }},
	{"random", func(v *sight) bool { return v.texture >= oneCase }},
	{"hexadecimal", func(v *sight) bool { return v.texture == hexes }},
	{"both cases", func(v *sight) bool { return v.lower > 1 && v.upper > 1 }},
	{"grouped", func(v *sight) bool { return grouped(v.text) }},
	{"hyphens", func(v *sight) bool { return strings.Count(v.text, "-") >= 2 && !hasSecretName(v.text) }},
	{"run together", func(v *sight) bool { return wordsRunTogether(v.text) }},
	{"short", func(v *sight) bool { return v.digits > 0 && v.letters > 0 && len(v.text) <= 12 }},
	{"user:password", func(v *sight) bool { return v.has(pair) && isPair(v.text) }},
	{"public", func(v *sight) bool { return v.letters > 0 && public(v.text) && !v.has(login) }},
	{"camel", func(v *sight) bool { return camel(v.text) && !v.jumbled }},
	{"constant", func(v *sight) bool { return strings.Contains(v.text, "_") && v.lower == 0 }},
	{"identifier", func(v *sight) bool { return identifier(v.text) }},
	{"secret's name", func(v *sight) bool { return hasSecretName(v.text) && !v.has(env) }},
	{"numbered", func(v *sight) bool { return numbered(v.text) }},
	{"expression", func(v *sight) bool { return !v.has(quoted|line) && code(v.text) }},
	{"dotted", func(v *sight) bool { return dotted(v.text) }},
	{"blanks", func(v *sight) bool { return v.blanks > 0 }},
	{"brackets", func(v *sight) bool { return strings.ContainsAny(v.text, "(){}<>[];,|\\:/") }},
	{"no digit", func(v *sight) bool { return v.digits == 0 }},
	{"no letter", func(v *sight) bool { return v.letters == 0 }},
	{"bare word", func(v *sight) bool { return !v.has(quoted) && v.digits == 0 && !v.marked }},
}

// look tells all signs of a value.
func (v value) look() signs {
	s := &sight{value: v, shapeOf: shapeIn(v.text), texture: textureOf(v.text), blanks: strings.Count(v.text, " "),
		jumbled: jumbled(v.text), marked: strings.ContainsAny(v.text, "!@#$%^&*+?")}
	s.letters = s.lower + s.upper
	x := v.signs
	for i, sign := range seen {
		x.tell(1<<(len(read)+i), sign.holds(s))
	}
	return x
}

// set reports whether the name is certainly set to the value.
func (v value) set() bool {
	sure := v.has(env | header | flag | sure)
	return sure || v.op != "is" && (v.has(quoted) && v.op != "," || v.has(whole))
}

// isPair reports whether a value is user:password.
func isPair(t string) bool {
	_, password, ok := strings.Cut(t, ":")
	return ok && len(password) >= 6 && !placeholder(password) && !strings.ContainsAny(password, "/:<>()")
}

// unrelatedWords reports whether words are none of a sentence, as those of seeds and passphrases: hardly any is there
// twice, and none holds a sentence together.
func unrelatedWords(v string) bool {
	some := strings.FieldsFunc(lowerASCII(v), func(c rune) bool { return c < 'a' && c != '-' })
	different := set(some...)
	return !hasSecretName(v) && len(different)*2 >= len(some) &&
		!slices.ContainsFunc(some, func(w string) bool { return joining[w] })
}

// inflected matches what sentences have and lists of words seldom do.
var inflected = text.Pattern(`(?:ed|ing|ly|tion|ment|en|ung|able|ible)(?: |\z)|` +
	`(?:must|than|least|characters|chars|zeichen)\b`)

// joining are words that hold sentences together.
var joining = set(words("joining")...)

// grouped reports whether a value is groups of equal length, four or more letters and digits each, as codes are
// displayed.
func grouped(t string) bool {
	groups := strings.FieldsFunc(t, func(c rune) bool { return c == ' ' || c == '-' || c == ',' })
	if len(groups) < 3 || len(t) > 80 || strings.ContainsAny(t, ",") && len(groups) < 4 {
		return false
	}
	for _, g := range groups {
		if len(g) != len(groups[0]) || len(g) < 4 || skip(g, 0, alnum, len(g)) < len(g) {
			return false
		}
	}
	return shapeIn(t).digits > 0 || jumbled(strings.Join(groups, ""))
}

// identifier reports whether letters alone are the name of a constant, a label or a key.
func identifier(t string) bool {
	if strings.Contains(t, "_") {
		return true
	}
	if strings.ToUpper(t) == t || is(t[0], upper) && strings.ToLower(t[1:]) == t[1:] {
		return true
	}
	if strings.ContainsAny(t, "-!@#$%^&*") {
		return false
	}
	return strings.ToLower(t) != t && is(t[0], lower) // camelCase
}

// plausible reports whether a word where a password is expected looks like one, not like prose.
func plausible(v string) bool {
	t := shapeIn(v)
	return len(v) >= 6 && !placeholder(v) && !path(v) && !numbered(v) && t.lower+t.upper > 0 && (t.digits > 0 ||
		strings.ContainsAny(v, "!@#$%^&*+?") || jumbled(v))
}

// userPassword reports whether a value is user:password in base64.
func userPassword(v string) bool {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || !utf8.Valid(plain) || strings.IndexByte(string(plain), ':') < 1 {
		return false
	}
	return !slices.ContainsFunc(plain, func(c byte) bool { return c < ' ' })
}
