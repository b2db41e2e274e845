package escape

import "strings"

// Literal escapes a line so that Markdown takes nothing in it as markup.
func Literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|",
		`\|`).Replace(Line(s, Terminal))
}

// Code returns Markdown that shows any text as code.
func Code(s string) string {
	fence, space := "`", ""
	for strings.Contains(s, fence) {
		fence, space = fence+"`", " "
	}
	return fence + space + s + space + fence
}
