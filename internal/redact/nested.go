package redact

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNested bounds how many levels of JSON strings within one another are unescaped.
const maxNested = 5

// nested also examines unescaped the lines of a text that contain escapes, and adds what it finds to found. A JSON
// string contains no line ends of its own, so unescaping line by line is enough.
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

// jumps are the positions in a plain text after which its offset from the escaped one changes.
type jumps []struct{ plain, escaped int }

// at converts a position in the plain text to one in the escaped text.
func (j jumps) at(plain int) int {
	i := sort.Search(len(j), func(i int) bool { return j[i].plain > plain })
	if i == 0 {
		return plain
	}
	return j[i-1].escaped + plain - j[i-1].plain
}

// unescaped decodes the escapes of a JSON string; other backslashes stay.
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
		c, n := unescape(text[at:])
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

// unescape decodes one escape; n is 0 if there is none.
func unescape(t string) (c rune, n int) {
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
