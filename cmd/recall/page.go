package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/answer"
	"recall/index"
	"recall/payload"
)

// page lays out for a person what an answer says.
type page struct {
	answer.Voice
	w     io.Writer
	st    style
	width int
	bare  bool // without hints
}

// mark is the sign before an item.
func mark(it payload.Item, st style) string {
	switch {
	case it.State != payload.Stands && it.State != payload.Reopened && it.State != "":
		return st.dim + "◌" + st.reset
	case it.Kind == payload.Eliminated:
		return st.red + "✗" + st.reset
	case it.Kind == payload.Deferred || it.Kind == payload.Question || it.Kind == payload.Hypothesis:
		return st.yellow + "○" + st.reset
	case it.Kind == payload.Next:
		return st.green + "→" + st.reset
	case it.Kind == payload.Flag:
		return st.yellow + "!" + st.reset
	case it.Kind == payload.Lead:
		return st.dim + "·" + st.reset
	}
	return st.green + "●" + st.reset
}

// stateColumn is where states end, on screens that are wider.
const stateColumn = 116

// headline is an item's sentence, and its state at the right edge where it fits.
func (p *page) headline(it payload.Item, state string) {
	p.headed(mark(it, p.st), p.Sentence(it), state)
}

func (p *page) headed(mark, text, state string) {
	lines := wrap(text, p.width-2)
	last := lines[len(lines)-1]
	pad := min(p.width, max(stateColumn, columns(last+state)+4)) - 2 - columns(last) - columns(state)
	for i, line := range lines {
		lead := "  "
		if i == 0 {
			lead = mark + " "
		}
		fmt.Fprint(p.w, lead, p.st.bold, line, p.st.reset)
		if i == len(lines)-1 && pad >= 2 {
			fmt.Fprint(p.w, strings.Repeat(" ", pad), state)
		}
		fmt.Fprintln(p.w)
	}
	if pad < 2 {
		fmt.Fprintf(p.w, "  %s\n", state)
	}
}

// support prints why an item is so, whose word it is and the words themselves.
// What it took the place of is named apart.
func (p *page) support(it payload.Item, at index.Place, turn int, history ...answer.Linked) {
	p.field("why", it.Why)
	p.field("who", p.Source(it, at, turn))
	p.field("over", strings.Join(unnamed(it, history), "; "))
	switch {
	case it.Kind != payload.Lead && len(it.Evidence) > 0:
		p.quote("", it.Evidence[0].Quote)
	case it.Kind == payload.Lead && len(it.Evidence) > 1: // it is its own quote
		p.quote("the assistant had asked: ", it.Evidence[1].Quote)
	}
}

// unnamed are the options that lost and that neither the item's text nor its history
// names.
func unnamed(it payload.Item, history []answer.Linked) []string {
	var lost []string
	for _, option := range it.Alternatives {
		past := func(l answer.Linked) bool { return answer.SameWords(l.Item.Text, option) }
		if !strings.Contains(strings.ToLower(it.Text), strings.ToLower(option)) && !slices.ContainsFunc(history, past) {
			lost = append(lost, option)
		}
	}
	return lost
}

// quote prints what an item rests on, and who said so; a quote of nothing but blanks
// and control characters isn't one.
func (p *page) quote(who, text string) {
	if text = oneLine(text); text != "" {
		p.wrapped("  ", "  ", who+"“"+text+"”", p.st.dim)
	}
}

// field prints a line with a name before it.
func (p *page) field(name, text string) {
	if text != "" {
		p.wrapped(fmt.Sprintf("  %-5s ", name), "        ", oneLine(text), "")
	}
}

// wrapped prints a text over as many lines as it takes, with something before the
// first and before the others.
func (p *page) wrapped(first, next, text, color string) {
	for i, line := range wrap(text, p.width-utf8.RuneCountInString(next)) {
		lead := next
		if i == 0 {
			lead = first
		}
		reset := p.st.reset
		if color == "" {
			reset = ""
		}
		fmt.Fprintln(p.w, lead+color+line+reset)
	}
}
