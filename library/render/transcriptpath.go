package render

import (
	"fmt"
	"strings"

	"recall/ingest"
)

// A side is where a path is: inside a session's virtual machine, or on the
// computer that it ran on.
type side struct {
	prefix string // of paths there
	mark   string
}

const (
	onVM   = "**VM**"
	onHost = "**host**"
)

// sidesOf lists how a session's paths are told apart, nothing where its source
// doesn't know the difference.
func sidesOf(s *ingest.Session) []side {
	if s.Source != ingest.Cowork {
		return nil
	}
	sides := []side{{"/sessions/", onVM}}
	for _, dir := range append([]string{s.Where.Storage}, s.Where.Folders...) {
		if len(dir) > 1 && !strings.HasPrefix(dir, "/sessions/") {
			sides = append(sides, side{strings.TrimRight(dir, `/\`), onHost})
		}
	}
	return sides
}

// marks says where the paths in a text are, with a space before it; "" if there
// are none that are known.
func (t *transcript) marks(text string) string {
	out := ""
	for _, s := range t.sides {
		if !strings.Contains(out, s.mark) && nextPath(text, 0, s.prefix) >= 0 {
			out += " " + s.mark
		}
	}
	return out
}

// marked is code with the marks of the paths in it.
func (t *transcript) marked(text string) string { return code(text) + t.marks(text) }

// markPaths marks the paths in a turn's Markdown: each behind itself, those of
// a code block behind the block.
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
	for from < len(line) {
		at, found := len(line), side{}
		for _, s := range t.sides {
			if i := nextPath(line, from, s.prefix); i >= 0 && i < at {
				at, found = i, s
			}
		}
		if found.mark == "" {
			break
		}
		end := pathEnd(line, at+len(found.prefix))
		for end < len(line) && (line[end] == '`' || line[end] == ')') {
			end++
		}
		b.WriteString(line[from:end] + " " + found.mark)
		from = end
	}
	return b.String() + line[from:]
}

// nextPath is where the next path with that beginning stands, -1 if nowhere:
// not in the middle of a longer one.
func nextPath(text string, from int, prefix string) int {
	for from < len(text) {
		i := strings.Index(text[from:], prefix)
		if i < 0 {
			return -1
		}
		i += from
		before, end := byte(' '), i+len(prefix)
		if i > 0 {
			before = text[i-1]
		}
		whole := strings.HasSuffix(prefix, "/") || end == len(text) || !isPathByte(text[end]) || text[end] == '/' ||
			text[end] == '\\'
		if whole && (!isPathByte(before) || strings.HasSuffix(text[:i], "://")) {
			return i
		}
		from = i + 1
	}
	return -1
}

// pathEnd is where a path that goes on at at ends, without the punctuation of
// its sentence.
func pathEnd(text string, at int) int {
	end := at
	for end < len(text) && (isPathByte(text[end]) || text[end] == '\\' || text[end] >= 0x80) {
		end++
	}
	for end > at && strings.IndexByte(".,:", text[end-1]) >= 0 {
		end--
	}
	return end
}

func isPathByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("/._-+@%~:,=#", c) >= 0
}

// files lists what was given to a Cowork session and what it produced.
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
		if f.Path != "" {
			t.buf.WriteString(" · " + code(oneLine(f.Path, 300)) + " " + onHost)
		}
		t.buf.WriteByte('\n')
	}
}
