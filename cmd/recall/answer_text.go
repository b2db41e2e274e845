package main

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

// answer prints an answer as text.
func (p *page) answer(a *answer.Answer) {
	p.Several = a.Several()
	if !a.AsOf.IsZero() {
		fmt.Fprintf(p.w, "%sAs of %s:%s\n", p.st.dim, day(a.AsOf.Add(-time.Second)), p.st.reset)
	}
	switch {
	case a.Verdict == answer.Nothing:
		sayLine(p.w, p.width, "", "", "Nothing decided about this that recall knows of. Searched "+a.Searched.String()+".")
		if len(a.Shown) > 0 && p.Nearest(a.Shown[0]) != "" {
			sayLine(p.w, p.width, "Nearest: ", "  ", p.Nearest(a.Shown[0]))
		}
		return
	case a.Verdict == answer.Weak:
		fmt.Fprintln(p.w, "Nothing that clearly answers this; nearest:")
		p.further(a.Shown)
	case len(a.Listed) > 0:
		p.listed(a)
	default:
		if said := p.Tried(a.Question, a.Shown[0]); said != "" {
			p.besides(mark(*a.Shown[0].Item, p.st), said, p.Where(a.Shown[0].Place, a.Shown[0].Turn, false))
			return
		}
		p.full(a)
		p.further(a.Beside())
	}
	hints := ""
	if len(a.Shown) > 0 && !p.bare {
		hints = "recall open 1 · recall why 1 · "
	}
	p.wrapped("  ", "  ", hints+count(a.Searched.Sessions, "session")+" searched", p.st.dim)
}

// listed prints the newest items of some kinds, asked for without a topic.
func (p *page) listed(a *answer.Answer) {
	p.wrapped("", "", answer.Kinds(a.Listed)+", newest first:", "")
	p.further(a.Shown)
	if a.More > 0 {
		more := fmt.Sprintf("and %d more", a.More)
		if !p.bare {
			more += "; -n shows more, recall log the time line of decisions"
		}
		p.wrapped("  ", "  ", more, p.st.dim)
	}
}

// full prints the first result with all that supports it.
func (p *page) full(a *answer.Answer) {
	r := a.Shown[0]
	if r.Item == nil {
		p.turn(r, 3)
		return
	}
	if len(r.Conflict) > 0 {
		p.conflict(r)
	} else {
		it := answer.WithReason(*r.Item)
		p.headline(it, answer.State(it))
		p.support(it, r.Place, r.Turn, r.History...)
	}
	p.history(r.History)
	for _, l := range a.See(r) {
		p.field("see", p.See(l))
	}
	p.changes(r.Since)
}

// conflict prints two items or more that can't both stand, newer first.
func (p *page) conflict(r *answer.Result) {
	fmt.Fprintf(p.w, "%s%s contradict one another; which one stands is open:%s\n", p.st.yellow, count(1+len(r.Conflict), "item"), p.st.reset)
	one := answer.Linked{Placed: index.Placed{Place: r.Place, Turn: r.Turn, Item: *r.Item}}
	for _, l := range append([]answer.Linked{one}, r.Conflict...) {
		it := answer.WithReason(l.Item)
		p.headline(it, answer.State(it))
		p.support(it, l.Place, l.Turn)
	}
}

// history prints what an item took the place of, newest first.
func (p *page) history(list []answer.Linked) {
	name := "was"
	for _, l := range list[:min(len(list), answer.PastShown)] {
		p.field(name, p.Was(l))
		name = ""
	}
	if n := len(list) - answer.PastShown; n > 0 {
		p.field("", fmt.Sprintf("and %d before that", n))
	}
}

// changes tells which of the files that an item speaks of were changed since.
func (p *page) changes(since map[string]int) {
	var files []string
	for _, file := range slices.Sorted(maps.Keys(since)) {
		files = append(files, fmt.Sprintf("%s (%s)", oneLine(file), count(since[file], "commit")))
	}
	if len(files) > 0 {
		p.wrapped("  files changed since: ", "    ", strings.Join(files, ", "), "")
	}
}

// besides prints a sentence and a place behind it, on a line of its own where it
// doesn't fit.
func (p *page) besides(mark, text, where string) {
	lines := wrap(text, p.width-2)
	last := len(lines) - 1
	if utf8.RuneCountInString(lines[last])+3+utf8.RuneCountInString(where) <= p.width-2 {
		lines[last] += "   " + where
	} else {
		lines = append(lines, where)
	}
	for i, line := range lines {
		lead := "  "
		if i == 0 {
			lead = mark + " "
		}
		fmt.Fprintln(p.w, lead+line)
	}
}

const asideGap = 5 // columns between two results on a line

// further prints the results behind the first, two on a line where both are
// short and fit.
func (p *page) further(results []*answer.Result) {
	for i := 0; i < len(results); i++ {
		if i+1 < len(results) {
			a, b := p.Aside(results[i]), p.Aside(results[i+1])
			if n := utf8.RuneCountInString(a + b); a != "" && b != "" && n+asideGap+4 <= p.width {
				fmt.Fprintf(p.w, "%s %s%s%s %s\n", mark(*results[i].Item, p.st), a, strings.Repeat(" ", asideGap), mark(*results[i+1].Item, p.st), b)
				i++
				continue
			}
		}
		p.short(results[i])
	}
}

// short prints a further result in as few lines as it takes.
func (p *page) short(r *answer.Result) {
	if r.Item == nil {
		p.turn(r, 2)
		return
	}
	text := p.Aside(r)
	if text == "" {
		text = p.Sentence(*r.Item) + " — " + r.Standing()
	}
	p.wrapped(mark(*r.Item, p.st)+" ", "  ", text+"; "+p.Where(r.Place, r.Turn, false), "")
	for _, past := range r.History[:min(1, len(r.History))] {
		p.field("was", p.Past(past.Placed))
	}
	for _, other := range r.Conflict[:min(1, len(r.Conflict))] {
		p.field("but", p.Past(other.Placed)+" says otherwise")
	}
}

// turn prints a stretch of a transcript, at most so many lines of it.
func (p *page) turn(r *answer.Result, lines int) {
	head := fmt.Sprintf("%s, %s, %s", p.Speaker(r.Role == "assistant"), p.Where(r.Place, r.Turn, true), day(r.At))
	text := p.Passage(r, lines*(p.width-4))
	if text == "" {
		head += " (no words, only tool calls)"
	} else {
		head += ":"
	}
	p.wrapped(p.st.dim+"·"+p.st.reset+" ", "  ", head, "")
	if text == "" {
		return
	}
	out := wrap("“"+text+"”", p.width-2)
	for _, line := range out[:min(len(out), lines+1)] {
		fmt.Fprintf(p.w, "  %s%s%s\n", p.st.dim, line, p.st.reset)
	}
}

// paragraph prints an answer as one paragraph, each sentence with the number of its
// sources, and the sources below.
func (p *page) paragraph(a *answer.Answer) {
	if a.Text == nil || len(a.Listed) > 0 && a.Text.By == answer.ByRules {
		p.answer(a)
		return
	}
	p.Several = a.Several()
	if a.Verdict == answer.Weak {
		fmt.Fprintln(p.w, "Nothing clearly answers this; nearest:")
	}
	text, sources := a.Text.Cited()
	p.wrapped("", "", text, "")
	fmt.Fprintln(p.w)
	for i, src := range sources {
		line := fmt.Sprintf("%s, %s", p.Where(src.Place, src.Turn, true), day(src.Item.At))
		if quote := p.Quote(src.Item); quote != "" {
			line += ": " + quote
		}
		p.wrapped(fmt.Sprintf("[%d] ", i+1), "    ", line, "")
	}
}
