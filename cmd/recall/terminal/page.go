package terminal

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"recall/answer"
	"recall/index"
	"recall/library"
	"recall/payload"
	txt "recall/text"
)

// Page lays out for a person what an answer says.
type Page struct {
	answer.Voice
	W     io.Writer
	St    Style
	Width int
	Bare  bool // without hints and numbers

	shown []*answer.Result // by their numbers
}

// Mark is the sign before an item.
func Mark(it payload.Item, st Style) string {
	switch {
	case it.State != payload.Stands && it.State != payload.Reopened && it.State != "":
		return st.Dim + "◌" + st.Reset
	case it.Kind == payload.Eliminated:
		return st.Red + "✗" + st.Reset
	case it.Kind == payload.Deferred || it.Kind == payload.Question || it.Kind == payload.Hypothesis:
		return st.Yellow + "○" + st.Reset
	case it.Kind == payload.Next:
		return st.Green + "→" + st.Reset
	case it.Kind == payload.Flag:
		return st.Yellow + "!" + st.Reset
	case it.Kind == payload.Lead:
		return st.Dim + "·" + st.Reset
	}
	return st.Green + "●" + st.Reset
}

// blanks are as wide as a mark with what parts it from the text.
func blanks(mark string) string {
	return strings.Repeat(" ", Columns(colours().ReplaceAllString(mark, ""))+1)
}

// marked is the sign before a result, with the number that names it from now on.
func (p *Page) marked(r *answer.Result) string {
	mark := p.St.Dim + "·" + p.St.Reset
	if r.Item != nil {
		mark = Mark(*r.Item, p.St)
	}
	if n := slices.Index(p.shown, r); n >= 0 && !p.Bare {
		mark = fmt.Sprintf("%d %s", n+1, mark)
	}
	return mark
}

// named is the sign before an item, with the number of the result that it is.
func (p *Page) named(it payload.Item) string {
	is := func(r *answer.Result) bool { return r.Item != nil && r.Item.ID == it.ID }
	if i := slices.IndexFunc(p.shown, is); i >= 0 {
		return p.marked(p.shown[i])
	}
	return Mark(it, p.St)
}

// stateColumn is where states end, on screens that are wider.
const stateColumn = 116

// headed is a sentence after a mark, with a state.
func (p *Page) headed(mark, text, state string) string {
	var b strings.Builder
	rest := blanks(mark)
	lines := Wrap(text, p.Width-len(rest))
	last := lines[len(lines)-1]
	pad := min(p.Width, max(stateColumn, Columns(last+state)+4)) - len(rest) - Columns(last) - Columns(state)
	for i, line := range lines {
		lead := rest
		if i == 0 {
			lead = mark + " "
		}
		b.WriteString(lead + p.St.Bold + line + p.St.Reset)
		if i == len(lines)-1 && pad >= 2 {
			b.WriteString(strings.Repeat(" ", pad) + state)
		}
		b.WriteByte('\n')
	}
	if pad < 2 {
		b.WriteString("  " + state + "\n")
	}
	return b.String()
}

// support is why an item is so, whose word it is and the words themselves. What it took the place of is named apart.
func (p *Page) support(it payload.Item, at index.Place, turn int, history ...[]index.Linked) string {
	said := p.field("why", it.Why) + p.field("who", p.Source(it, at, turn)) +
		p.field("over", strings.Join(answer.Lost(it, slices.Concat(history...)), "; "))
	switch {
	case it.Kind != payload.Lead && len(it.Evidence) > 0:
		said += p.quoted("", it.Evidence[0].Quote)
	case it.Kind == payload.Lead && len(it.Evidence) > 1: // it is its own quote
		before := "the assistant had asked: "
		if it.Evidence[1].N > it.Evidence[0].N {
			before = "answered: "
		}
		said += p.quoted(before, it.Evidence[1].Quote)
	}
	return said
}

// quoted is what an item rests on, and who said so; "" of a quote of nothing but blanks and control characters.
func (p *Page) quoted(who, text string) string {
	if text = Line(text); text == "" {
		return ""
	}
	return p.Wrapped("  ", "  ", who+"“"+text+"”", p.St.Dim)
}

// spoken is a passage, line by line: lists and code that run together are hard to read. All of it stands behind a
// margin, so that no line of it can be taken for recall's own.
func (p *Page) spoken(r *answer.Result, indent string) string {
	margin := indent + "  │ "
	var lines []string
	for _, line := range p.Spoken(r) {
		lines = append(lines, Wrap(line, p.Width-Columns(margin))...)
	}
	return p.lines(margin, margin, lines, p.St.Dim)
}

// field is a line with a name before it; "" without a text.
func (p *Page) field(name, text string) string {
	if text == "" {
		return ""
	}
	return p.Wrapped(fmt.Sprintf("  %-5s ", name), "        ", Line(text), "")
}

// Wrapped is a text over as many lines as it takes, with something before the
// first and before the others.
func (p *Page) Wrapped(first, next, text, color string) string {
	return p.lines(first, next, Wrap(text, p.Width-Columns(next)), color)
}

// Narrow is the width under which what is one line elsewhere is wrapped: there a
// terminal would break it within a word.
const Narrow = 60

// Say is a line, over several where there is little room.
func (p *Page) Say(first, next, text string) string {
	lines := []string{text}
	if p.Width < Narrow {
		lines = Wrap(text, p.Width-max(Columns(first), Columns(next)))
	}
	return p.lines(first, next, lines, "")
}

// lines are lines with something before the first and before the others.
func (p *Page) lines(first, next string, lines []string, color string) (text string) {
	reset := p.St.Reset
	if color == "" {
		reset = ""
	}
	for i, line := range lines {
		if i > 0 {
			first = next
		}
		text += first + color + line + reset + "\n"
	}
	return text
}

// tableName is how much of its first column a table keeps room for.
const tableName = 24

// table is rows, the first of them heads, in columns as wide as what stands in them. The first column, of names,
// has the room that the others leave; where that is too little, the last columns but one are left out.
func (p *Page) table(rows [][]string) (text string) {
	wide, room := make([]int, len(rows[0])), p.Width
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], Columns(cell))
		}
	}
	for _, w := range wide[1:] {
		room -= w + len("  ")
	}
	last := len(wide) - 1
	shown := last // columns of numbers before it
	for ; shown > 1 && room < min(wide[0], tableName); shown-- {
		room += wide[shown-1] + len("  ")
	}
	for i, row := range rows {
		name := Clip(row[0], room)
		line := name + strings.Repeat(" ", max(0, min(wide[0], room)-Columns(name)))
		for c := 1; c <= last; c++ {
			if c < shown || c == last {
				line += strings.Repeat(" ", len("  ")+wide[c]-Columns(row[c])) + row[c]
			}
		}
		if i == 0 {
			line = p.St.Dim + line + p.St.Reset
		}
		text += line + "\n"
	}
	return text
}

// Session is a session on a line.
func (p *Page) Session(r library.SessionRef) string {
	return fmt.Sprintf("%s  %s  %s  %s", answer.Day(r.Start), Line(payload.Handle(r.Project, r.Number)),
		answer.ShortID(r.Session), Clip(Line(r.Title), max(20, p.Width-60)))
}

// noted is an item below a session, with why and the first of its quotes.
func (p *Page) noted(it payload.Item) string {
	said := p.Wrapped("  "+Mark(it, p.St)+" ", "    ", p.Sentence(it)+" ("+answer.State(it)+")", "")
	if it.Why != "" {
		said += p.Wrapped("    why ", "        ", Line(it.Why), p.St.Dim)
	}
	for _, e := range it.Evidence[:min(1, len(it.Evidence))] {
		where := ""
		if e.N > 0 {
			where = fmt.Sprintf(" turn %d", e.N)
		}
		said += p.Wrapped("    ", "    ", "“"+txt.Clip(Line(e.Quote), 200)+"”"+where, p.St.Dim)
	}
	return said
}

// Answer prints an answer as text, its results by the numbers that name them from now on.
func (p *Page) Answer(a *answer.Answer) {
	p.shown = answer.Numbered(a.Shown)
	p.Form("answer", a)
}

// First prints the first result alone, in as few lines as it takes.
func (p *Page) First(a *answer.Answer) {
	if a.Verdict == answer.Nothing || len(a.Shown) == 0 {
		fmt.Fprintln(p.W, "Nothing.")
		return
	}
	first := *a.Shown[0]
	first.Also = nil
	p.Form("answer/further", []*answer.Result{&first})
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
	if Columns(lines[last])+3+Columns(where) <= p.Width-len(rest) {
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
