package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// looks are what a rule's value must look like, besides not standing for a secret.
var looks = map[string]func(v string) bool{
	"some":          func(v string) bool { return v != "" },
	"any":           func(v string) bool { return len(v) >= 4 },
	"letters":       func(v string) bool { t := shapeIn(v); return t.lower+t.upper > 0 },
	"plausible":     plausible,
	"digits":        func(v string) bool { return plausible(v) && !code(v) && shapeIn(v).digits > 0 },
	"phrase":        func(v string) bool { return plausible(v) || wordsRunTogether(v) },
	"token":         tokenLike,
	"mixed":         func(v string) bool { return mixed(v) && (!camel(v) || jumbled(v)) && (!public(v) || len(v) >= 32) },
	"user:password": userPassword,
}

// tokenLike reports whether a value after a word for credentials can be one.
func tokenLike(v string) bool {
	t := shapeIn(v)
	return !path(v) && !dotted(v) && (t.digits > 0 && t.lower+t.upper > 0 && !numbered(v) ||
		t.upper >= 3 && t.lower >= 3 && len(v) >= 20 && entropy(v) > 3.8)
}

// secret reports whether the value is one, given the strength of its name.
func (v value) secret(st strength) bool {
	t := v.text
	if len(t) < 4 || placeholder(t) || path(t) {
		return false
	}
	shape := shapeIn(t)
	set := v.set()
	if st >= middle && set && grouped(t) {
		return true
	}
	if v.has(env) || v.has(header) {
		if ok, told := v.declared(st, shape); told {
			return ok
		}
	}
	random := v.has(quoted) && len(t) >= 32 && shape.other >= 6 && shape.digits > 0 && entropy(t) > 4.5 && jumbled(t)
	if random {
		return true
	}
	if strings.ContainsAny(t, " \t") {
		return v.has(quoted) && (v.has(phrase) && v.op != "," && strings.Count(t, " ") >= 3 &&
			shape.other == strings.Count(t, " ") ||
			st == strong && shape.digits > 0 && strings.Count(t, " ") == 1 && v.op != "," && mixed(t))
	}
	harmless := !v.has(quoted|line) && (code(t) || st != strong && camel(t) && !jumbled(t) && !v.random()) || dotted(t)
	if harmless {
		return false
	}
	if set && v.has(pair) && st != vague {
		if _, password, ok := strings.Cut(t, ":"); ok && len(password) >= 6 && !placeholder(password) &&
			!strings.ContainsAny(password, "/:<>()") {
			return true
		}
	}
	switch st {
	case strong:
		return v.password(shape)
	case middle:
		return set && v.credible(shape) || v.hasLetterAndDigit(shape) && len(t) >= 8 && entropy(t) >= 2.8 &&
			!numbered(t) && (mixed(t) || strings.ContainsAny(t, "!@#$%^&*+?")) && v.allowedOp()
	case number:
		return set && v.isAccessCode(shape)
	case vague:
		return set && v.looksRandom()
	}
	return len(t) >= 10 && mixed(t) && (!public(t) || v.has(login) && len(t) >= 32) && entropy(t) >= 3 &&
		!numbered(t) && v.allowedOp() || set && shape.digits >= 3 && v.credible(shape) &&
		(!strings.Contains(t, "-") || textureOf(t) != ordinary)
}

// set reports whether the name is certainly set to the value: in a settings file, in quotes, or on a line of its own.
func (v value) set() bool {
	return v.has(env) || v.has(header) || v.has(flag) || v.has(sure) ||
		v.op != "is" && (v.has(quoted) && v.op != "," || v.has(whole))
}

// credible reports whether a value set under a secret's name looks like nothing else.
func (v value) credible(shape shapeOf) bool {
	t := v.text
	harmless := len(t) < 8 || t[0] == '#' || strings.ContainsAny(t, "(){}<>[],;:'\"|\\") || label(t) || hasSecretName(t) ||
		public(t) || numbered(t) || dateLike(t)
	return !harmless && (strings.Count(t, "-") >= 2 && !strings.Contains(lowerASCII(t), "key") ||
		v.hasLetterAndDigit(shape) && (!identifier(t) && !camel(t) || jumbled(t) || shape.mostSwitches >= 2) ||
		len(t) >= 16 && shape.upper == len(t) && jumbled(t))
}

// looksRandom reports whether a value is random, as required where the name says little.
func (v value) looksRandom() bool {
	t := v.text
	if strings.Contains(t, ":") || public(t) && textureOf(t) != hexes {
		return false
	}
	switch textureOf(t) {
	case oneCase, twoCases:
		return len(t) >= 12
	case hexes:
		return len(t) >= 24 && !strings.Contains(t, "-") || v.has(env) && len(t) >= 32
	}
	shape := shapeIn(t)
	return shape.lower+shape.other == 0 && shape.digits > 0 && len(t) >= 16 && jumbled(t) || userPassword(t)
}

// isAccessCode reports whether a value is a number or short code that grants access.
func (v value) isAccessCode(shape shapeOf) bool {
	t := v.text
	if shape.digits == len(t) {
		return len(t) <= 12 && distinct(t) > 2 && (len(t) > 5 || v.has(env) || v.has(quoted))
	}
	return shape.digits > 0 && textureOf(t) != hexes && v.credible(shape)
}

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

// declared judges the value of an environment variable or header if nothing else is there; otherwise told is false.
func (v value) declared(st strength, shape shapeOf) (secret, told bool) {
	t := v.text
	harmless := strings.ContainsAny(t, " \t()<>") || !v.has(line|quoted) && code(t) || label(t) && v.op == ":" ||
		st != vague && numbered(t)
	if harmless {
		return false, false
	}
	random := mixed(t)
	switch {
	case st == strong:
		return len(t) >= 6 && shape.lower+shape.upper > 0 && (shape.digits > 0 || !identifier(t) || jumbled(t)), true
	case st == middle || st == weak && v.has(header):
		words := !identifier(t) && (strings.Count(t, "-") >= 2 || st == middle && !v.has(header) && shape.lower >= 10)
		secret = len(t) >= 8 && shape.lower+shape.upper > 0 && (random || words ||
			v.has(header) && shape.digits > 0 && len(t) >= 16)
		return secret, secret
	case st == vague && (v.op != ":" || v.has(header)):
		secret = len(t) >= 16 && random && !dotted(t) && entropy(t) > 3 || !identifier(t) && strings.Count(t, "-") >= 3
		return secret, secret
	}
	return false, false
}

// random reports whether a variable's value looks like camel case by chance: too long and too mixed for a name.
func (v value) random() bool {
	return v.has(env) && len(v.text) >= 20 && mixed(v.text) && entropy(v.text) > 3.8
}

func (v value) hasLetterAndDigit(shape shapeOf) bool {
	return shape.digits > 0 && shape.lower+shape.upper > 0
}

// allowedOp reports whether the operator is acceptable for names that are also words of prose.
func (v value) allowedOp() bool { return v.op != "is" || mixed(v.text) }

// password reports whether the value of a strong name is a secret.
func (v value) password(shape shapeOf) bool {
	t := v.text
	if shape.lower+shape.upper == 0 && (shape.digits < 6 || !v.has(quoted)) {
		return v.has(whole) && shape.digits >= 8 && shape.digits == len(t) && distinct(t) >= 5
	}
	word := shape.digits == 0 && (label(t) || hasSecretName(t) && !v.has(sure) || identifier(t) && !jumbled(t))
	if word {
		return false
	}
	if numbered(t) && !v.has(quoted) {
		return false
	}
	if v.has(quoted) && (v.op != "," && v.op != "is" || v.has(sure)) {
		return !strings.ContainsAny(t, "()<>") && !strings.HasSuffix(t, ":")
	}
	if len(t) < 6 {
		return false
	}
	telling := v.hasLetterAndDigit(shape) && !dateLike(t) || v.has(sure) && (v.op != " " || len(t) >= 10)
	if telling {
		return true
	}
	hyphens := v.has(quoted) && v.op == "is" && strings.Count(t, "-") >= 2
	return hyphens || v.op != "is" && v.op != "," && (shape.lower+shape.upper > 0 &&
		strings.ContainsAny(t, "!@#$%^&*+?") ||
		shape.lower > 1 && shape.upper > 1 && jumbled(t))
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

// dateLike reports whether a value begins with a year or a time.
func dateLike(t string) bool {
	return len(t) >= 8 && is(t[0], digit) && is(t[1], digit) && strings.Count(t, "-")+strings.Count(t, ":") >= 2
}

// plausible reports whether a word where a password is expected looks like one, not like prose.
func plausible(v string) bool {
	t := shapeIn(v)
	return len(v) >= 6 && !placeholder(v) && !path(v) && !numbered(v) && t.lower+t.upper > 0 && (t.digits > 0 ||
		strings.ContainsAny(v, "!@#$%^&*+?") || jumbled(v))
}

// userPassword reports whether a value is user:password in base64.
func userPassword(v string) bool {
	if len(v) < 8 {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || !utf8.Valid(plain) || strings.IndexByte(string(plain), ':') < 1 {
		return false
	}
	return !slices.ContainsFunc(plain, func(c byte) bool { return c < ' ' })
}
