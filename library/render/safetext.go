package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/escape"
)

// oneLine returns text on one line, cut to max characters with an ellipsis.
func oneLine(text string, max int) string {
	if len(text) > 8*max { // a tool's input may be long; the head is enough
		text = strings.ToValidUTF8(text[:8*max], "")
	}
	text = escape.Line(text, escape.Markdown)
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:max]), " ") + "…"
}

// code returns text as inline code, whatever backticks it contains.
func code(text string) string {
	switch {
	case text == "":
		return ""
	case strings.IndexByte(text, '`') < 0:
		return "`" + text + "`"
	}
	run, longest := 0, 0
	for _, r := range text {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + text + " " + fence
}

// plainText escapes a line so that Markdown shows it unchanged.
func plainText(text string) string {
	return markdownEscapes.Replace(text)
}

var markdownEscapes = strings.NewReplacer("<", "&lt;", "`", "\\`", "*", "\\*", "[", "\\[", "\\", "\\\\")

// quoted returns Markdown as a quotation.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n> ")
}

// safeMarkdown keeps a turn's Markdown from affecting other turns: it may not contain HTML (an anchor, a closing
// </details>, a comment that hides what follows) or headings like another turn's, and open code blocks are closed.
func safeMarkdown(text string) string {
	text = escape.Text(text, escape.Markdown)
	var b strings.Builder
	b.Grow(len(text) + 64)
	fence := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " ")
		mark := fenceOf(trimmed)
		switch {
		case fence != "":
			if mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.Trim(trimmed, mark[:1]+" ") == "" {
				fence = ""
			}
			b.WriteString(line)
		case mark != "":
			fence = mark
			b.WriteString(line)
		default:
			if strings.HasPrefix(trimmed, "#") {
				b.WriteByte('\\')
				line = strings.TrimLeft(line, " ")
			}
			escapeHTML(&b, line)
		}
	}
	if fence != "" {
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(fence)
	}
	return b.String()
}

// fenceOf returns the run of ``` or ~~~ that a line begins with, "" if none.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 && (mark == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

func beginsTag(c byte) bool { return strings.IndexByte("/!?", c) >= 0 || unicode.IsLetter(rune(c)) }

// escapeHTML writes a line with < as &lt; if it could begin a tag, except between backticks, where Markdown shows it
// anyway.
func escapeHTML(b *strings.Builder, line string) {
	if strings.IndexByte(line, '<') < 0 {
		b.WriteString(line)
		return
	}
	inCode := strings.Count(line, "`")%2 == 0 // with unpaired backticks we can't tell, so escape everything
	open := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '`':
			open = inCode && !open
			b.WriteByte(c)
		case c == '<' && !open && i+1 < len(line) && beginsTag(line[i+1]):
			b.WriteString("&lt;")
		default:
			b.WriteByte(c)
		}
	}
}
