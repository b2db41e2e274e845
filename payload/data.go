package payload

import (
	"strings"

	"recall/sink"
	"recall/text"
)

// Data is a transcript's text as one line to put before a model as data: at most so many characters (0: any), the cut
// marked.
func Data(s string, most int) string {
	s = sink.Line(s, sink.Model)
	if most > 0 {
		s = text.Clip(s, most)
	}
	return s
}

// HarmlessPage is a rendered payload whose items can't open a client's tags or end its marker: all but its two markers
// is as a model may read it.
func HarmlessPage(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		own := i == 0 && strings.HasPrefix(line, "<!-- recall") || i >= len(lines)-2 &&
			strings.TrimSpace(line) == "<!-- /recall -->"
		if !own {
			lines[i] = sink.Text(line, sink.Model)
		}
	}
	return strings.Join(lines, "")
}

// ToRead is a rendered payload, and what is said behind it, for a person: without its markers, which no item can hold.
// By its heading it is known where it is pasted.
func ToRead(text string) string {
	if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "<!-- recall") {
		text = rest
	}
	return strings.Replace(text, "<!-- /recall -->\n", "", 1)
}
