package redact

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNested is how many strings of JSON within one another are looked into.
const maxNested = 5

// nested looks at the lines of a text that hold escapes as they read without
// them, and adds to found what stands there. A JSON string has no line ends of
// its own, so that a line is all that there is to unescape.
func (r *Redactor) nested(text string) {
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\\')
		if i < 0 {
			return
		}
		from := strings.LastIndexByte(text[at:at+i], '\n') + 1 + at
		to := len(text)
		if n := strings.IndexByte(text[at+i:], '\n'); n >= 0 {
			to = at + i + n
		}
		r.unescapeLine(text[from:to], from)
		at = to
	}
}

func (r *Redactor) unescapeLine(line string, from int) {
	places := []jumps{}
	for range maxNested {
		plain, moved := unescaped(line)
		if len(moved) == 0 {
			return
		}
		line, places = plain, append(places, moved)
		r.inner.look(r.rules, plain)
		for _, f := range r.inner.found {
			f.secret = plain[f.from:f.to]
			for i := len(places) - 1; i >= 0; i-- {
				f.from, f.to = places[i].at(f.from), places[i].at(f.to)
			}
			f.from, f.to = f.from+from, f.to+from
			f.rank += 1 << 20
			r.scan.found = append(r.scan.found, f)
		}
	}
}

// jumps are the places of a plain text behind which it is shorter than the
// escaped one.
type jumps []struct{ plain, escaped int }

// at returns where in the escaped text a place of the plain one is.
func (j jumps) at(plain int) int {
	i := sort.Search(len(j), func(i int) bool { return j[i].plain > plain })
	if i == 0 {
		return plain
	}
	return j[i-1].escaped + plain - j[i-1].plain
}

// unescaped reads a text as a JSON string is read; what isn't an escape stays.
func unescaped(text string) (plain string, moved jumps) {
	var b strings.Builder
	for at := 0; ; {
		i := strings.IndexByte(text[at:], '\\')
		if i < 0 {
			if moved == nil {
				return text, nil
			}
			b.WriteString(text[at:])
			return b.String(), moved
		}
		b.WriteString(text[at : at+i])
		at += i
		c, n := escape(text[at:])
		if n == 0 {
			b.WriteByte('\\')
			at++
			continue
		}
		b.WriteRune(c)
		at += n
		moved = append(moved, struct{ plain, escaped int }{b.Len(), at})
	}
}

// escape reads one escape; n is 0 if there is none.
func escape(t string) (c rune, n int) {
	if len(t) < 2 {
		return 0, 0
	}
	switch t[1] {
	case '"', '\\', '/':
		return rune(t[1]), 2
	case 'n', 't', 'r':
		return rune("\n\t\r"[strings.IndexByte("ntr", t[1])]), 2
	case 'u':
		if len(t) >= 6 {
			if v, err := strconv.ParseUint(t[2:6], 16, 16); err == nil && utf8.ValidRune(rune(v)) {
				return rune(v), 6
			}
		}
	}
	return 0, 0
}
