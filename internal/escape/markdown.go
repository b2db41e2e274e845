package escape

import (
	"regexp"
	"strings"
	"sync"
)

// Literal escapes a line so that Markdown takes nothing in it as markup.
func Literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|",
		`\|`).Replace(Line(s, Terminal))
}

// autolinks matches what a forge turns into links: mentions and issue references.
var autolinks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[#@]\w|\bgh-\d|/(?:issues|pulls?|merge_requests|work_items)/\d`)
})

// Unlinked breaks everything that a forge would turn into a link, by inserting a string.
func Unlinked(by, s string) string {
	return autolinks().ReplaceAllStringFunc(s, func(link string) string {
		last := len(link) - 1
		return link[:last] + by + link[last:]
	})
}

// Inert makes Markdown harmless when a forge shows it to others: nobody is mentioned, no issue closed, no image
// fetched. Code spans are left alone; if it isn't clear what is code, nothing counts as code.
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

// Code returns Markdown that shows any text as code.
func Code(s string) string {
	fence, space := "`", ""
	for strings.Contains(s, fence) {
		fence, space = fence+"`", " "
	}
	return fence + space + s + space + fence
}
