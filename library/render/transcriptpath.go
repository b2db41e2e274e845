package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

const (
	inVM   = "/sessions/" // all paths there begin with this
	onVM   = "**VM**"
	onHost = "**host**"
)

// sidesOf returns a pattern for a session's paths that are known to be in its virtual machine or on its host: their
// beginning, and the rest. It is nil if the source makes no such difference.
func sidesOf(s *ingest.Session) *regexp.Regexp {
	if s.Source != ingest.Cowork {
		return nil
	}
	begin := []string{inVM}
	for _, dir := range append([]string{s.Where.Storage}, s.Where.Folders...) {
		if len(dir) > 1 && !strings.HasPrefix(dir, inVM) {
			begin = append(begin, strings.TrimRight(dir, `/\`))
		}
	}
	slices.SortFunc(begin, func(a, b string) int { return len(b) - len(a) })
	for i := range begin {
		begin[i] = regexp.QuoteMeta(begin[i])
	}
	// A folder's own paths come first: otherwise the match could end within a name (app of app2).
	some, rest := "("+strings.Join(begin, "|")+")", `[\w/.+@%~:,=#\\\x{80}-\x{10FFFF}-]*)`
	return regexp.MustCompile(some + `([/\\]` + rest + "|" + some + "(" + rest)
}

var inPath = text.Pattern(`[\w/.+@%~:,=#-]$`)

// A place is where a path in a text ends, and the mark to add there.
type place struct {
	end  int
	mark string
}

// places finds the paths in a text, without the punctuation of the sentence.
func (t *transcript) places(said string) (all []place) {
	if t.sides == nil {
		return nil
	}
	for _, m := range t.sides.FindAllStringSubmatchIndex(said, -1) {
		if m[2] < 0 {
			m = append(m[:2], m[6:]...)
		}
		before, begin, rest := said[:m[0]], said[m[2]:m[3]], said[m[4]:m[5]]
		within := begin != inVM && rest != "" && !strings.ContainsRune(`/\`, rune(rest[0])) && rest[0] < 0x80 ||
			inPath().MatchString(before[max(0, len(before)-1):]) && !strings.HasSuffix(before, "://")
		if within {
			continue // in the middle of a longer path
		}
		p := place{m[3] + len(strings.TrimRight(rest, ".,:")), onHost}
		if begin == inVM {
			p.mark = onVM
		}
		all = append(all, p)
	}
	return all
}

// marks says where the paths in a text are, with a leading space; "" if none are known.
func (t *transcript) marks(text string) (out string) {
	found := t.places(text)
	for _, mark := range []string{onVM, onHost} {
		if slices.ContainsFunc(found, func(p place) bool { return p.mark == mark }) {
			out += " " + mark
		}
	}
	return out
}

// marked is code followed by the marks of the paths in it.
func (t *transcript) marked(text string) string { return code(text) + t.marks(text) }

// markPaths marks the paths in a turn's Markdown: each directly, but those in a code block after the block.
func (t *transcript) markPaths(text string) string {
	if t.marks(text) == "" {
		return text
	}
	var b strings.Builder
	fence, block := "", ""
	for line := range strings.Lines(text) {
		mark := fenceOf(strings.TrimLeft(strings.TrimRight(line, "\r\n"), " "))
		switch {
		case fence == "" && mark != "":
			fence, block = mark, ""
			b.WriteString(line)
		case fence != "" && mark != "" && mark[0] == fence[0] && len(mark) >= len(fence):
			fence = ""
			b.WriteString(line)
			if m := t.marks(block); m != "" {
				b.WriteString(strings.TrimSuffix("\n", line[max(0, len(line)-1):]) + "\n*paths above:*" + m + "\n\n")
			}
		case fence != "":
			block += line
			b.WriteString(line)
		default:
			b.WriteString(t.markLine(line))
		}
	}
	return b.String()
}

func (t *transcript) markLine(line string) string {
	var b strings.Builder
	from := 0
	for _, p := range t.places(line) {
		for p.end < len(line) && (line[p.end] == '`' || line[p.end] == ')') {
			p.end++
		}
		b.WriteString(line[from:p.end] + " " + p.mark)
		from = p.end
	}
	return b.String() + line[from:]
}

// files lists the files given to a Cowork session or produced by it.
func (t *transcript) files(what string, refs []ingest.FileRef) {
	if len(refs) == 0 {
		return
	}
	const most = 100
	t.buf.WriteString("\n" + what + ":\n\n")
	for i, f := range refs {
		if i == most {
			t.buf.WriteString(fmt.Sprintf("- … and %d more\n", len(refs)-most))
			break
		}
		t.buf.WriteString("- " + code(oneLine(f.Name, 200)))
		if kept := t.about.Outputs["outputs/"+f.Name]; kept != "" && !strings.ContainsAny(kept, "<>\n") {
			t.buf.WriteString(" · kept as [" + plainText(kept) + "](<" + kept + ">)")
		}
		if f.Path != "" {
			t.buf.WriteString(" · " + code(oneLine(f.Path, 300)) + " " + onHost)
		}
		t.buf.WriteByte('\n')
	}
}
