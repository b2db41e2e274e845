package redact

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"recall/internal/text"
)

// maxNested bounds how many levels of JSON strings within one another are unescaped.
const maxNested = 5

// encodedMarks tell, besides a backslash, a line with something to undo: a quote or an equals sign as in a URL.
// joinMarks are what may follow a piece of a string.
var (
	encodedMarks = []string{"%22", "%3d", "&quot;"}
	joinMarks    = []string{`" +`, `' +`, "` +", `" . "`, `' . '`, `" ..`, `' ..`, `" &`, `' ||`, `" ||`, `" <>`, "\"\n", "'\n", "`\n", "\" \\\n", "' \\\n"}
)

// nested also examines the lines of a text that contain escapes, with those undone, and adds what it finds to found. A
// JSON string contains no line ends of its own, so line by line is enough.
func (r *Redactor) nested(text string) {
	r.linesWith(text, `\`)
	if r.scan.undo {
		for _, mark := range append(encodedMarks, "%3D") {
			r.linesWith(text, mark)
		}
		for _, quote := range []byte("\"'`") {
			r.joined(text, quote)
		}
	}
}

// joined also examines strings in pieces, put together in their line.
func (r *Redactor) joined(t string, quote byte) {
	for at := 0; ; at++ {
		i := strings.IndexByte(t[at:], quote)
		if i < 0 {
			return
		}
		at += i
		if at+1 == len(t) || !is(t[at+1], gap) || !text.AnyOf(t[at:], strings.HasPrefix, joinMarks...) {
			continue
		}
		begin := strings.LastIndexByte(t[:at], '\n') + 1
		open := strings.LastIndexByte(t[begin:at], quote) + begin
		line, _, _ := strings.Cut(strings.TrimLeft(t[at+1:min(len(t), at+mostGlue)], "+&|<>\\ \t\r\n"), "\n")
		listed := line == "" || strings.IndexByte("}]#/,:", line[0]) >= 0
		if open < begin || listed || is(line[0], alnum) && !text.AnyOf(line, strings.Contains, "+=", ".=") {
			continue
		}
		from, to, joined := pieces(t, open)
		if joined == "" {
			continue
		}
		line = t[begin:from]
		r.inner.look(line + joined + t[at:at+1])
		for _, f := range r.inner.found {
			if f.to > len(line) {
				r.scan.found = append(r.scan.found, span{from: from, to: to, kind: f.kind, rank: f.rank + 1<<20})
			}
		}
		at = max(at, to)
	}
}

func (r *Redactor) linesWith(text, mark string) {
	for at := 0; ; {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			return
		}
		from := strings.LastIndexByte(text[at:at+i], '\n') + 1 + at
		to := len(text)
		if n := strings.IndexByte(text[at+i:], '\n'); n >= 0 {
			to = at + i + n
		}
		for to < len(text) && to-from < mostJoined && strings.HasSuffix(strings.TrimRight(text[from:to], " \t\r"), `\`) {
			next, _, _ := strings.Cut(text[to+1:], "\n")
			to += 1 + len(next)
		}
		r.unescapeLine(text[from:to], from, mark[:1])
		at = to
	}
}

func (r *Redactor) unescapeLine(line string, from int, begins string) {
	places := []jumps{}
	for range maxNested {
		plain, moved := unescaped(line, begins)
		if len(moved) == 0 {
			return
		}
		line, places = plain, append(places, moved)
		r.inner.look(plain)
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

// unnumbered drops the numbers that clients print before a file's lines, "    12→": they stand between pieces of a
// value and before names that begin a line.
func unnumbered(text string) (plain string, moved jumps) {
	var b strings.Builder
	from, at := 0, 0 // of what isn't written yet, of what isn't searched
	for i := strings.Index(text, "→"); i >= 0; i = strings.Index(text[at:], "→") {
		end, begin := at+i, at+i
		for begin > from && is(text[begin-1], blank|digit) {
			begin--
		}
		at = end + len("→")
		if begin < end && is(text[end-1], digit) && (begin == 0 || text[begin-1] == '\n') {
			b.WriteString(text[from:begin])
			from = at
			moved = append(moved, struct{ plain, escaped int }{b.Len(), at})
		}
	}
	if moved == nil {
		return text, nil
	}
	b.WriteString(text[from:])
	return b.String(), moved
}

// unescaped decodes what begins with a backslash or a percent sign: the escapes of strings and of URLs.
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

// unescape decodes one escape; n is 0 if there is none.
func unescape(t string) (c string, n int) {
	if t[0] == '%' && len(t) > 2 {
		if v, err := strconv.ParseUint(t[1:3], 16, 8); err == nil && v < utf8.RuneSelf {
			return string(rune(v)), 3
		}
	}
	if strings.HasPrefix(t, "&quot;") {
		return `"`, len("&quot;")
	}
	if t[0] != '\\' {
		return "", 0
	}
	if strings.HasPrefix(t, "\\\n") {
		return "", skip(t, 2, blank, 40)
	}
	if len(t) < 2 {
		return "", 0
	}
	if strings.IndexByte(`"'\/`, t[1]) >= 0 {
		return t[1:2], 2
	}
	if strings.IndexByte("ntrxu", t[1]) >= 0 {
		if c, wide, rest, err := strconv.UnquoteChar(t, 0); err == nil && (wide || c < utf8.RuneSelf) {
			return string(c), len(t) - len(rest)
		}
	}
	return "", 0
}
