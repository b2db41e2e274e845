package terminal

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"recall/answer"
	"recall/index"
	txt "recall/internal/text"
	"recall/library"
	"recall/payload"
)

// Page lays out answers and other documents for a person.
type Page struct {
	answer.Voice
	W     io.Writer
	St    Style
	Width int
	Bare  bool // without hints and numbers
	Full  bool // passages in full, line by line; else the few lines of each that say most

	shown []*answer.Result // in the order of their numbers
}

// Where is the voice's Where, with titles in wide letters no wider than others.
func (p *Page) Where(at index.Place, turn int, title bool) string {
	if at.Author == "" && at.Source != index.HandoffSource {
		at.SessionTitle = Clip(Line(at.SessionTitle), 50)
	}
	return p.Voice.Where(at, turn, title)
}

// mark returns the sign shown before an item; for an agent the id by which it asks for more.
func (p *Page) mark(it payload.Item) string {
	st := p.St
	switch {
	case p.Agent:
		return "[" + string(it.ID) + "]"
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
	case it.Kind == payload.Lead || it.Kind == payload.File: // how it stood, not what was decided
		return st.Dim + "·" + st.Reset
	}
	return st.Green + "●" + st.Reset
}

// blanks returns spaces as wide as a mark and the space after it.
func blanks(mark string) string {
	return strings.Repeat(" ", Columns(colours().ReplaceAllString(mark, ""))+1)
}

// marked returns the sign before a result, with the number that later commands know it by.
func (p *Page) marked(r *answer.Result) string {
	mark := p.St.Dim + "·" + p.St.Reset
	if r.Item != nil {
		mark = p.mark(*r.Item)
	}
	if n := slices.Index(p.shown, r); n >= 0 && !p.Bare {
		mark = fmt.Sprintf("%d %s", n+1, mark)
	}
	return mark
}

// named returns the sign before an item, with its number if it is one of the results.
func (p *Page) named(it payload.Item) string {
	is := func(r *answer.Result) bool { return r.Item != nil && r.Item.ID == it.ID }
	if i := slices.IndexFunc(p.shown, is); i >= 0 {
		return p.marked(p.shown[i])
	}
	return p.mark(it)
}

// stateColumn is the column where states end on wide screens.
const stateColumn = 116

// headed returns a sentence after a mark, followed by a right-aligned state.
func (p *Page) headed(mark, text, state string) string {
	if p.Agent {
		return p.Wrapped(mark+" ", "", text+" — "+state, "")
	}
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

// support returns an item's reason, who said it, the rejected alternatives and the quote. Superseded items are shown
// separately.
func (p *Page) support(it payload.Item, at index.Place, turn int, history ...[]index.Linked) string {
	said := p.field("why", it.Why) + p.field("who", p.Source(it, at, turn)) +
		p.field("over", strings.Join(answer.RejectedOptions(it, slices.Concat(history...)), "; "))
	return said + p.grounds(it)
}

// grounds returns the quote that an item rests on; of a passage, which is its own, what it answers or what answers it.
func (p *Page) grounds(it payload.Item) string {
	switch {
	case it.Kind != payload.Lead && len(it.Evidence) > 0:
		return p.quoted("", it.Evidence[0].Quote)
	case it.Kind == payload.Lead && len(it.Evidence) > 1:
		before := "after: "
		switch other := it.Evidence[1]; {
		case it.Rule == payload.RefusalRule:
			before = "refusing: "
		case other.N > it.Evidence[0].N:
			before = "answered: "
		case strings.HasSuffix(strings.TrimSpace(other.Quote), "?"):
			before = "the assistant had asked: "
		}
		return p.quoted(before, it.Evidence[1].Quote)
	}
	return ""
}

// quoted returns a quote after its introduction; "" if the quote is nothing but blanks and control characters.
func (p *Page) quoted(before, text string) string {
	if text = p.Line(text); text == "" {
		return ""
	}
	return p.Wrapped("  ", "  ", before+"“"+text+"”", p.St.Dim)
}

// How many lines of passages stand below a result's first line unless they are shown in full: of its own, and together
// with others of its exchange.
const (
	passageLines  = 3
	exchangeLines = 4
)

// spoken returns a passage behind a margin, so that no line of it can be mistaken for recall's own: in full line by
// line, to keep lists and code readable, else the few lines that say most.
func (p *Page) spoken(r *answer.Result, indent string) string {
	margin := indent + "  │ "
	width := p.Width - Columns(margin)
	var lines []string
	if p.Full {
		for _, line := range p.Spoken(r) {
			lines = append(lines, Wrap(line, width)...)
		}
	} else {
		lines = p.brief("", r, width, passageLines)
	}
	return p.lines(margin, margin, lines, p.St.Dim)
}

// brief returns the part of a passage that says most, in at most most lines.
func (p *Page) brief(before string, r *answer.Result, width, most int) []string {
	brief := *r
	brief.Passage = cmp.Or(r.Brief, r.Passage)
	lines := Wrap(before+strings.Join(p.Spoken(&brief), " "), width)
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = strings.TrimRight(Clip(lines[most-1], width-2), "… ") + " …"
	}
	return lines
}

// beside returns what stands below a result: other turns of its exchange.
func (p *Page) beside(r *answer.Result) (said string) {
	room := max(1, exchangeLines-strings.Count(p.spoken(r, ""), "\n"))
	for _, one := range r.Also {
		mark := "  " + p.marked(one)
		if p.Full {
			who := fmt.Sprintf("%s, %s, %s:", p.Teller(one), p.Where(one.Place, one.Turn, false), answer.Day(one.At))
			said += p.Wrapped(mark+" ", blanks(mark), who, "") + p.spoken(one, "  ")
			continue
		}
		rest := blanks(mark)
		who := fmt.Sprintf("%s, turn %d: ", p.Teller(one), one.Turn)
		said += p.lines(mark+" ", rest, p.brief(who, one, p.Width-Columns(rest), room), "")
	}
	return said
}

// field returns a text with a name before it; "" without a text.
func (p *Page) field(name, text string) string {
	if text == "" {
		return ""
	}
	return p.Wrapped(fmt.Sprintf("  %-5s ", name), "        ", p.Line(text), "")
}

// Wrapped wraps a text, with one prefix for its first line and another for the rest.
func (p *Page) Wrapped(first, next, text, color string) string {
	return p.lines(first, next, Wrap(text, p.Width-Columns(next)), color)
}

// Narrow is the width below which single lines are wrapped too: the terminal would break them within a word.
const Narrow = 60

// Say returns a line, wrapped if the page is narrow.
func (p *Page) Say(first, next, text string) string {
	lines := []string{text}
	if p.Width < Narrow {
		lines = Wrap(text, p.Width-max(Columns(first), Columns(next)))
	}
	return p.lines(first, next, lines, "")
}

// lines joins lines, with one prefix for the first and another for the rest.
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

// tableName is the least width a table keeps for its first column.
const tableName = 24

// table lays out rows, the first of them headings, in columns as wide as their content. The first column, of names,
// gets the remaining width; if that is too little, columns just before the last are dropped.
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

// Session describes a session on one line.
func (p *Page) Session(r library.SessionRef) string {
	return fmt.Sprintf("%s  %s  %s  %s", answer.Day(r.Start), Line(payload.Handle(r.Project, r.Number)),
		payload.ShortID(r.Session), Clip(Line(r.Title), max(20, p.Width-60)))
}

// noted returns an item listed below a session, with its reason and first quote.
func (p *Page) noted(it payload.Item) string {
	state, quote, e := answer.State(it), "", it.First()
	turn := strings.TrimSuffix(fmt.Sprintf(" turn %d", e.N), " turn 0")
	switch {
	case turn != "" && (it.Kind == payload.Lead || it.Kind == payload.File): // it says its quote
		state += "," + turn
	case e.Quote != "":
		quote = p.Wrapped("    ", "    ", "“"+txt.Clip(Line(e.Quote), 200)+"”"+turn, p.St.Dim)
	}
	said := p.Wrapped("  "+p.mark(it)+" ", "    ", p.Sentence(it)+" ("+state+")", "")
	if it.Why != "" {
		said += p.Wrapped("    why ", "        ", Line(it.Why), p.St.Dim)
	}
	return said + quote
}

// Answer prints an answer as text and numbers its results for later commands.
func (p *Page) Answer(a *answer.Answer) {
	p.shown = answer.Numbered(a.Results)
	p.Form("answer", a)
}

// First prints only the first result, in few lines.
func (p *Page) First(a *answer.Answer) {
	if a.Verdict == answer.Nothing || len(a.Results) == 0 {
		fmt.Fprintln(p.W, "Nothing.")
		return
	}
	p.Form("answer/further", a.Results[:1])
}

// changes lists which of the files that an item mentions have changed since; "" if none has.
func (p *Page) changes(since map[string]int) string {
	var files []string
	for _, file := range slices.Sorted(maps.Keys(since)) {
		files = append(files, fmt.Sprintf("%s (%s)", p.Line(file), answer.Count(since[file], "commit")))
	}
	if len(files) == 0 {
		return ""
	}
	return p.Wrapped("  files changed since: ", "    ", strings.Join(files, ", "), "")
}

// besides returns a sentence followed by a place, which gets its own line if it doesn't fit.
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
