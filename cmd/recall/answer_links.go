package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"recall/index"
	"recall/payload"
)

// pastShown is how much of an item's history an answer shows; recall why shows
// all of it.
const pastShown = 3

// history prints what an item took the place of, newest first.
func (p *page) history(list []index.Linked) {
	for i, l := range list[:min(len(list), pastShown)] {
		name := "was"
		if i > 0 {
			name = ""
		}
		what := " → " + l.Item.Kind.Became()
		if l.Link.Relation == payload.Same {
			what = " → said again"
		}
		p.field(name, p.past(l)+what)
	}
	if n := len(list) - pastShown; n > 0 {
		p.field("", fmt.Sprintf("and %d before that", n))
	}
}

// past names an item in a few words with its place: fixed 30 s delay
// (2026-04-13, session 1, turn 12).
func (p *page) past(l index.Linked) string {
	return fmt.Sprintf("%s (%s, %s)", clip(strings.TrimRight(oneLine(l.Item.Text), "."), 120), day(l.Item.At), p.where(l.Place, l.Turn, false))
}

// conflict prints two items or more that can't both stand, newer first.
func (p *page) conflict(h index.Hit) {
	fmt.Fprintf(p.w, "%s%s contradict one another; which one stands is open:%s\n", p.st.yellow, count(1+len(h.Conflict), "item"), p.st.reset)
	one := index.Linked{Placed: index.Placed{Place: h.Place, Item: h.Item, Turn: h.Turn}}
	for _, l := range append([]index.Linked{one}, h.Conflict...) {
		it := withReason(l.Item)
		p.headline(mark(it, p.st), p.sentence(it), stateText(it))
		p.support(it, l.Place, l.Turn)
	}
}

// related prints what may bear on an item and isn't a result of its own.
func (p *page) related(h index.Hit) {
	left := slices.DeleteFunc(slices.Clone(h.Related), func(l index.Linked) bool { return p.shown[l.Item.ID] })
	for _, l := range left[:min(len(left), pastShown)] {
		later := l.Link.To == h.Item.ID
		what := map[payload.Relation][2]string{
			payload.Supersedes: {"older, perhaps " + l.Item.Kind.Became() + ": ", "related, newer: "},
			payload.Refines:    {"refines: ", "refined later: "},
			payload.Same:       {"said before: ", "said again: "},
		}[l.Link.Relation]
		text := what[0]
		if later {
			text = what[1]
		}
		p.field("see", text+p.past(l))
	}
}

// changes tells which of the files that an item speaks of were changed since.
func (p *page) changes() {
	var files []string
	for _, file := range slices.Sorted(maps.Keys(p.since)) {
		files = append(files, fmt.Sprintf("%s (%s)", oneLine(file), count(p.since[file], "commit")))
	}
	if len(files) > 0 {
		p.wrapped("  files changed since: ", "    ", strings.Join(files, ", "), "")
	}
}

// tried answers a question whether something was tried by what became of it, in
// one sentence, if that is what was found.
func (p *page) tried(r index.Result) bool {
	if r.Item == nil || r.Item.Item.Kind != payload.Eliminated || !r.Item.Item.Current() || len(r.Item.Conflict) > 0 || !triedForm().MatchString(p.asked) {
		return false
	}
	it := withReason(r.Item.Item)
	thing := payload.RuledOutThing(strings.TrimRight(oneLine(it.Text), "."))
	text := fmt.Sprintf("Yes: %s was tried and ruled out on %s.", upperFirst(thing), day(it.At))
	switch {
	case len(strings.Fields(thing)) > thingWords || sentenceForm.MatchString(thing):
		return false // whether what it speaks of was tried isn't known: it is shown with its words
	case consideredForm().MatchString(p.asked):
		text = fmt.Sprintf("Yes: %s was considered and ruled out on %s.", upperFirst(thing), day(it.At))
	case refused(r.Item.Item):
		text = fmt.Sprintf("%s was ruled out on %s; that it was tried isn't said.", upperFirst(thing), day(it.At))
	}
	if it.Why != "" {
		text += " " + upperFirst(strings.TrimRight(oneLine(it.Why), ".")) + "."
	}
	p.besides(mark(it, p.st), text, p.where(r.Item.Place, r.Item.Turn, false))
	return true
}

// consideredForm matches a question whether something was thought of, which what
// was ruled out answers, tried or not.
var consideredForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:consider(?:ed)?|look(?:ed)? (?:at|into)|think (?:of|about)|thought (?:of|about)|discuss(?:ed)?|evaluated?|weigh(?:ed)?)\b`)
})

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

// thingWords is how long the name of a thing may be to be the subject of a
// sentence.
const thingWords = 6

// sentenceForm matches what has a verb of its own.
var sentenceForm = regexp.MustCompile(`(?i)\w+n['’]t\b|\b(?:is|are|was|were|has|have|does|do|can|can't|cannot|will|won't|would|don't|doesn't|didn't|isn't)\b`)

func upperFirst(s string) string {
	r := []rune(s)
	if len(r) == 0 || strings.ContainsAny(strings.Fields(s)[0], "._/()`") { // an identifier
		return s
	}
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}
