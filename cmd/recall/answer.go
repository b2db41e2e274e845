package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"recall/index"
	"recall/payload"
)

// verdict is how much an answer claims.
type verdict string

const (
	answered verdict = "answered"
	weak     verdict = "weak"    // nothing clearly answers; the nearest are shown
	nothing  verdict = "nothing" // no rare word of the question stands anywhere
)

// weakCoverage is the share of the question's weight that the first result must
// hold before it is shown as the answer rather than as the nearest thing.
const weakCoverage = 0.1

func judge(a index.Answer) verdict {
	switch {
	case a.Unknown || len(a.Ranked) == 0:
		return nothing
	case a.Coverage < weakCoverage:
		return weak
	}
	return answered
}

// page prints an answer for a person.
type page struct {
	w       io.Writer
	st      style
	width   int
	several bool // several projects answer: numbers go with the project's name
	asked   string
}

// print writes the answer; shown is how many results are wanted at most.
func (p *page) print(a index.Answer, v verdict, shown int) {
	results := p.withoutEchoes(a.Ranked)
	results = results[:min(len(results), shown)]
	projects := map[string]bool{}
	for _, r := range results {
		projects[place(r).Project] = true
	}
	p.several = len(projects) > 1
	switch v {
	case nothing:
		fmt.Fprintf(p.w, "Nothing decided about this that recall knows of. Searched %s.\n", searched(a))
		if len(results) > 0 {
			fmt.Fprintf(p.w, "Nearest: %s\n", p.nearest(results[0]))
		}
		return
	case weak:
		fmt.Fprintln(p.w, "Nothing that clearly answers this; nearest:")
		for _, r := range results[:min(3, len(results))] {
			p.short(r)
		}
	default:
		p.full(results[0])
		for _, r := range results[1:] {
			p.short(r)
		}
	}
	fmt.Fprintf(p.w, "  %s%s searched%s\n", p.st.dim, searched(a), p.st.reset)
}

// withoutEchoes leaves out the turns of which nothing would be shown that an
// item above doesn't say already.
func (p *page) withoutEchoes(ranked []index.Result) []index.Result {
	said := ""
	var kept []index.Result
	for _, r := range ranked {
		if r.Item != nil {
			said += "\n" + plain(r.Item.Item.Text)
			for _, e := range r.Item.Item.Evidence {
				said += "\n" + plain(e.Quote)
			}
		} else if words := plain(snippet(r.Turn.Text, r.Turn.Terms, 2*(p.width-4))); words != "" && strings.Contains(said, words) {
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// plain is text for comparison.
func plain(text string) string { return strings.ToLower(strings.Trim(oneLine(text), "….?! ")) }

func searched(a index.Answer) string {
	s := fmt.Sprintf("%s and %s", count(a.SearchedItems, "item"), count(a.SearchedSessions, "session"))
	if a.Projects > 1 {
		s += fmt.Sprintf(" of %d projects", a.Projects)
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// full prints a result with all that supports it.
func (p *page) full(r index.Result) {
	if r.Turn != nil {
		p.turn(*r.Turn, 3)
		return
	}
	h := *r.Item
	it := h.Item
	p.headline(mark(it, p.st), p.sentence(it), stateText(it))
	p.field("why", it.Why)
	p.field("who", p.source(h))
	p.field("over", strings.Join(unnamed(it), "; "))
	if len(it.Evidence) > 0 {
		p.quote(it.Evidence[0].Quote)
	}
}

// quote prints what an item rests on; a quote of nothing but blanks and
// control characters isn't one.
func (p *page) quote(text string) {
	if text = oneLine(text); text != "" {
		p.wrapped("  ", "  ", "“"+text+"”", p.st.dim)
	}
}

// unnamed are the options that lost and that the item's text doesn't name.
func unnamed(it payload.Item) []string {
	var lost []string
	for _, a := range it.Alternatives {
		if !strings.Contains(strings.ToLower(it.Text), strings.ToLower(a)) {
			lost = append(lost, a)
		}
	}
	return lost
}

// headline is the sentence, and the state at the right edge where it fits.
func (p *page) headline(mark, text, state string) {
	lines := wrap(text, p.width-2)
	last := lines[len(lines)-1]
	pad := p.width - 2 - utf8.RuneCountInString(last) - utf8.RuneCountInString(state)
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

func (p *page) field(name, text string) {
	if text != "" {
		p.wrapped(fmt.Sprintf("  %-5s ", name), "        ", oneLine(text), "")
	}
}

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

// source says whose word an item is and where it stands.
func (p *page) source(h index.Hit) string {
	who := map[payload.By]string{payload.ByUser: "you", payload.ByAssistant: "the assistant, accepted", payload.ByBoth: "you and the assistant"}[h.Item.By]
	if h.Item.Maker == payload.ByHuman {
		who = "you, by hand"
	}
	parts := []string{p.where(h.Place, h.Turn, true)}
	if who != "" {
		parts = slices.Insert(parts, 0, who)
	}
	if h.Item.Scope != "" {
		parts = append(parts, "scope: "+h.Item.Scope)
	}
	return strings.Join(parts, " · ")
}

// where names a place as people speak of it: session 2 "Retry policy", turn 41.
func (p *page) where(at index.Place, turn int, title bool) string {
	s := fmt.Sprintf("session %d", at.SessionN)
	if p.several {
		s = oneLine(at.Project) + " " + s
	}
	if title && at.SessionTitle != "" {
		s += fmt.Sprintf(" %q", clip(oneLine(at.SessionTitle), 50))
	}
	if turn > 0 {
		s += fmt.Sprintf(", turn %d", turn)
	}
	return s
}

// short prints a further result in as few lines as it takes.
func (p *page) short(r index.Result) {
	if r.Turn != nil {
		p.turn(*r.Turn, 2)
		return
	}
	it := r.Item.Item
	text := p.sentence(it)
	if it.Why != "" && it.Kind == payload.Eliminated {
		text += " (" + oneLine(it.Why) + ")"
	}
	tail := fmt.Sprintf(" — %s; %s", stateText(it), p.where(r.Item.Place, r.Item.Turn, false))
	p.wrapped(mark(it, p.st)+" ", "  ", text+tail, "")
}

// turn prints a stretch of a transcript, at most so many lines of it.
func (p *page) turn(h index.TurnHit, lines int) {
	who := "you"
	if h.Role == "assistant" {
		who = "the assistant"
	}
	head := fmt.Sprintf("%s, %s, %s:", who, p.where(h.Place, h.N, true), day(h.At))
	text := snippet(h.Text, h.Terms, lines*(p.width-4))
	if text == "" {
		head = strings.TrimSuffix(head, ":") + " (no words, only tool calls)"
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

func (p *page) nearest(r index.Result) string {
	if r.Turn != nil {
		return fmt.Sprintf("“%s” (%s), %s", snippet(r.Turn.Text, r.Turn.Terms, 100), day(r.Turn.At), p.where(r.Turn.Place, r.Turn.N, false))
	}
	return fmt.Sprintf("%q (%s), %s", clip(p.sentence(r.Item.Item), 160), day(r.Item.Item.At), p.where(r.Item.Place, r.Item.Turn, false))
}
