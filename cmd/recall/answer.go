package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// verdict is how much an answer claims.
type verdict = index.Verdict

const (
	answered = index.Answered
	weak     = index.Weak
	nothing  = index.Nothing
)

// judge reads how much the index claims.
func judge(a index.Answer) verdict { return a.Verdict() }

// page prints an answer for a person.
type page struct {
	w       io.Writer
	st      style
	width   int
	bare    bool // without hints
	several bool // several projects answer: numbers go with the project's name
	asked   string
	asOf    time.Time               // the day that it is answered as of; zero: now
	shown   map[payload.ItemID]bool // results of their own
	since   map[string]int          // commits since, by file that the first result speaks of
}

// show lists the results that are printed, at most so many.
func (p *page) show(a index.Answer, v verdict, most int) []index.Result {
	if v == nothing {
		most = 1
	} else if v == weak {
		most = min(most, 3)
	}
	results := p.withoutEchoes(a.Ranked)
	results = results[:min(len(results), most)]
	projects := map[string]bool{}
	p.shown = map[payload.ItemID]bool{}
	for _, r := range results {
		projects[place(r).Project] = true
		if r.Item != nil {
			p.shown[r.Item.Item.ID] = true
		}
	}
	p.several = len(projects) > 1
	return results
}

// print writes the answer, with at most so many results.
func (p *page) print(a index.Answer, v verdict, most int) { p.write(a, v, p.show(a, v, most)) }

// write writes the answer with these results.
func (p *page) write(a index.Answer, v verdict, results []index.Result) {
	if !p.asOf.IsZero() {
		fmt.Fprintf(p.w, "%sAs of %s:%s\n", p.st.dim, day(p.asOf.Add(-time.Second)), p.st.reset)
	}
	switch {
	case v == nothing:
		sayLine(p.w, p.width, "", "", "Nothing decided about this that recall knows of. Searched "+searched(a)+".")
		if len(results) > 0 && speaksOf(results[0]) {
			sayLine(p.w, p.width, "Nearest: ", "  ", p.nearest(results[0]))
		}
		return
	case v == weak:
		fmt.Fprintln(p.w, "Nothing that clearly answers this; nearest:")
		p.further(results)
	case len(a.Listed) > 0:
		p.listed(a, results)
	case p.tried(results[0]):
		p.further(nil)
		return
	default:
		p.full(results[0])
		p.further(besidesConflict(results))
	}
	hints := ""
	if len(results) > 0 && !p.bare {
		hints = "recall open 1 · recall why 1 · "
	}
	p.wrapped("  ", "  ", hints+count(a.SearchedSessions, "session")+" searched", p.st.dim)
}

// speaksOf tells whether a result has a word of the question, or another word
// for one: what has none is near to nothing.
func speaksOf(r index.Result) bool {
	if r.Item != nil {
		return len(r.Item.Terms) > 0 || r.Item.Look[rank.Kindred] > 0 || r.Item.Look[rank.Near] > 0
	}
	return len(r.Turn.Terms) > 0 || r.Turn.Look[rank.Kindred] > 0
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
			for _, l := range r.Item.History { // what doesn't stand any more needs no words of its own
				for _, e := range l.Item.Evidence {
					said += "\n" + plain(e.Quote)
				}
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

// besidesConflict are the results behind the first, without those that are shown
// with it as what contradicts it. They keep their numbers.
func besidesConflict(results []index.Result) []index.Result {
	first := results[0].Item
	if first == nil || len(first.Conflict) == 0 {
		return results[1:]
	}
	return slices.DeleteFunc(slices.Clone(results[1:]), func(r index.Result) bool {
		return r.Item != nil && slices.ContainsFunc(first.Conflict, func(l index.Linked) bool { return l.Item.ID == r.Item.Item.ID })
	})
}

// full prints a result with all that supports it.
func (p *page) full(r index.Result) {
	if r.Turn != nil {
		p.turn(*r.Turn, 3)
		return
	}
	h := *r.Item
	if len(h.Conflict) > 0 {
		p.conflict(h)
	} else {
		it := withReason(h.Item)
		p.headline(mark(it, p.st), p.sentence(it), stateText(it))
		p.support(it, h.Place, h.Turn, h.History...)
	}
	p.history(h.History)
	p.related(h)
	p.changes()
}

// support prints why an item is so, whose word it is and the words themselves.
// What it took the place of is named apart.
func (p *page) support(it payload.Item, at index.Place, turn int, history ...index.Linked) {
	p.field("why", it.Why)
	p.field("who", p.source(it, at, turn))
	lost := slices.DeleteFunc(unnamed(it), func(option string) bool {
		return slices.ContainsFunc(history, func(l index.Linked) bool { return plain(l.Item.Text) == plain(option) })
	})
	p.field("over", strings.Join(lost, "; "))
	if reply, ok := replyTo(it); ok {
		p.quoteOf("the assistant: ", it.Evidence[0].Quote)
		p.quoteOf("you: ", reply.Quote)
	} else if it.Kind == payload.Lead { // it is its own quote
		if len(it.Evidence) > 1 {
			p.quoteOf("the assistant had asked: ", it.Evidence[1].Quote)
		}
	} else if len(it.Evidence) > 0 {
		p.quote(it.Evidence[0].Quote)
	}
}

// replyTo finds the person's own words of an item whose first quote is what the
// assistant offered: they aren't what the person said.
func replyTo(it payload.Item) (reply payload.Evidence, ok bool) {
	if !strings.HasPrefix(it.Rule, "reply-") || len(it.Evidence) < 2 || it.Evidence[1].N <= it.Evidence[0].N {
		return reply, false
	}
	return it.Evidence[1], true
}

// quote prints what an item rests on; a quote of nothing but blanks and
// control characters isn't one.
func (p *page) quote(text string) { p.quoteOf("", text) }

// quoteOf prints a quote and who said so.
func (p *page) quoteOf(who, text string) {
	if text = oneLine(text); text != "" {
		p.wrapped("  ", "  ", who+"“"+text+"”", p.st.dim)
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

// stateColumn is where states end, on screens that are wider.
const stateColumn = 116

// headline is the sentence, and the state at the right edge where it fits.
func (p *page) headline(mark, text, state string) {
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
func (p *page) source(it payload.Item, at index.Place, turn int) string {
	who := map[payload.By]string{payload.ByUser: "you", payload.ByAssistant: "the assistant, accepted", payload.ByBoth: "you and the assistant"}[it.By]
	switch {
	case it.Rule == payload.ReceivedRule:
		who = "" // where says who, and nothing of theirs is here that nobody looked at
	case it.Maker == payload.ByHuman:
		who = "you, by hand"
	case it.Rule == payload.NoteRule && it.By == payload.ByAssistant:
		who = "noted by the agent"
	case it.Kind == payload.Lead && it.By == payload.ByAssistant:
		who = "the assistant"
	case it.Rule == "plan" && it.By == payload.ByBoth:
		who = "you, accepted plan"
	}
	if reply, ok := replyTo(it); ok && it.Maker != payload.ByHuman {
		who, turn = "you, to what the assistant offered", reply.N
	}
	parts := []string{p.where(at, turn, true)}
	if who != "" {
		parts = slices.Insert(parts, 0, who)
	}
	if it.Scope != "" {
		parts = append(parts, "scope: "+oneLine(it.Scope))
	}
	return strings.Join(parts, " · ")
}

// where names a place as people speak of it: session 2 "Retry policy", turn 41.
func (p *page) where(at index.Place, turn int, title bool) string {
	if at.Source == index.Handed {
		return clip(oneLine(at.SessionTitle), 100) // turns are of a transcript that isn't here
	}
	s := fmt.Sprintf("session %d", at.SessionN)
	if p.several {
		s = oneLine(at.Project) + " " + s
	}
	if title && at.SessionTitle != "" {
		s += ` "` + strings.ReplaceAll(clip(oneLine(at.SessionTitle), 50), `"`, "'") + `"`
	}
	if turn > 0 {
		s += fmt.Sprintf(", turn %d", turn)
	}
	return s
}
