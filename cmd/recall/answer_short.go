package main

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"recall/index"
	"recall/payload"
)

// further prints the results behind the first, two on a line where both are
// short and fit.
func (p *page) further(results []index.Result) {
	for i := 0; i < len(results); i++ {
		if i+1 < len(results) {
			a, b := p.aside(results[i]), p.aside(results[i+1])
			if n := utf8.RuneCountInString(a + b); a != "" && b != "" && n+asideGap+4 <= p.width {
				fmt.Fprintf(p.w, "%s %s%s%s %s\n", mark(results[i].Item.Item, p.st), a, strings.Repeat(" ", asideGap), mark(results[i+1].Item.Item, p.st), b)
				i++
				continue
			}
		}
		p.short(results[i])
	}
}

const asideGap = 5

// short prints a further result in as few lines as it takes.
func (p *page) short(r index.Result) {
	if r.Turn != nil {
		p.turn(*r.Turn, 2)
		return
	}
	it := r.Item.Item
	text := p.aside(r)
	if text == "" {
		text = p.sentence(it) + " — " + p.standing(*r.Item)
	}
	p.wrapped(mark(it, p.st)+" ", "  ", text+"; "+p.where(r.Item.Place, r.Item.Turn, false), "")
	for _, past := range r.Item.History[:min(1, len(r.Item.History))] {
		p.field("was", p.past(past))
	}
	for _, other := range r.Item.Conflict[:min(1, len(r.Item.Conflict))] {
		p.field("but", p.past(other)+" says otherwise")
	}
}

// standing is an item's state, and that it may be older than it looks.
func (p *page) standing(h index.Hit) string {
	if by := h.Doubted(); by != nil {
		return "from " + day(h.Item.At) + ", " + by.Doubt().Word(h.Item.Kind) + " on " + day(by.At)
	}
	return stateText(h.Item)
}

// aside is what was put off or ruled out in a few words; "" of anything else.
func (p *page) aside(r index.Result) string {
	if r.Item == nil || !r.Item.Item.Current() || len(r.Item.History)+len(r.Item.Conflict) > 0 || p.standing(*r.Item) != stateText(r.Item.Item) {
		return ""
	}
	it := withReason(r.Item.Item)
	text := strings.TrimRight(oneLine(it.Text), ".")
	switch {
	case it.Kind == payload.Deferred && strings.Contains(strings.ToLower(text), "deferred"):
		return fmt.Sprintf("%s (%s)", text, day(it.At))
	case it.Kind == payload.Deferred:
		return fmt.Sprintf("%s: deferred (%s)", text, day(it.At))
	case it.Kind == payload.Eliminated && payload.SaysNo(text):
		if it.Why != "" {
			text += ": " + strings.TrimRight(oneLine(it.Why), ".")
		}
		return fmt.Sprintf("%s (ruled out %s)", text, day(it.At))
	case it.Kind == payload.Eliminated && it.Why != "":
		return fmt.Sprintf("%s: eliminated (%s)", payload.RuledOutThing(text), strings.TrimRight(oneLine(it.Why), "."))
	case it.Kind == payload.Eliminated:
		return fmt.Sprintf("%s: eliminated (%s)", payload.RuledOutThing(text), day(it.At))
	}
	return ""
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
	session := p.where(place(r), 0, false)
	text, when, turn := "", time.Time{}, 0
	if r.Turn != nil {
		text, when, turn = snippet(r.Turn.Text, r.Turn.Terms, 100), r.Turn.At, r.Turn.N
	} else {
		text, when, turn = clip(p.sentence(r.Item.Item), 160), r.Item.Item.At, r.Item.Turn
	}
	if turn > 0 && place(r).Source != index.Handed {
		session = fmt.Sprintf("turn %d of %s", turn, session)
	}
	return fmt.Sprintf("\"%s\" (%s), %s.", strings.TrimRight(text, "."), day(when), session)
}
