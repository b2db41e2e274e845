package payload

import (
	"strings"
	"unicode/utf8"

	"recall/sink"
)

// Data is text from a transcript as one line that can be put before a model as
// data, at most so many characters, the cut marked; 0 is no limit.
func Data(text string, most int) string {
	text = sink.Line(text, sink.Model)
	if most > 0 && utf8.RuneCountInString(text) > most {
		text = clip(text, most)
	}
	return text
}

// HarmlessPage is a rendered payload whose items can't open a client's tags or
// end the payload's marker: all but its own two markers is as a model may
// read it.
func HarmlessPage(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		own := i == 0 && strings.HasPrefix(line, "<!-- recall") || i >= len(lines)-2 && strings.TrimSpace(line) == "<!-- /recall -->"
		if !own {
			lines[i] = sink.Text(line, sink.Model)
		}
	}
	return strings.Join(lines, "")
}
