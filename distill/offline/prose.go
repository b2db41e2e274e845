package offline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/distill/offline/cue"
)

// block says in what kind of passage a sentence stands.
type block int

const (
	paragraph block = iota
	listItem
	quoted // a Markdown quotation
)

// A sentence is one statement of a message: a sentence of a paragraph, or the
// opening sentence of a list item.
type sentence struct {
	From, To int    // its bytes in the message
	Raw      string // those bytes
	Text     string // the same without markup, on one line
	More     string // of a list item: what follows its first sentence, plain
	Block    block
	Lead     string // bold words that open a list item or paragraph, plain
	Label    string // of a numbered or lettered item: "1", "b"
	Depth    int    // indentation of a list item, 0 for the outermost
	Heading  string // nearest heading above, plain
	Section  string // nearest heading above that is marked as one, plain
	Index    int    // place among the message's sentences
	Of       int    // how many there are
	Opens    bool   // first of its block
	Pasted   bool   // it looks like output or code put into a message

	words   terms      // see keys
	weight  float64    // of words, 0 if it wasn't asked for; see weighed
	full    terms      // see names
	said    said       // see cues
	ways    wayBits    // see goes
	rest    []sentence // see rest
	first   *sentence  // of a sentence within a list item: the item's first
	directs bool       // see cues
	chosen  bool       // an answer takes it up, or is it; see replied
}

var (
	fenceLine   = cue.One("^\\s*(```|~~~)")
	headingLine = cue.One(`^\s{0,3}#{1,6}\s+(.*)`)
	boldLine    = cue.One(`^\s*(?:\*\*|__)([^*]{2,80}?):?(?:\*\*|__):?\s*$`)
	itemLine    = cue.One(`^(\s*)(?:[-*+•✓✅❌☐]|(\d{1,2})[.)]|\(?([a-zA-Z])[.)])\s+`)
	quoteLine   = cue.One(`^\s*>\s?`)
	tableLine   = cue.One(`^\s*\|.*\|\s*$`)
	insightLine = cue.One("^`?★ Insight ─*`?$")
	insightEnd  = regexp.MustCompile("(?m)^`?─{5,}`?[ \\t]*$\\n?")
	ruleLine    = cue.One(`^\s*([-*_=─━]\s*){3,}$`)
	checkbox    = cue.One(`^\[[ xX]\]\s+`)
)

// sentences takes a message apart. Code blocks, tables and rules are left out.
func sentences(text string) []sentence { return appendSentences(nil, text, false) }

// typedSentences takes apart what a person typed: many don't care for capitals.
func typedSentences(text string) []sentence { return appendSentences(nil, text, true) }

// appendSentences adds a message's sentences to an empty list.
func appendSentences(out []sentence, text string, casual bool) []sentence {
	heading, section, fenced := "", "", false
	var cur struct {
		from, to, indent int
		kind             block
		label            string
		open             bool
	}
	flush := func() {
		if cur.open {
			n := len(out)
			out = appendPassage(out, text, cur.from, cur.to, cur.kind, cur.label, cur.indent, heading, casual)
			for i := n; i < len(out); i++ {
				out[i].Section = section
			}
		}
		cur.open = false
	}
	start := func(from, to int, kind block, label string, indent int) {
		flush()
		cur.from, cur.to, cur.kind, cur.label, cur.indent, cur.open = from, to, kind, label, indent, true
	}
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}
		line := text[at:end]
		from := at
		at = end + 1
		trimmed := strings.TrimSpace(line)
		marked := mayBeMarked(trimmed)
		if marked && fenceLine.MatchString(line) {
			fenced = !fenced
			flush()
			continue
		}
		if fenced {
			continue
		}
		if marked && !casual && insightLine.MatchString(trimmed) { // what the client's explanatory style teaches beside the work
			flush()
			if end := insightEnd.FindStringIndex(text[at:]); end != nil {
				at += end[1]
			}
			continue
		}
		switch {
		case trimmed == "":
			flush()
		case marked && (tableLine.MatchString(line) || ruleLine.MatchString(line)):
			flush()
		case marked && headingLine.MatchString(line):
			flush()
			heading = plain(headingLine.FindStringSubmatch(line)[1])
			section = heading
		case marked && boldLine.MatchString(line):
			flush()
			heading = plain(boldLine.FindStringSubmatch(line)[1])
			section = heading
		case marked && quoteLine.MatchString(line):
			skip := len(quoteLine.FindString(line))
			start(from+skip, end, quoted, "", 0)
		case marked && itemLine.MatchString(line):
			m := itemLine.FindStringSubmatch(line)
			label := m[2]
			if label == "" {
				label = strings.ToLower(m[3])
			}
			start(from+len(m[0]), end, listItem, label, len(strings.ReplaceAll(m[1], "\t", "  ")))
		case cur.open && (cur.kind == paragraph || cur.kind == listItem && line != strings.TrimLeft(line, " \t")):
			cur.to = end
		default:
			if strings.HasSuffix(trimmed, ":") && len(trimmed) < 60 {
				flush()
				if cuts := splitSentences(line); len(cuts) > 1 && !casual { // "All done. Next steps:"
					if last := line[cuts[len(cuts)-1][0]:cuts[len(cuts)-1][1]]; nextHeading.MatchString(plain(last)) {
						start(from, from+cuts[len(cuts)-2][1], paragraph, "", 0)
						flush()
						trimmed = last
					}
				}
				if casual { // "I get this error:" is no heading alone
					start(from, end, paragraph, "", 0)
					flush()
				}
				heading = plain(strings.TrimSuffix(trimmed, ":"))
				continue
			}
			start(from, end, paragraph, "", 0)
		}
	}
	flush()
	for i := range out {
		out[i].Index, out[i].Of = i, len(out)
	}
	return out
}

// mayBeMarked tells whether a line may be anything but a line of a paragraph, by
// how it begins: with no letter, or with the one of an "a)".
func mayBeMarked(trimmed string) bool {
	if trimmed == "" || !isLetter(trimmed[0]) {
		return trimmed != ""
	}
	return len(trimmed) > 1 && (trimmed[1] == '.' || trimmed[1] == ')')
}

var boldLead = cue.One(`^(?:\*\*|__)(.{1,100}?)(?:\*\*|__)`)

// appendPassage adds the sentences of one block.
func appendPassage(out []sentence, text string, from, to int, kind block, label string, depth int, heading string, casual bool) []sentence {
	raw := text[from:to]
	if strings.HasPrefix(raw, "[") {
		from += len(checkbox.FindString(raw))
		raw = text[from:to]
	}
	lead := ""
	if strings.HasPrefix(raw, "**") || strings.HasPrefix(raw, "__") {
		if m := boldLead.FindStringSubmatch(raw); m != nil {
			lead = plain(m[1])
		}
	}
	cuts := splitAt(raw, casual)
	first, _, _ := strings.Cut(raw, "\n")
	pasted := kind == paragraph && looksPasted(first)
	for i, c := range cuts {
		s := sentence{From: from + c[0], To: from + c[1], Raw: raw[c[0]:c[1]], Block: kind, Label: label,
			Depth: depth, Heading: heading, Opens: i == 0}
		s.Pasted = pasted || looksPasted(s.Raw)
		s.Text = plain(s.Raw)
		if i == 0 {
			s.Lead = lead
		}
		if s.Text == "" {
			continue
		}
		if kind == listItem {
			if i+1 < len(cuts) {
				s.More = plain(raw[c[1]:])
			}
			return append(out, s)
		}
		out = append(out, s)
	}
	return out
}

var abbreviation = cue.One(`(^|[\s(])((?i:e\.g|i\.e|vs|etc|cf|incl|approx|resp)|No|Mr|Ms|Dr|St|Fig|fig|[A-Za-z])\.$`)

// splitSentences returns the byte ranges of a passage's sentences. A full stop
// ends one where white space and a capital, a quote or markup follow.
func splitSentences(s string) [][2]int { return splitAt(s, false) }

// splitAt splits before small letters too where the writing is casual.
func splitAt(s string, casual bool) [][2]int {
	var cuts [][2]int
	from, code, depth := 0, false, 0
	push := func(to int) {
		a, b := from, to
		for a < b && isSpace(s[a]) {
			a++
		}
		for b > a && isSpace(s[b-1]) {
			b--
		}
		if b > a {
			cuts = append(cuts, [2]int{a, b})
		}
		from = to
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '`':
			code = !code
		case c == '\n':
			code, depth = false, 0
		case code:
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		case depth > 0:
		case c == '.' || c == '!' || c == '?':
			j := i + 1
			for j < len(s) && strings.IndexByte(`.!?"')*_`+"`", s[j]) >= 0 {
				j++
			}
			if j >= len(s) || !isSpace(s[j]) {
				continue
			}
			k := j
			for k < len(s) && isSpace(s[k]) {
				k++
			}
			if k >= len(s) {
				continue
			}
			if c == '.' && abbreviation.MatchString(s[max(0, i-8):i+1]) {
				continue
			}
			r, _ := utf8.DecodeRuneInString(s[k:])
			if c != '.' || !unicode.IsLower(r) || casual && i > 2 && isLetter(s[i-1]) && isLetter(s[i-2]) {
				push(j)
				i = j - 1
			}
		}
	}
	push(len(s))
	return cuts
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (s *sentence) listed() bool { return s.Block == listItem }
