package web

import (
	"html"
	"html/template"
	"iter"
	"regexp"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// Items' quotes are highlighted in a turn: private-use characters are put around the words before rendering, and the
// text between them afterwards is marked.
const opens, closes = "\ue000", "\ue001"

var signs = strings.NewReplacer(opens, "", closes, "")

func quoted(said string, items []payload.Item) string {
	said = signs.Replace(said)
	for _, it := range items {
		before, after, ok := strings.Cut(said, it.First().Quote)
		if begins := before == "" || strings.HasSuffix(before, "\n"); ok && it.First().Quote != "" &&
			!(begins && strings.ContainsAny(it.First().Quote[:1], "-*+>#|`0123456789")) { // Markdown at the start of a line
			said = before + opens + it.First().Quote + closes + after
		}
	}
	return said
}

// marked turns the text between the signs into <mark> elements; signs inside a tag, such as in a link's address, are
// removed.
func marked(page template.HTML) template.HTML {
	var b strings.Builder
	on := false
	for words, tag := range pieces(string(page)) {
		for words != "" {
			end, next := len(words), len(words)
			if i := strings.IndexAny(words, opens+closes); i >= 0 {
				end, next = i, i+len(opens)
			}
			if run := words[:end]; on && strings.TrimSpace(run) != "" {
				b.WriteString("<mark>" + run + "</mark>")
			} else {
				b.WriteString(run)
			}
			if next > end {
				on = words[end:next] == opens
			}
			words = words[next:]
		}
		b.WriteString(signs.Replace(tag))
		on = on && !strings.Contains(tag, closes)
	}
	return template.HTML(b.String())
}

// pieces returns the texts of a page, each with the tag behind it.
func pieces(page string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for page != "" {
			words, rest, _ := strings.Cut(page, "<")
			tag := page[len(words):]
			if in, _, closed := strings.Cut(rest, ">"); closed {
				tag = "<" + in + ">"
			}
			if !yield(words, tag) {
				return
			}
			page = page[len(words)+len(tag):]
		}
	}
}

// A match is an occurrence of what is looked for in a session, as its page shows it.
type match struct {
	Href, Where         string // its turn
	Before, Text, After string
}

// beside is how many bytes are shown before and after a match.
const beside = 100

func matchAt(said string, from, to int) match {
	before := strings.ToValidUTF8(said[max(0, from-beside):from], "")
	return match{Before: before, Text: said[from:to], After: text.Head(said[to:], beside)}
}

func looking(find string) *regexp.Regexp { return regexp.MustCompile("(?i)" + regexp.QuoteMeta(find)) }

// hits marks what is looked for in the text of a turn's page, and lists it: not in tags, in the turn's head, or in the
// line over its calls, which repeats what they say.
func hits(page template.HTML, look *regexp.Regexp) (template.HTML, []match) {
	var b strings.Builder
	var found []match
	head, body, _ := strings.Cut(string(page), "</div>")
	if body == "" {
		head, body = "", head
	} else {
		head += "</div>"
	}
	b.WriteString(head)
	passed := false
	for words, tag := range pieces(body) {
		said, at := html.UnescapeString(words), 0
		for _, span := range look.FindAllStringIndex(said, -1) {
			if passed {
				break
			}
			found = append(found, matchAt(said, span[0], span[1]))
			b.WriteString(html.EscapeString(said[at:span[0]]) + `<mark class="hit">` +
				html.EscapeString(said[span[0]:span[1]]) + "</mark>")
			at = span[1]
		}
		if at == 0 {
			b.WriteString(words)
		} else {
			b.WriteString(html.EscapeString(said[at:]))
		}
		switch tag {
		case `<details class="tools">`, `<details class="tools" open="">`:
			passed = true
		case "</summary>":
			passed = false
		}
		b.WriteString(tag)
	}
	return template.HTML(b.String()), found
}
