package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
	txt "recall/text"
)

// Answer prints an answer as text, its results by the numbers that name them from now on.
func (p *Page) Answer(a *answer.Answer) {
	p.shown = a.Shown
	p.Form("answer", a)
}

// First prints the first result alone, in as few lines as it takes.
func (p *Page) First(a *answer.Answer) {
	if a.Verdict == answer.Nothing || len(a.Shown) == 0 {
		fmt.Fprintln(p.W, "Nothing.")
		return
	}
	p.Form("answer/further", a.Shown[:1])
}

// Changes tells which of the files that an item speaks of were changed since.
func (p *Page) Changes(since map[string]int) {
	var files []string
	for _, file := range slices.Sorted(maps.Keys(since)) {
		files = append(files, fmt.Sprintf("%s (%s)", Line(file), answer.Count(since[file], "commit")))
	}
	if len(files) > 0 {
		p.Wrapped("  files changed since: ", "    ", strings.Join(files, ", "), "")
	}
}

// besides prints a sentence and a place behind it, on a line of its own where it
// doesn't fit.
func (p *Page) besides(mark, text, where string) {
	rest := blanks(mark)
	lines := Wrap(text, p.Width-len(rest))
	last := len(lines) - 1
	if utf8.RuneCountInString(lines[last])+3+utf8.RuneCountInString(where) <= p.Width-len(rest) {
		lines[last] += "   " + where
	} else {
		lines = append(lines, where)
	}
	p.lines(mark+" ", rest, lines, "")
}

// Worded reports whether an answer is shown as a paragraph where one is asked for.
func Worded(a *answer.Answer) bool {
	return a.Text != nil && (len(a.Listed) == 0 || a.Text.By != answer.ByRules)
}

// Paragraph prints an answer as one paragraph, each sentence with the number of its
// sources, and the sources below.
func (p *Page) Paragraph(a *answer.Answer) {
	if !Worded(a) {
		p.Answer(a)
		return
	}
	text, sources := a.Text.Cited()
	p.Form("paragraph", struct {
		*answer.Answer
		Cited   string
		Sources []index.Placed
	}{a, text, sources})
}

// Markdown prints an answer to be pasted elsewhere.
func (p *Page) Markdown(a *answer.Answer) { p.Form("markdown", a) }

// literal keeps text from being taken for Markdown's own signs.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|",
		`\|`).Replace(Line(s))
}

// autolinks are what a forge makes of names and numbers: whom it calls, which issue it closes.
var autolinks = txt.Pattern(`(?i)[#@]\w|\bgh-\d|/(?:issues|pulls?|merge_requests|work_items)/\d`)

// unlinked is text of which a forge makes no links, each broken by something.
func unlinked(by, s string) string {
	return autolinks().ReplaceAllStringFunc(s, func(link string) string {
		last := len(link) - 1
		return link[:last] + by + link[last:]
	})
}

// inert is Markdown of recall's own as a forge shows it to others: nobody is called, no issue closed, no picture
// fetched. What stands in code does nothing anyway; where it isn't plain what does, nothing is code.
func inert(s string) string {
	plain := func(s string) string {
		return unlinked("<!-- -->", strings.NewReplacer("&", "&amp;", "<", "&lt;", "![", `!\[`).Replace(s))
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

// code is Markdown that shows text as code, whatever is in it.
func code(s string) string {
	fence, space := "`", ""
	for strings.Contains(s, fence) {
		fence, space = fence+"`", " "
	}
	return fence + space + s + space + fence
}
