package redact

import (
	"math"
	"slices"
	"strings"

	"recall/internal/text"
)

// entropy returns the Shannon entropy in bits per byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	e, n := 0.0, float64(len(s))
	for _, c := range counts {
		if c > 0 {
			p := float64(c) / n
			e -= p * math.Log2(p)
		}
	}
	return e
}

// dummies are values that people write in place of a secret.
var dummies = set(words("dummies")...)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// fillers are further words that examples are made of: my-secret-key.
var fillers = set(words("fillers")...)

// dummyParts are substrings, in lower case, that show a value to be an example.
var dummyParts = words("in dummies")

// placeholder reports whether a value stands for a secret: a reference, a template, an example, one of our
// placeholders.
func placeholder(v string) bool {
	if strings.HasSuffix(v, "...") || strings.ContainsAny(v, "‹›…") {
		return true
	}
	variable := v == "" || strings.IndexByte("$<{?", v[0]) >= 0 && !storedAs().MatchString(v) ||
		v[0] == '%' && (v[len(v)-1] == '%' || len(v) < 4 || v[1] == '(') || v[0] == '[' && v[len(v)-1] == ']' ||
		strings.Contains(v, "${") || strings.Contains(v, "{{") || v[0] == '!' && skip(v, 1, letter, len(v)) == len(v)
	if variable && len(v) > 2 && v[0] == v[len(v)-1] && nameAndYear().MatchString(v[1:len(v)-1]) { // $Meadow1987$
		return false
	}
	low := strings.ToLower(v)
	few := 3 // characters
	if skip(v, 0, digit, 8) == len(v) {
		few = 2
	}
	if variable || dummies[low] || distinct(v) <= few {
		return true
	}
	if strings.ContainsAny(v, "-_ ") {
		pieces := strings.FieldsFunc(low, func(c rune) bool { return c == '-' || c == '_' || c == ' ' })
		if !slices.ContainsFunc(pieces, func(p string) bool { return !dummies[p] && !fillers[p] }) {
			return true
		}
	}
	return text.AnyOf(low, strings.Contains, dummyParts...) ||
		strings.Contains(v, "#") && rowKey().MatchString(v)
}

// rowKey matches what databases name a row by: tenant#acme-12, USER#ann#order#98.
var rowKey = text.Pattern(`\A(?:[a-z]+|[A-Z]+)#(?:[a-z]+#|[A-Z]+#)*(?:[a-z]+-[\w-]*\d+|[A-Z\d-]+|[\w.-]+#[\w#.-]+)\z`)

// storedAs matches what says how the password behind it is stored: {SSHA}, {noop}.
var storedAs = text.Pattern(`\A\{(?:[A-Z][A-Z0-9-]{2,14}|noop|bcrypt)\}\S{6}`)

func distinct(v string) int {
	var seen [256]bool
	n := 0
	for _, c := range []byte(v) {
		if !seen[c] {
			n++
		}
		seen[c] = true
	}
	return n
}

// shapeOf counts the kinds of characters in a value.
type shapeOf struct {
	lower, upper, digits, other int
	switches                    int // between letters and digits, in the current run of both
	mostSwitches                int // in any such run
}

func shapeIn(v string) shapeOf {
	var t shapeOf
	var last uint16
	for i := range len(v) {
		c := classes[v[i]] & alnum
		switch c {
		case lower:
			t.lower++
		case upper:
			t.upper++
		case digit:
			t.digits++
		default:
			t.other++
			last, t.switches = 0, 0
			continue
		}
		if last != 0 && (c == digit) != (last == digit) {
			t.switches++
			t.mostSwitches = max(t.mostSwitches, t.switches)
		}
		last = c
	}
	return t
}

// mixed reports whether a value's letters and digits alternate too often for a word or a name with a number.
func mixed(v string) bool {
	most := shapeIn(v).mostSwitches // 0 without both
	return most >= 3 || most >= 2 && len(v) >= 12
}

// publicPrefixes begin values that aren't secret; "AAAA" is SSH's.
var publicPrefixes = words("public")

// public reports whether a value has the form of something that isn't secret: a hash, UUID, number, date, version,
// integrity string or service id.
func public(v string) bool {
	t := shapeIn(v)
	return publicID(v) || t.lower+t.upper == 0 || run(v, 0, hexa, "-", len(v)) == len(v)
}

// publicID reports whether a value begins like a public id, is the address of an account or the id of a key in
// hexadecimal, or an id of Anthropic's API: a word, 01 and 22 letters and digits.
func publicID(v string) bool {
	i := len(v) - 24
	if account := len(v) == 42 || len(v) == 18; account && v[:2] == "0x" && allHex(v[2:]) {
		return true
	}
	ulid := len(v) == 26 && v[:2] == "01" && shapeIn(v).lower == 0
	return ulid || i > 1 && v[i-1:i+2] == "_01" || text.AnyOf(v, strings.HasPrefix, publicPrefixes...)
}

// code reports whether an unquoted value is an expression or a reference.
func code(v string) bool {
	return strings.ContainsAny(v, "([{\\") || strings.Contains(v, "->") || strings.Contains(v, "::") || dotted(v)
}

// dotted reports whether a value is names joined by dots: config.auth.password2, not meadow.falcon89.
func dotted(v string) bool {
	if v = strings.TrimRight(v, "."); !strings.Contains(v, ".") {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		name := part != "" && !is(part[0], digit) && run(part, 0, alnum, "_", len(part)) == len(part)
		if !name || shapeIn(part).mostSwitches > 1 {
			return false
		}
	}
	return !chosenDotted().MatchString(v) || sized().MatchString(v)
}

// path reports whether a value is a file path or a URL.
func path(v string) bool {
	if randomBase64(v) {
		return false
	}
	address := strings.Contains(v, "://") || len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	return address || text.AnyOf(v, strings.HasPrefix, "/", "./", "../", "~") ||
		strings.IndexByte(v, '/') > 0 && !mixed(v) && !strings.Contains(v, "+")
}

// randomBase64 reports whether a value is base64 with slashes rather than a path: long, both cases, digits, jumbled.
func randomBase64(v string) bool {
	if len(v) < 40 || skip(v, 0, alnum|marks, len(v)) < len(v) || strings.ContainsAny(v, ".~") {
		return false
	}
	t := shapeIn(v)
	return t.lower > 4 && t.upper > 4 && t.digits > 0 && strings.Count(v, "/")*8 <= len(v) &&
		entropy(v) > 4.4 && (jumbled(v) || caseSwitches(v)*5 >= len(v))
}

// caseSwitches counts changes between upper and lower case.
func caseSwitches(v string) (n int) {
	for i := 1; i < len(v); i++ {
		a, b := classes[v[i-1]]&letter, classes[v[i]]&letter
		if a != 0 && b != 0 && a != b {
			n++
		}
	}
	return n
}

// numbered reports whether a value is a short name with a number, as variables are.
func numbered(v string) bool {
	base := strings.TrimRight(v, "0123456789")
	if base == v {
		return false
	}
	low := strings.ToLower(strings.Trim(base, "_-"))
	return dummies[low] || len(low) <= 3 || text.AnyOf(low, strings.HasSuffix, secretWords...)
}

var secretWords = words("secret words")

// camel reports whether a value is a camel-case name: its pieces are words, while a random value's have one or two
// letters.
func camel(v string) bool {
	pieces, letters := 0, 0
	var last uint16
	for i := range len(v) {
		c := classes[v[i]] & alnum
		if c == 0 && v[i] != '_' && v[i] != '.' {
			return false
		}
		if c&letter != 0 {
			letters++
			if last&letter == 0 || c == upper && last == lower {
				pieces++
			}
		}
		last = c
	}
	t := shapeIn(v)
	return t.upper > 0 && t.lower > 0 && is(v[0], letter) && float64(letters) >= 2.8*float64(pieces)
}

// hasSecretName reports whether a value contains a secret's name, as labels, identifiers and messages do.
func hasSecretName(v string) bool {
	return text.AnyOf(strings.ToLower(v), strings.Contains, secretWords...)
}

// wordsRunTogether reports whether a value is lower-case letters, too many for one word: where a value is expected,
// only passphrases look like that.
func wordsRunTogether(v string) bool {
	return len(v) >= 12 && skip(v, 0, lower, len(v)) == len(v) && !hasSecretName(v)
}
