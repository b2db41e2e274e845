package payload

import (
	"strings"

	"recall/internal/escape"
	"recall/internal/text"
)

// Data returns a transcript's text as one line of data for a model, clipped to at most so many characters (0: no
// limit).
func Data(s string, most int) string {
	s = escape.Line(s, escape.Model)
	if most > 0 {
		s = text.Clip(s, most)
	}
	return s
}

// HarmlessPage neutralizes a rendered payload for a model: except for its two markers, nothing in it can open a
// client's tags or end the marker.
func HarmlessPage(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		own := i == 0 && strings.HasPrefix(line, "<!-- recall") || i >= len(lines)-2 &&
			strings.TrimSpace(line) == "<!-- /recall -->"
		if !own {
			lines[i] = escape.Text(line, escape.Model)
		}
	}
	return strings.Join(lines, "")
}

// WithoutMarkers returns a rendered payload, and any text after it, for a person: without the markers. Its heading
// still identifies it where it is pasted.
func WithoutMarkers(text string) string {
	if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "<!-- recall") {
		text = rest
	}
	return strings.Replace(text, "<!-- /recall -->\n", "", 1)
}
