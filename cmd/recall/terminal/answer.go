package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
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

// changes tells which of the files that an item speaks of were changed since; "" if none was.
func (p *Page) changes(since map[string]int) string {
	var files []string
	for _, file := range slices.Sorted(maps.Keys(since)) {
		files = append(files, fmt.Sprintf("%s (%s)", Line(file), answer.Count(since[file], "commit")))
	}
	if len(files) == 0 {
		return ""
	}
	return p.Wrapped("  files changed since: ", "    ", strings.Join(files, ", "), "")
}

// besides is a sentence and a place behind it, on a line of its own where it doesn't fit.
func (p *Page) besides(mark, text, where string) string {
	rest := blanks(mark)
	lines := Wrap(text, p.Width-len(rest))
	last := len(lines) - 1
	if utf8.RuneCountInString(lines[last])+3+utf8.RuneCountInString(where) <= p.Width-len(rest) {
		lines[last] += "   " + where
	} else {
		lines = append(lines, where)
	}
	return p.lines(mark+" ", rest, lines, "")
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
