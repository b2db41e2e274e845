package offline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recall/ingest"
	"recall/internal/text"
)

// block is the kind of passage that a sentence is in.
type block uint8

const (
	paragraph block = iota
	listItem
	quoted // a Markdown quotation
	row    // of a table
)

// A sentence is one statement of a message.
type sentence struct {
	from, to int    // byte range in the message
	text     string // these bytes without markup, on one line
	block    block
	opens    bool // first of its block
	pasted   bool // looks like output or code pasted into a message

	cues cueSet

	list int       // of the lists of its message, which it is in if it is an item
	head *sentence // the heading right above, if it is a list's first item
}

// sentences splits a message into sentences, without rules and code blocks, unless code asks for the single lines that
// are announced; none goes on where a line of somebody else's begins. In casual writing, which is what people type, a
// sentence may begin with a small letter.
func sentences(text string, casual, code bool, foreign []ingest.Foreign) []sentence {
	p := parts{text: text, casual: casual}
	fenced, others := false, false
	opened := 0 // where the code block begins
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}
		from := at
		at = end + 1
		line := strings.TrimSpace(text[from:end])
		was := others
		others = slices.ContainsFunc(foreign, func(f ingest.Foreign) bool { return f.From <= from && from < f.To })
		if others != was {
			p.flush()
		}
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			p.flush()
			if fenced = !fenced; fenced {
				opened = from
				break
			}
			if code {
				p.show(opened, end)
			}
			p.head = nil
		case fenced:
		case line == "":
			p.flush()
		case isRule(line):
			p.flush()
			if n := len(p.out); line[0] == '|' && n > 0 && p.out[n-1].block == row {
				p.out = p.out[:n-1] // a table's head says nothing
			}
		default:
			p.line(from, end, line)
		}
	}
	p.flush()
	return p.out
}

// parts is the state of splitting a message: it collects one block at a time.
type parts struct {
	text   string
	casual bool
	out    []sentence

	open     bool
	from, to int
	kind     block
	mark     string    // of a list item that says how far it is: "[x]", "🚧"
	list     int       // number of the list: what says what follows begins another
	head     *sentence // the heading right above, if there is one
}

func (p *parts) start(from, to int, kind block) {
	p.flush()
	p.open, p.from, p.to, p.kind, p.mark = true, from, to, kind, ""
	if kind == paragraph {
		p.heads()
	}
}

// heads begins another list, or what is none.
func (p *parts) heads() {
	p.head = nil
	p.list++
}

// headed takes a line for the heading of the list below it.
func (p *parts) headed(from int, line string) {
	p.flush()
	p.heads()
	said := strings.TrimLeft(line, "# ")
	p.head = &sentence{from: from + len(line) - len(said), to: from + len(line),
		text: strings.TrimRight(plain(said), ":：!. ") + ":"}
}

// maxShown is the length in bytes up to which a line of code is quoted.
const maxShown = 100

// show adds a code block of one line, by its range, to what announces it right above.
func (p *parts) show(from, to int) {
	code := strings.TrimSpace(p.text[from:to])
	_, code, _ = strings.Cut(code, "\n")
	code = strings.TrimSpace(strings.TrimRight(code, "`~"))
	if code == "" || strings.ContainsAny(code, "\n`") || len(code) > maxShown {
		return
	}
	if h := p.head; h != nil && announces(p.text[h.from:h.to]) {
		said := sentence{from: h.from, to: h.to, text: h.text, opens: true, list: p.list, cues: cuesIn(h.text)}
		p.out = append(p.out, said)
	}
	if n := len(p.out); n > 0 {
		s := &p.out[n-1]
		if announces(s.text) && strings.TrimSpace(p.text[s.to:from]) == "" {
			s.text, s.to = s.text+" `"+code+"`", to
		}
	}
}

// line processes a non-blank line.
func (p *parts) line(from, end int, line string) {
	indent := strings.Index(p.text[from:end], line)
	mark := itemMark(line)
	if p.casual && len(line) == len(strings.TrimSpace(p.text)) { // "A. And when it fails, …" takes an option
		mark = 0
	}
	heading := line[0] == '#' && strings.HasPrefix(strings.TrimLeft(line, "#"), " ") || isBold(line)
	goesOn := p.open && (p.kind == paragraph || p.kind == listItem && indent > 0)
	above := !goesOn && announces(line)
	switch {
	case heading:
		p.headed(from+indent, line)
	case line[0] == '|' && strings.HasSuffix(line, "|"):
		p.start(from+indent, end, row)
		p.flush()
	case line[0] == '>':
		p.start(from+indent+1, end, quoted)
	case mark > 0:
		p.start(from+indent+mark, end, listItem)
		if m := progressMark().FindStringSubmatch(line); m != nil {
			p.mark = m[1] + " "
		}
	case goesOn:
		p.to = end
	case above && len(line) < 60 && !p.casual: // a heading too
		p.headed(from+indent, line)
	default:
		p.start(from, end, paragraph)
	}
}

// flush adds the sentences of the current block.
func (p *parts) flush() {
	if !p.open {
		return
	}
	p.open = false
	raw := p.text[p.from:p.to]
	first, _, _ := strings.Cut(raw, "\n")
	pasted := p.kind == paragraph && looksPasted(first)
	for i, c := range text.Spans(raw, p.casual) {
		s := sentence{from: p.from + c[0], to: p.from + c[1], block: p.kind, opens: i == 0, list: p.list}
		part := raw[c[0]:c[1]]
		s.pasted = pasted || p.kind != row && looksPasted(part)
		s.text = plain(part)
		s.cues = cuesIn(s.text)
		switch p.kind {
		case row:
			s.text = strings.Trim(text.OneLine(strings.ReplaceAll(s.text, "|", " · ")), " ·")
		case listItem:
			s.text, s.head = p.mark+s.text, p.head
			p.mark, p.head = "", nil
		}
		if s.text == "" || onlyLinks(part) {
			continue
		}
		p.out = append(p.out, s)
	}
}

// announces reports whether a text ends in a colon, and so says nothing without what follows.
func announces(s string) bool { return text.AnyOf(s, strings.HasSuffix, ":", "：") }

// onlyLinks reports whether a sentence says no more than where to read on: "Generated with [a tool](…)".
func onlyLinks(s string) bool {
	return strings.Contains(s, "](") && !tells(mdLink().ReplaceAllString(s, " "), 2)
}

// itemMark returns the length of a list item's mark, 0 if a line is no item.
func itemMark(line string) int {
	n := 0
	if r, size := utf8.DecodeRuneInString(line); strings.ContainsRune("-*+•✓✅❌☐", r) {
		n = size
	} else {
		for n < min(3, len(line)) && text.Alnum(line[n]) && (n == 0 || !text.Letter(line[n])) {
			n++
		}
		if n == 0 || n >= len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	if n >= len(line) || line[n] != ' ' {
		return 0
	}
	for _, box := range []string{" [ ] ", " [x] ", " [X] "} {
		if strings.HasPrefix(line[n:], box) {
			n += len(box) - 1
		}
	}
	return n + 1
}

// progressMark matches how a list item says that it is done, or isn't.
var progressMark = text.Pattern(`^(?:[-*+•] |\w{1,3}[.)] )?(\[[ xX]\]|[✅☑✔✓❌🚧⏳🔄⬜☐🔲]\x{FE0F}?) `)

// isBold reports whether a line is a heading in that all of it is bold, and no sentence with its stop.
func isBold(line string) bool {
	s := strings.TrimRight(line, ":")
	return len(s) > 5 && len(s) < 90 && strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") &&
		strings.Count(s, "**") == 2 && !text.AnyOf(s, strings.HasSuffix, ".**", "。**")
}

// isRule reports whether a line is a horizontal rule, perhaps with a title in it, or separates a table from its head.
func isRule(line string) bool {
	return len(line) > 2 && strings.Trim(line, "-*_=─━|: `") == "" || strings.Contains(line, "─────")
}
