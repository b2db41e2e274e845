package payload

import (
	"slices"
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

// RenderData is Render for a model: except for its two markers, nothing in the page can open a client's tags or end the
// marker, and nothing in a quotation ends it.
func RenderData(p *Payload, o Options) Rendered {
	data := *p
	data.Items = slices.Clone(p.Items)
	for i := range data.Items {
		if it := &data.Items[i]; it.Quoted() {
			it.Text, it.Evidence = Data(it.Text, 0), slices.Clone(it.Evidence)
			for k := range it.Evidence {
				it.Evidence[k].Quote = Data(it.Evidence[k].Quote, 0)
			}
		}
	}
	r := Render(&data, o)
	lines := strings.SplitAfter(r.Text, "\n")
	for i, line := range lines {
		own := i == 0 && strings.HasPrefix(line, "<!-- recall") || i >= len(lines)-2 &&
			strings.TrimSpace(line) == "<!-- /recall -->"
		if !own {
			lines[i] = escape.Text(line, escape.Model)
		}
	}
	r.Text = strings.Join(lines, "")
	return r
}

// WithoutMarkers returns a rendered payload, and any text after it, for a person: without the markers. Its heading
// still identifies it where it is pasted.
func WithoutMarkers(text string) string {
	if head, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(head, "<!-- recall") {
		text = rest
	}
	return strings.Replace(text, "<!-- /recall -->\n", "", 1)
}
