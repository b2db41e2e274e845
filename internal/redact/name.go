package redact

import (
	"slices"
	"strings"

	"recall/internal/text"
)

// strength says how strongly a name suggests a secret.
type strength uint8

const (
	vague  strength = iota // salt, seed: the value must look random
	weak                   // token: so must it, unless it is set
	middle                 // api_key, secret: letters and digits
	strong                 // password: nearly anything in quotes
	number                 // pin: digits are enough
)

var strengths = []string{"vague", "weak", "middle", "strong", "number"}

// secretNames are the words in secrets' names. A whole one counts only as a separate word within a name: the pass of
// storePass and DB_PASS, not that of compass.
var secretNames = func() (all []secretName) {
	for _, f := range wordRows["name"] {
		all = append(all, secretName{f[0], f[1], strength(slices.Index(strengths, f[2])), len(f) > 3})
	}
	return all
}()

type secretName struct {
	literal, kind string
	strength
	whole bool
}

// secretWord indexes secretNames by their literal.
var secretWord = func() map[string]secretName {
	m := map[string]secretName{}
	for _, n := range secretNames {
		m[n.literal], m[n.literal+"s"] = n, n
	}
	return m
}()

// tails are the words that can follow in a secret's name.
var tails = set(words("tails")...)

// nameTail bounds how much of a name is read after its word.
const nameTail = 24

// nameEnd returns where the name around the word text[from:to] ends, and whether it is still a secret's.
func (s *scan) nameEnd(from, to int, whole bool) (end int, ok bool) {
	t := s.text
	withinWord := whole && from > 0 && is(t[from-1], alnum) && !(is(t[from], upper) && !is(t[from-1], upper))
	if withinWord {
		return to, false
	}
	for end = to; end < len(t) && end-to < nameTail; {
		next := end
		if t[next] == '_' || t[next] == '-' && next+1 < len(t) && is(t[next+1], alnum) {
			next++
		}
		piece := next
		switch {
		case next >= len(t):
		case is(t[next], digit):
			next = skip(t, next, digit, nameTail)
		case is(t[next], upper) && next+1 < len(t) && is(t[next+1], lower):
			next = skip(t, next+1, lower, nameTail)
		case is(t[next], upper):
			next = skip(t, next, upper, nameTail)
		default:
			next = skip(t, next, lower, nameTail)
		}
		if next == piece {
			break
		}
		if is(t[piece], letter) && !tails[lowerASCII(t[piece:next])] {
			return end, false
		}
		end = next
	}
	return end, end >= len(t) || !wordChar(t[end])
}

// nameDetector examines a secret's name that ends at to, and masks its value.
func nameDetector(literal, kind string, st strength, whole bool) detector {
	return func(s *scan, from, to int) {
		if literal == "code" && !s.qualified(from, unlocking) {
			return
		}
		end, ok := s.nameEnd(from, to, whole)
		if !ok {
			return
		}
		v, ok := s.valueAfter(s.nameAround(from, end))
		if !ok {
			v, ok = s.valueBefore(from, end)
		}
		table := literal != "pass" || s.before(from) == '_'
		if !ok && !table {
			return
		}
		st, kind := st, kind
		if literal == "key" || literal == "code" {
			switch {
			case literal == "key" && s.qualified(from, qualifiers):
				st = middle
				if s.qualified(from, interfaces) {
					kind = "api-key"
				}
			case literal == "code":
				st = number
			case from == 0 || !is(s.text[from-1], word|blank) || s.qualified(from, ordinaryKeys):
				return
			}
		}
		if table {
			s.column(from, end, kind, st)
		}
		if !ok {
			return
		}
		unlikely := v.op == "," && to-from <= 3 && !v.has(sure) ||
			v.op == ":" && literal == "pass" && !v.has(named) && !is(s.before(from), under) &&
				!(s.text[from] == 'p' && (v.has(sure) || unmistakable(v.text)))
		if unlikely {
			return
		}
		if kind == "token" && v.to-v.from >= 10 {
			name := lowerASCII(s.text[skipBack(s.text, from, 30):to])
			if isPageToken(name) {
				return
			}
			address := strings.IndexByte("?&", s.before(from-len(name)+to-from)) >= 0
			if literal == "signature" && !address {
				return
			}
			v.tell(login, v.has(flag) || address || v.has(env) && strings.HasSuffix(name, "_token"))
			set := v.has(quoted) && v.op != "," || v.op == "=" && !v.has(spaced)
			v.tell(login, literal == "token" && (s.logsIn(from) || set && wordChar(s.before(from))))
		}
		v.tell(pair, kind == "login" || literal == "credential")
		if v.secret(st) {
			s.add(v.from, v.to, kind)
		}
	}
}

// ordinaryKeys are words before "key" that make it no secret: of a table, a cache, a keyboard.
var ordinaryKeys = words("ordinary keys")

// pageWords are words before "token" that make it a page token, or something else that isn't secret.
var pageWords = words("pages")

// isPageToken reports whether a token's name isn't a secret's.
func isPageToken(name string) bool {
	before := strings.TrimRight(strings.TrimSuffix(name, "token"), "_-")
	return text.AnyOf(before, strings.HasSuffix, pageWords...)
}

// logsIn reports whether a token's name is one for logging in, in which case even a hash or a UUID is secret.
func (s *scan) logsIn(from int) bool {
	return s.qualified(from, qualifiers) || from >= 4 && strings.IndexByte("-_", s.text[from-1]) >= 0 &&
		strings.EqualFold(s.text[skipBack(s.text, from, 30):][:2], "x-")
}

// Words that make what follows a credential: a key or token, an API key, a code.
var (
	qualifiers = words("qualifiers")
	interfaces = []string{"api"}
	unlocking  = words("unlocking")
)

// qualified reports whether one of the words precedes a name, separately or as part of it.
func (s *scan) qualified(from int, by []string) bool {
	end := from
	for end > 0 && strings.IndexByte(" -_", s.text[end-1]) >= 0 && from-end < 2 {
		end--
	}
	return slices.ContainsFunc(by, func(w string) bool {
		return len(w) <= end && strings.EqualFold(s.text[end-len(w):end], w)
	})
}
