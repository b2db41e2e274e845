package sink

import (
	"regexp"
	"strings"
	"sync"
)

// Literal keeps text, as a line, from being taken for Markdown's own signs.
func Literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|",
		`\|`).Replace(Line(s, Terminal))
}

// autolinks are what a forge makes of names and numbers: whom it calls, which issue it closes.
var autolinks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[#@]\w|\bgh-\d|/(?:issues|pulls?|merge_requests|work_items)/\d`)
})

// Unlinked is text of which a forge makes no links, each broken by something.
func Unlinked(by, s string) string {
	return autolinks().ReplaceAllStringFunc(s, func(link string) string {
		last := len(link) - 1
		return link[:last] + by + link[last:]
	})
}

// Inert is Markdown of recall's own as a forge shows it to others: nobody is called, no issue closed, no picture
// fetched. What stands in code does nothing anyway; where it isn't plain what does, nothing is code.
func Inert(s string) string {
	plain := func(s string) string {
		return Unlinked("<!-- -->", strings.NewReplacer("&", "&amp;", "<", "&lt;", "![", `!\[`).Replace(s))
	}
	if strings.Contains(s, "``") || strings.Contains(s, "\\`") || strings.Count(s, "`")%2 > 0 {
		return plain(strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s))
	}
	parts := strings.Split(s, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = plain(parts[i])
	}
	return strings.Join(parts, "`")
}

// Code is Markdown that shows text as code, whatever is in it.
func Code(s string) string {
	fence, space := "`", ""
	for strings.Contains(s, fence) {
		fence, space = fence+"`", " "
	}
	return fence + space + s + space + fence
}
