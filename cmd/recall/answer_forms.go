package main

import (
	"fmt"
	"slices"
	"strings"

	"recall/index"
	"recall/index/rank"
	"recall/payload"
)

// markdown prints an answer to be pasted elsewhere.
func (p *page) markdown(v verdict, a index.Answer, results []index.Result) {
	switch {
	case v == nothing:
		fmt.Fprintf(p.w, "**Nothing decided about this that recall knows of.** Searched %s.\n", searched(a))
	case v == weak:
		fmt.Fprint(p.w, "Nothing that clearly answers this; nearest:\n")
	case len(a.Listed) > 0:
		fmt.Fprintf(p.w, "%s, newest first:\n", upperFirst(listedKinds(a.Listed)))
	}
	if v == nothing && len(results) > 0 && !speaksOf(results[0]) {
		return
	}
	if len(results) > 0 {
		fmt.Fprintln(p.w)
	}
	for _, r := range results {
		if r.Turn != nil {
			fmt.Fprintf(p.w, "- %s: “%s” (%s, %s)\n", speaker(r.Turn.Role), literal(snippet(r.Turn.Text, r.Turn.Terms, 200)), day(r.Turn.At), literal(p.where(r.Turn.Place, r.Turn.N, false)))
			continue
		}
		h := r.Item
		it := withReason(h.Item)
		fmt.Fprintf(p.w, "- **%s** — %s (%s)\n", literal(p.sentence(it)), p.standing(*h), literal(p.where(h.Place, h.Turn, true)))
		p.mdLine("why", it.Why)
		for _, q := range quotesOf(h.Item) {
			p.mdLine("", q)
		}
		for _, l := range h.History[:min(pastShown, len(h.History))] {
			p.mdLine("was", p.past(l))
		}
		for _, l := range h.Conflict {
			p.mdLine("in conflict with", p.past(l))
		}
	}
}

func (p *page) mdLine(name, text string) {
	if text = oneLine(text); text == "" {
		return
	}
	if name != "" {
		text = name + ": " + text
	}
	fmt.Fprintf(p.w, "  - %s\n", literal(text))
}

// literal keeps text from being taken for Markdown's own signs.
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|", `\|`).Replace(oneLine(s))
}

func speaker(role string) string {
	if role == "assistant" {
		return "the assistant"
	}
	return "you"
}

// cited is a sentence of an answer's paragraph and the items that it rests on.
type cited struct {
	text  string
	items []payload.ItemID
}

// composedOf is how many results a model's paragraph is made of.
const composedOf = 8

// paragraph prints an answer as one paragraph, each sentence with the number of
// its sources, and the sources below: what a model said, or else what is put
// together by rules. Sentences whose source isn't among what was found are left
// out.
func (p *page) paragraph(v verdict, a index.Answer, results []index.Result, said []cited) {
	sources := sourcesOf(results)
	sentences := checked(said, sources)
	if len(sentences) == 0 {
		sentences = checked(template(results), sources)
	}
	if v == nothing || len(sentences) == 0 || len(a.Listed) > 0 && len(said) == 0 {
		p.write(a, v, results)
		return
	}
	if v == weak {
		fmt.Fprintln(p.w, "Nothing clearly answers this; nearest:")
	}
	number := map[payload.ItemID]int{}
	var order []payload.ItemID
	var text strings.Builder
	for _, s := range sentences {
		text.WriteString(s.text)
		for _, id := range s.items {
			if number[id] == 0 {
				order = append(order, id)
				number[id] = len(order)
			}
			fmt.Fprintf(&text, " [%d]", number[id])
		}
		text.WriteByte(' ')
	}
	p.wrapped("", "", strings.TrimSpace(oneLine(text.String())), "")
	fmt.Fprintln(p.w)
	for i, id := range order {
		src := sources[id]
		line := fmt.Sprintf("%s, %s", p.where(src.Place, src.Turn, true), day(src.Item.At))
		if quotes := quotesOf(src.Item); len(quotes) > 0 {
			line += ": " + strings.Join(quotes, " ")
		}
		p.wrapped(fmt.Sprintf("[%d] ", i+1), "    ", line, "")
	}
}

// quotesOf are the words that an item rests on: its first quote, or what the
// assistant offered and what the person said to it.
func quotesOf(it payload.Item) []string {
	if len(it.Evidence) == 0 {
		return nil
	}
	first := "“" + clip(oneLine(it.Evidence[0].Quote), 200) + "”"
	if reply, ok := replyTo(it); ok {
		return []string{"the assistant: " + first, "you: “" + clip(oneLine(reply.Quote), 200) + "”"}
	}
	return []string{first}
}

// sourcesOf are the items that a paragraph may cite.
func sourcesOf(results []index.Result) map[payload.ItemID]index.Placed {
	sources := map[payload.ItemID]index.Placed{}
	for _, r := range results {
		if r.Item == nil {
			continue
		}
		h := r.Item
		sources[h.Item.ID] = index.Placed{Place: h.Place, Item: h.Item, Turn: h.Turn}
		for _, l := range append(append([]index.Linked{}, h.History...), h.Conflict...) {
			sources[l.Item.ID] = l.Placed
		}
	}
	return sources
}

// checked leaves out what cites nothing that was found.
func checked(sentences []cited, sources map[payload.ItemID]index.Placed) []cited {
	var kept []cited
	for _, s := range sentences {
		found := len(s.items) > 0
		for _, id := range s.items {
			_, ok := sources[id]
			found = found && ok
		}
		if found && strings.TrimSpace(s.text) != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// told are the kinds that a paragraph goes on with after its first item, and
// toldMost how many items it has.
var told = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Deferred, payload.Question, payload.Flag}

const toldMost = 3

// template says in sentences what was found: the first item with its reason and
// history, and what else was decided.
func template(results []index.Result) []cited {
	var out []cited
	n, first := 0, 0.0
	for _, r := range results {
		if r.Item == nil || n == toldMost || n > 0 && !slices.Contains(told, r.Item.Item.Kind) {
			continue
		}
		h := r.Item
		if n == 0 {
			first = speaksFor(h)
		} else if speaksFor(h) < besideFirst*first {
			continue // a result may be far off; a sentence beside the first would say it were not
		}
		n++
		it := withReason(h.Item)
		say := func(id payload.ItemID, format string, args ...any) {
			out = append(out, cited{fmt.Sprintf(format, args...), []payload.ItemID{id}})
		}
		say(it.ID, "%s", stated(it))
		if it.Why != "" && n == 1 {
			say(it.ID, "The reason: %s.", stop(it.Why))
		}
		for _, l := range h.Conflict {
			say(l.Item.ID, "That contradicts what was said on %s: %s.", day(l.Item.At), stop(l.Item.Text))
		}
		for _, l := range h.History[:min(pastShown, len(h.History))] {
			say(l.Item.ID, "Before, since %s, it was: %s.", day(l.Item.At), stop(l.Item.Text))
		}
	}
	return out
}

// besideFirst is how much of the question an item must hold to be told beside the
// first one, as a share of what that holds.
const (
	besideFirst   = 0.5
	kindredCounts = 0.3 // as the lexicon does in the first pass
)

// speaksFor is how much of the question stands in an item, in its own words or others.
func speaksFor(h *index.Hit) float64 {
	return max(h.Look[rank.All], h.Look[rank.Alias]) + kindredCounts*h.Look[rank.Kindred]
}

// stated is an item as a sentence that says what kind of thing it is.
func stated(it payload.Item) string {
	form := "%s (%s)."
	switch {
	case !it.Current():
		return fmt.Sprintf("%s (%s).", stop(it.Text), stateText(it))
	case it.Kind == payload.Decision:
		form = "%s, decided on %s."
	case it.Kind == payload.Eliminated && payload.SaysNo(it.Text):
		form = "%s (ruled out on %s)."
	case it.Kind == payload.Eliminated:
		form = "Ruled out: %s, on %s."
	case it.Kind == payload.Finding:
		form = "%s (found on %s)."
	case it.Kind == payload.Deferred:
		form = "Put off: %s, on %s."
	case it.Kind == payload.Question:
		form = "Still open: %s, asked on %s."
	}
	text := it.Text
	switch {
	case it.Kind == payload.Lead:
		return fmt.Sprintf("On %s %s said: “%s”", day(it.At), saidBy(it), oneLine(it.Text))
	case it.Kind == payload.Eliminated:
		text = payload.RuledOutThing(text)
	case it.Path != "":
		text = it.Path + ": " + text
	}
	return fmt.Sprintf(form, stop(text), day(it.At))
}

// saidBy is who said a passage.
func saidBy(it payload.Item) string {
	if it.By == payload.ByAssistant {
		return "the assistant"
	}
	return "you"
}

// stop is a text without its last full stop.
func stop(s string) string { return strings.TrimRight(oneLine(s), ".:; ") }
