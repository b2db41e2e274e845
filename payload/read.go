package payload

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"recall/internal/escape"
	"recall/internal/text"
)

// Doc is a parsed payload.md, possibly edited by a person.
type Doc struct {
	Title string
	IDs   []ItemID // from the head marker: what the page showed when rendered; nil if there is none
	Lines []Line
	cut   bool // it has recall's head marker but no end marker
}

// Line is one item of a Doc, with what a line can express: kind, text, why, alternatives, scope, path, status,
// pinned, and state Done for a ticked box. It has no id; see Merge.
type Line struct {
	N    int // 1-based line number
	Item Item

	odd  string // its heading, if that names no kind
	said string // the line without its bullet
}

// IsCutNote reports whether a line only counts what a page has no room for.
func IsCutNote(line string) bool { return cutNote().MatchString(line) }

// settle makes a line under an odd heading an item of a kind; if none is given, a Flag prefixed with the heading.
func (l *Line) settle(kind Kind) {
	said := l.said
	if kind == "" {
		kind, said = Flag, l.odd+": "+said
	}
	l.Item, l.odd = parseItem(kind, said), ""
}

var (
	headMark     = text.Pattern(`^<!--\s*recall((?:\s+[0-9a-z]{10})*)\s*-->$`)
	endMark      = text.Pattern(`^<!--\s*/recall\s*-->$`)
	anyMark      = text.Pattern(`^<!--\s*/?recall\b`)
	wholeComment = text.Pattern(`^<!--.*-->$`)
	headingStart = text.Pattern(`^#{1,6}(?: |$)`)
	bullet       = text.Pattern(`^(?:[-*+•]|\d{1,9}[.)])(?:\s+|$)`)
	cutNote      = text.Pattern(`^(?:…|\.\.\.) and \d+ more(?:: recall show\b| left out$)`)
	conflict     = text.Pattern(`^(?:<{7} |={7}$|>{7} )`) // git's conflict markers
	rule         = text.Pattern(`^(?:-{3,}|\*{3,}|_{3,})$`)
)

// Read reads a payload.md, tolerating what people do in an editor: other bullets or none, another order, blank lines,
// Windows line endings, wrapped lines, renamed sections. Lines under a heading of their own become Flags. A line that
// can't be an item is an error that names it; only comments and horizontal rules are skipped silently.
func Read(md string) (*Doc, error) {
	doc, err := read(md)
	if err != nil {
		return nil, err
	}
	for i := range doc.Lines {
		if l := &doc.Lines[i]; l.odd != "" {
			l.settle("")
		}
	}
	return doc, nil
}

// read is Read, but leaves lines under odd headings undecided.
func read(md string) (*Doc, error) {
	r := reader{doc: new(Doc)}
	md = strings.TrimPrefix(md, "\uFEFF")
	md = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(md)
	for i, line := range strings.Split(md, "\n") {
		r.n = i + 1
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.n, err)
		}
	}
	r.flush()
	r.doc.cut = r.head && !r.tail
	return r.doc, nil
}

type reader struct {
	doc    *Doc
	n      int
	kind   Kind   // of the section; "" before the first and under an odd heading
	odd    string // heading of a section that names no kind
	titled bool   // the first heading was read
	head   bool   // the head marker was read
	tail   bool   // the end marker was read

	open   string // the item being read
	openN  int
	isBare bool // it began without a bullet
	isOpen bool
}

func (r *reader) line(raw string) error {
	s := strings.TrimSpace(visible(raw))
	switch {
	case s == "" || rule().MatchString(s):
		r.flush()
		return nil
	case strings.HasPrefix(s, "<!--"):
		r.flush()
		return r.comment(s)
	case headingStart().MatchString(s):
		r.flush()
		r.heading(s)
		return nil
	case conflict().MatchString(s):
		return fmt.Errorf("a merge conflict leaves two versions of the file here; keep one")
	case strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~"):
		return fmt.Errorf("a code block can't be an item; put it on one line with a bullet")
	case r.kind == "" && r.odd == "":
		return r.beforeSections(s)
	case cutNote().MatchString(s):
		r.flush()
		return nil
	}
	r.item(raw, s)
	return nil
}

func (r *reader) comment(s string) error {
	if m := headMark().FindStringSubmatch(s); m != nil {
		if r.head {
			return fmt.Errorf("a second payload begins here; keep one")
		}
		r.head = true
		for _, id := range strings.Fields(m[1]) {
			r.doc.IDs = append(r.doc.IDs, ItemID(id))
		}
		return nil
	}
	switch {
	case endMark().MatchString(s):
		r.tail = true
	case anyMark().MatchString(s):
		return fmt.Errorf("recall's marker is damaged; it reads <!-- recall ID ID … --> or <!-- /recall -->")
	case !wholeComment().MatchString(s):
		return fmt.Errorf("a comment must end on its line")
	}
	return nil
}

func (r *reader) heading(s string) {
	level := len(s) - len(strings.TrimLeft(s, "#"))
	name := strings.TrimSpace(strings.Trim(s, "#"))
	if level == 1 && r.kind == "" && r.odd == "" && !r.titled {
		r.titled = true
		r.doc.Title = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, pageTitle), ":"))
		r.doc.Title = commentEsc().ReplaceAllString(r.doc.Title, "<$1!--")
		return
	}
	r.kind, r.odd = KindOf(name), ""
	if r.kind == "" {
		r.odd = cmp.Or(name, "Note")
	}
}

// beforeSections skips the line under the title, which is generated; other text there belongs to no section.
func (r *reader) beforeSections(s string) error {
	if s == "Session" || strings.HasPrefix(s, "Session ") || strings.Contains(s, " · ") {
		return nil
	}
	return fmt.Errorf("text before the first section; put it under a heading such as %q", "## Decisions made")
}

func (r *reader) item(raw, s string) {
	mark := bullet().FindString(s)
	indented := raw[0] == ' ' || raw[0] == '\t'
	if r.isOpen && mark == "" && (indented || r.isBare) {
		r.open += " " + s
		return
	}
	r.flush()
	r.open, r.openN = s[len(mark):], r.n
	r.isBare, r.isOpen = mark == "", true
}

func (r *reader) flush() {
	if !r.isOpen {
		return
	}
	r.isOpen = false
	if it := parseItem(r.kind, r.open); it.Text != "" || it.Path != "" {
		r.doc.Lines = append(r.doc.Lines, Line{N: r.openN, Item: it, odd: r.odd, said: r.open})
	}
}

// visible is oneLine, but keeps the no-break space that distinguishes a dash within a text from a separator.
func visible(s string) string {
	parts := strings.Split(s, "\u00a0—")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "\u00a0", " ")
	}
	text := escape.Page(strings.Join(parts, "\u00a0—"), escape.Markdown)
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }), " ")
}
