package redact

import (
	_ "embed"
	"strings"
	"sync"
)

// keyForm is a kind of key that is recognized by its first characters.
type keyForm struct {
	prefix string // case-sensitive
	kind   string
	chars  string // allowed in the rest besides letters and digits
	least  int    // characters after the prefix
	digits int    // required number of digits, to tell it from a name
}

// keyFormTable holds the forms, one a line: prefix, kind, chars, least, digits. They are looser than gitleaks' rules
// for the same keys: they allow for other lengths, for clipped and wrapped keys and for newer forms.
//
//go:embed rules/keyforms.tsv
var keyFormTable string

// keyForms parses the table on first use.
var keyForms = sync.OnceValue(func() (all []keyForm) {
	for _, f := range rowsOf(keyFormTable) {
		all = append(all, keyForm{prefix: f[0], kind: f[1], chars: f[2], least: integer(f[3]), digits: integer(f[4])})
	}
	return all
})

// maxKey is the longest key of any form, in bytes.
const maxKey = 4 << 10

// whole reports whether a form's key must be a whole run, because its prefix is too short to be searched for elsewhere.
func (k keyForm) whole() bool {
	return len(k.prefix) <= 3 && k.least >= 20 && k.prefix != "hf_" && k.prefix != "sk-" && k.prefix != "00D" &&
		!strings.HasSuffix(k.prefix, ".")
}

// detector returns the detector to try at the form's prefix.
func (k keyForm) detector() detector {
	return func(s *scan, from, _ int) {
		to := from + len(k.prefix)
		if s.text[from:to] != k.prefix || !k.begins(s.before(from)) {
			return
		}
		end := k.end(s.text, to)
		v := s.text[to:end]
		t := shapeIn(v)
		if len(v) < k.least || t.digits < k.digits || placeholder(v) {
			return
		}
		hyphenated := strings.ContainsAny(k.chars, "_-") && !mixed(v) && entropy(v) < 4.2
		notTwilio := k.least == 32 && (k.prefix == "SK" || k.prefix == "AC") && (len(v) != 32 || !allHex(v))
		notAWS := k.kind == "aws-key" && (len(v) != 16 || t.lower > 0)
		if hyphenated || notTwilio || notAWS {
			return
		}
		s.add(from, end, k.kind)
	}
}

// begins reports whether a key can begin after a character. It can do so within a name, "calm-hf_…" or "mcp__ghp_…", if
// its prefix can't be a word.
func (k keyForm) begins(before byte) bool {
	if before == '-' || before == '_' {
		return len(k.prefix) >= 4 && k.prefix != "key-" || k.prefix == "hf_" || k.prefix == "SG."
	}
	return !wordChar(before)
}

// end returns where the key whose characters begin at at ends. One that stops too short at a line's end is continued on
// the next line, as terminals wrap.
func (k keyForm) end(t string, at int) int {
	end := run(t, at, alnum, k.chars, maxKey)
	if end-at >= k.least || end >= len(t) || t[end] != '\n' {
		return end
	}
	next := skip(t, end+1, blank, 8)
	if more := run(t, next, alnum, k.chars, maxKey); more-next+end-at >= k.least && more-next >= 4 {
		return more
	}
	return end
}

func allHex(v string) bool { return skip(v, 0, hexa, len(v)) == len(v) }
