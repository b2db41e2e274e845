package terminal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
)

// Answer prints an answer as text.
func (p *Page) Answer(a *answer.Answer) {
	p.shown = a.Shown
	if !a.AsOf.IsZero() {
		fmt.Fprintf(p.W, "%sAs of %s:%s\n", p.St.Dim, answer.Day(a.AsOf.Add(-time.Second)), p.St.Reset)
	}
	switch {
	case a.Verdict == answer.Nothing:
		p.Say("", "", "Nothing decided about this that recall knows of. Searched "+a.Searched.String()+".")
		if len(a.Shown) > 0 && p.Nearest(a.Shown[0]) != "" {
			p.Say("Nearest: ", "  ", p.Nearest(a.Shown[0]))
		}
		return
	case a.Verdict == answer.Weak:
		fmt.Fprintln(p.W, "Nothing that clearly answers this; nearest:")
		p.further(a.Shown)
	case len(a.Listed) > 0:
		p.listed(a)
	default:
		if said := p.Tried(a.Question, a.Shown[0]); said != "" {
			p.besides(p.marked(a.Shown[0]), said, p.Where(a.Shown[0].Place, a.Shown[0].Turn, false))
			return
		}
		p.full(a)
		p.further(a.Beside())
	}
	hints := ""
	if len(a.Shown) > 0 && !p.Bare {
		hints = "recall why 1 · recall show 1 · "
	}
	p.Wrapped("  ", "  ", hints+answer.Count(a.Searched.Sessions, "session")+" searched", p.St.Dim)
}

// First prints the first result alone, in as few lines as it takes.
func (p *Page) First(a *answer.Answer) {
	if a.Verdict == answer.Nothing || len(a.Shown) == 0 {
		fmt.Fprintln(p.W, "Nothing.")
		return
	}
	p.further(a.Shown[:1])
}

// listed prints the newest items of some kinds, asked for without a topic.
func (p *Page) listed(a *answer.Answer) {
	p.Wrapped("", "", answer.Kinds(a.Listed)+", newest first:", "")
	p.further(a.Shown)
	if a.More > 0 {
		more := fmt.Sprintf("and %d more", a.More)
		if !p.Bare {
			more += "; -n shows more, recall log the time line of decisions"
		}
		p.Wrapped("  ", "  ", more, p.St.Dim)
	}
}

// full prints the first result with all that supports it.
func (p *Page) full(a *answer.Answer) {
	r := a.Shown[0]
	if r.Item == nil {
		p.turn(r)
		return
	}
	if len(r.Conflict) > 0 {
		p.conflict(r)
	} else {
		it := answer.WithReason(*r.Item)
		p.Headed(p.marked(r), p.Sentence(it), answer.State(it))
		p.Support(it, r.Place, r.Turn, r.History...)
	}
	p.history(r.History)
	for _, l := range a.See(r) {
		p.Field("see", p.See(l))
	}
	p.Changes(r.Since)
}

// conflict prints two items or more that can't both stand, newer first.
func (p *Page) conflict(r *answer.Result) {
	fmt.Fprintf(p.W, "%s%s contradict one another; which one stands is open:%s\n", p.St.Yellow,
		answer.Count(1+len(r.Conflict), "item"), p.St.Reset)
	one := index.Linked{Placed: r.Placed()}
	for _, l := range append([]index.Linked{one}, r.Conflict...) {
		it := answer.WithReason(l.Item)
		mark := Mark(it, p.St)
		for _, of := range p.shown {
			if of.Item != nil && of.Item.ID == it.ID {
				mark = p.marked(of)
			}
		}
		p.Headed(mark, p.Sentence(it), answer.State(it))
		p.Support(it, l.Place, l.Turn)
	}
}

// history prints what an item took the place of, newest first.
func (p *Page) history(list []index.Linked) {
	name := "was"
	for _, l := range list[:min(len(list), answer.PastShown)] {
		p.Field(name, p.Was(l))
		name = ""
	}
	if n := len(list) - answer.PastShown; n > 0 {
		p.Field("", fmt.Sprintf("and %d before that", n))
	}
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

// further prints the results behind the first, each in as few lines as it takes.
func (p *Page) further(results []*answer.Result) {
	for _, r := range results {
		if r.Item == nil {
			p.turn(r)
			continue
		}
		mark := p.marked(r)
		text := p.Aside(r)
		if text == "" {
			text = p.Sentence(*r.Item) + " — " + r.Standing()
		}
		p.Wrapped(mark+" ", blanks(mark), text+"; "+p.Where(r.Place, r.Turn, false), "")
		for _, past := range r.History[:min(1, len(r.History))] {
			p.Field("was", p.Past(past.Placed))
		}
		for _, other := range r.Conflict[:min(1, len(r.Conflict))] {
			p.Field("but", p.Past(other.Placed)+" says otherwise")
		}
	}
}

// turn prints what of a transcript's turn answers.
func (p *Page) turn(r *answer.Result) {
	head := fmt.Sprintf("%s, %s, %s", p.Speaker(r.Role == "assistant"), p.Where(r.Place, r.Turn, true),
		answer.Day(r.At))
	text := p.Passage(r)
	if text == "" {
		head += " (no words, only tool calls)"
	} else {
		head += ":"
	}
	mark := p.marked(r)
	p.Wrapped(mark+" ", blanks(mark), head, "")
	if text != "" {
		p.Wrapped("  ", "  ", "“"+text+"”", p.St.Dim)
	}
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
	if a.Verdict == answer.Weak {
		fmt.Fprintln(p.W, "Nothing clearly answers this; nearest:")
	}
	text, sources := a.Text.Cited()
	p.Wrapped("", "", text, "")
	fmt.Fprintln(p.W)
	for i, src := range sources {
		line := fmt.Sprintf("%s, %s", p.Where(src.Place, src.Turn, true), answer.Day(src.Item.At))
		if quote := p.Quote(src.Item); quote != "" {
			line += ": " + quote
		}
		p.Wrapped(fmt.Sprintf("[%d] ", i+1), "    ", line, "")
	}
}

// Markdown prints an answer to be pasted elsewhere.
func (p *Page) Markdown(a *answer.Answer) { p.Form("markdown", a) }

// literal keeps text from being taken for Markdown's own signs.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|",
		`\|`).Replace(Line(s))
}
