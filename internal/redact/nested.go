package redact

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"recall/internal/text"
)

const maxJoined = 4 << 10 // bytes of an expression over several lines

// maxNested bounds how many levels of JSON strings within one another are unescaped.
const maxNested = 5

// joined matches what stands between the pieces of a string that code puts together: an operator of some language, or
// the end of a line.
var joined = text.Pattern(`\A["'\x60]\s{0,40}(?:\+\s{1,40})?(?:` + joining + `)\s{0,40}(?:[+-]\s{1,40})?["'\x60]|` +
	`\A(?:"[ \t]{0,8}\\?\r?\n[ \t]{0,40}"|'[ \t]{0,8}\\?\r?\n[ \t]{0,40}')`)

const joining = `\+\+?|\.\.?|&(?:[ \t]_)?|\|\||<>`

// goesOnAfter and goesOnWith match the end and the beginning of lines between which such an operator stands.
var (
	goesOnAfter = text.Pattern(`["'\x60][ \t]{0,40}(?:` + joining + `)\z`)
	goesOnWith  = text.Pattern(`\A(?:\+[ \t]{1,40})?(?:` + joining + `)[ \t]{0,40}["'\x60]`)
)

// joins are what such a place begins with.
var joins = []string{`" +`, `' +`, "` +", `" . "`, `' . '`, `" ..`, `' ..`, `" &`, `' ||`, `" ||`, `" <>`,
	"\"\n", "'\n", "`\n", "\" \\\n", "' \\\n"}

// undone tell, besides a backslash, a line with something to undo: a join, or a quote or equals sign as in a URL.
var undone = append([]string{"%22", "%3d"}, joins...)

// nested also examines the lines of a text that contain escapes or strings in pieces, with those undone, and adds what
// it finds to found. A JSON string contains no line ends of its own, so line by line is enough.
func (r *Redactor) nested(text string) {
	r.linesWith(text, `\`, `\`)
	if r.scan.undo {
		for _, mark := range append(undone, "%3D") {
			r.linesWith(text, mark, "\"'`%")
		}
	}
}

func (r *Redactor) linesWith(text, mark, begins string) {
	for at := 0; ; {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			return
		}
		from := strings.LastIndexByte(text[at:at+i], '\n') + 1 + at
		if before := strings.TrimRight(text[at:max(at, from-1)], " \t\r"); before != "" &&
			strings.IndexByte("(=:", before[len(before)-1]) >= 0 {
			from = strings.LastIndexByte(before, '\n') + 1 + at // the name stands above the value
		}
		to := len(text)
		if n := strings.IndexByte(text[at+i:], '\n'); n >= 0 {
			to = at + i + n
		}
		for to < len(text) && to-from < maxJoined && goesOn(text[from:to], text[to+1:]) {
			next, _, _ := strings.Cut(text[to+1:], "\n")
			to += 1 + len(next)
		}
		r.unescapeLine(text[from:to], from, begins)
		at = to
	}
}

// goesOn reports whether a string goes on in the next line.
func goesOn(line, rest string) bool {
	line, rest = strings.TrimRight(line, " \t\r"), strings.TrimLeft(rest, " \t")
	if line == "" {
		return false
	}
	last := line[len(line)-1]
	ends := last == '"' || last == '\'' || last == '`'
	return last == '\\' || goesOnAfter().MatchString(line[max(0, len(line)-48):]) ||
		ends && rest != "" && (rest[0] == last || goesOnWith().MatchString(rest))
}

func (r *Redactor) unescapeLine(line string, from int, begins string) {
	places := []jumps{}
	for range maxNested {
		plain, moved := unescaped(line, begins)
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

// unescaped decodes what begins with one of some characters: the escapes of a JSON string, the joins of others.
func unescaped(line, begins string) (plain string, moved jumps) {
	var b strings.Builder
	for at := 0; ; {
		i := strings.IndexAny(line[at:], begins)
		if i < 0 {
			if moved == nil {
				return line, nil
			}
			b.WriteString(line[at:])
			return b.String(), moved
		}
		b.WriteString(line[at : at+i])
		at += i
		c, n := unescape(line[at:])
		if n == 0 {
			b.WriteByte(line[at])
			at++
			continue
		}
		b.WriteString(c)
		at += n
		moved = append(moved, struct{ plain, escaped int }{b.Len(), at})
	}
}

// unescape decodes one escape or join; n is 0 if there is none.
func unescape(t string) (c string, n int) {
	if t[0] == '%' && len(t) > 2 {
		if v, err := strconv.ParseUint(t[1:3], 16, 8); err == nil && v < utf8.RuneSelf {
			return string(rune(v)), 3
		}
	}
	if t[0] != '\\' {
		return "", len(joined().FindString(t))
	}
	if strings.HasPrefix(t, "\\\n") {
		return "", skip(t, 2, blank, 40)
	}
	if len(t) < 2 {
		return "", 0
	}
	switch t[1] {
	case '"', '\'', '\\', '/':
		return t[1:2], 2
	case 'x':
		if len(t) >= 4 {
			if v, err := strconv.ParseUint(t[2:4], 16, 8); err == nil && v < utf8.RuneSelf {
				return string(rune(v)), 4
			}
		}
	case '0', '1':
		if len(t) >= 4 {
			if v, err := strconv.ParseUint(t[1:4], 8, 7); err == nil {
				return string(rune(v)), 4
			}
		}
	case 'n', 't', 'r':
		return string("\n\t\r"[strings.IndexByte("ntr", t[1])]), 2
	case 'u':
		if len(t) >= 6 {
			if v, err := strconv.ParseUint(t[2:6], 16, 16); err == nil && utf8.ValidRune(rune(v)) {
				return string(rune(v)), 6
			}
		}
	}
	return "", 0
}
