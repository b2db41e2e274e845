package distill

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"recall/ingest"
	"recall/payload"
	"recall/text"
)

// An option is one of several that a message offers, each under its letter or
// number: "**Option C — a footer**", "(b) an alias", "2. Batches".
type option struct {
	label    string // lower case
	text     string // its first line without the label, verbatim
	from, to int    // of the message
}

// speaks reports whether an option's own words say enough to be read alone.
func (o *option) speaks() bool { return len(text.Words(o.text)) >= 2 && !half(plainText(o.text)) }

// A group is the options of one choice.
type group []option

var optionForms = sync.OnceValue(func() []*regexp.Regexp {
	const end = `[^\S\n]*[).:\]—–-]*\**[).:\]—–-]*[^\S\n]*(\S[^\n]*)`
	return []*regexp.Regexp{
		regexp.MustCompile(`(?m)^[ \t>*+#-]*\**(?i:option|approach|variant|alternative|choice|plan)` +
			`[ \t]+\(?([A-Ha-h]|[1-9])\b` + end),
		regexp.MustCompile(`(?m)^[ \t>*+-]*\**(?:\(([A-Ha-h])\)|([A-Ha-h])[).])[ \t]` + end),
		regexp.MustCompile(`(?m)^[ \t>*+-]*\**(?:\(([1-9])\)|([1-9])[).])\**[ \t]` + end),
	}
})

// groupsIn finds the choices that a message offers.
func groupsIn(text string) []group {
	var out []group
	for _, form := range optionForms() {
		var g group
		flush := func() {
			if len(g) > 1 {
				out = append(out, g.ended(text))
			}
			g = nil
		}
		for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
			label := m[2:4]
			if label[0] < 0 {
				label = m[4:6]
			}
			l := strings.ToLower(text[label[0]:label[1]])
			last := m[len(m)-2:]
			if l == "a" || l == "1" || len(g) > 0 && l[0] != g[len(g)-1].label[0]+1 {
				flush()
			}
			if len(g) == 0 && l != "a" && l != "1" {
				continue
			}
			own := strings.TrimRight(text[last[0]:last[1]], " \t\r*_")
			g = append(g, option{label: l, text: strings.TrimLeft(own, "*_ "), from: m[0], to: len(text)})
		}
		flush()
	}
	return out
}

// afterOptions is where a message turns to something else.
var afterOptions = text.Pattern(`(?m)^(?:---|\*\*\*|#)|^[^\n]*\?\s*$`)

// ended says where each option ends: where the next begins, the last where the
// message turns to something else, and no further than twice the longest other.
func (g group) ended(text string) group {
	longest := 0
	for i := range len(g) - 1 {
		g[i].to = g[i+1].from
		longest = max(longest, g[i].to-g[i].from)
	}
	last := &g[len(g)-1]
	last.to = min(len(text), last.from+2*longest)
	line := strings.IndexByte(text[last.from:last.to], '\n')
	if line >= 0 {
		if m := afterOptions().FindStringIndex(text[last.from+line+1 : last.to]); m != nil {
			last.to = last.from + line + 1 + m[0]
		}
	}
	return g
}

var namedOption = text.Pattern(`(?i)\b(?:option|approach|variant|alternative|choice|plan)\s+\(?([a-h]|[1-9])\b`)

// of is the option that a quote of the message names or stands in, nil if none.
func (g group) of(text, quote string) *option {
	at := strings.Index(text, quote)
	for i := range g {
		if o := &g[i]; at >= o.from && at < o.to {
			return o
		}
	}
	if m := namedOption().FindStringSubmatch(quote); m != nil {
		return g.labelled(strings.ToLower(m[1]))
	}
	return nil
}

func (g group) labelled(label string) *option {
	if i := slices.IndexFunc(g, func(o option) bool { return o.label == label }); i >= 0 {
		return &g[i]
	}
	return nil
}

// without are the other options, in a few words each.
func (g group) without(label string) []string {
	var out []string
	for _, o := range g {
		if o.label != label && o.speaks() {
			out = append(out, strings.TrimRight(plainText(text.HeadWords(o.text, 80)), " .:"))
		}
	}
	return out
}

// A pick is what a person took of a choice.
type pick struct {
	turn   *ingest.Turn
	group  group
	option *option
}

func (p *pick) word() string { return quoteOf(p.turn.Text) }

var (
	takesNamed = text.Pattern(`(?i)\b(?:option|approach|variant|alternative|choice|plan|number)\s+\(?([a-h]|[1-9])\b`)
	takesBare  = text.Pattern(`(?i)^(?:(?:or|no|ok|okay|yes|yeah|yep|sure|actually|let'?s|i'?d|i|we|do|go|with|take|` +
		`pick|choose|prefer|like|want|for|the|please|then|just|use|it'?s)[\s,]+)*` +
		`(?:\(([a-h]|[1-9])\)|([a-h]|[1-9])\)?)(?:[.!)]?\s*$|,\s|[!)]?\s+(?:please|then|it is|sounds|is ` +
		`(?:good|fine|best|ok))\b)`)
	severalPicked = text.Pattern(`(?i)\b(?:[a-h]|[1-9])\)?\s*(?:,|&|\+|and|or|/)\s*\(?(?:option\s+)?(?:[a-h]|[1-9])\b`)
	saysNo        = text.Pattern(`(?i)\b(?:not|no|never|cannot)\b|n['’]t\b|\?`)
)

// labelTaken is the letter or number that a turn outright takes, "" if none or
// several.
func labelTaken(own string) string {
	sentence := firstSentence(own)
	if severalPicked().MatchString(sentence) {
		return ""
	}
	if m := takesBare().FindStringSubmatch(sentence); m != nil {
		return strings.ToLower(m[1] + m[2])
	}
	if m := takesNamed().FindStringSubmatch(sentence); m != nil && !saysNo().MatchString(sentence) {
		return strings.ToLower(m[1])
	}
	return ""
}

// How far a person's choice may be from what it chooses of: turns typed, and words
// of content of one between that takes nothing.
const (
	picksAfter  = 3
	pickBetween = 8
)

// pickAfter is what the person last took of a choice, while nothing longer was
// typed between; nil if nothing.
func (c *contract) pickAfter(asked *ingest.Turn, g group) *pick {
	var last *pick
	t := c.next(asked)
	for n := 0; t != nil && n < picksAfter; n++ {
		own := strings.TrimSpace(t.OwnText())
		if o := g.labelled(labelTaken(own)); o != nil {
			last = &pick{t, g, o}
		} else if len(text.Words(own)) > pickBetween {
			break
		}
		t = c.next(t)
	}
	return last
}

// picked finds the choice that an item is of, what was taken of it, and the quote
// of the message that offered it; nil if there is none, or what was taken says more
// than which option.
func (c *contract) picked(it *payload.Item) (asked *ingest.Turn, quote string, p *pick) {
	for _, e := range it.Evidence {
		for _, t := range c.at[e.Turn] {
			if t.Role == ingest.User {
				if a := c.after(t); a != nil && len(it.Evidence) == 1 && labelTaken(t.OwnText()) == "" {
					if p := c.askedBack(it, a); p != nil {
						return a, "", p
					}
				}
				continue
			}
			for _, g := range groupsIn(t.Text) {
				if g.of(t.Text, e.Quote) == nil {
					continue
				}
				if p := c.pickAfter(t, g); p != nil && !ownWish(it, p) {
					return t, e.Quote, p
				}
			}
		}
	}
	return nil, "", nil
}

// ownWish reports whether a person who took an option spoke of the item's words
// beside: "C, with the cache of A".
func ownWish(it *payload.Item, p *pick) bool {
	rest := text.Words(plainText(p.turn.OwnText()))
	for w := range text.Words(p.option.text) {
		delete(rest, w)
	}
	n := 0
	for w := range text.Words(it.Text) {
		if rest.Has(w) && len(w) > 1 && w != "option" {
			n++
		}
	}
	return n >= 2
}

// askedBack is what was taken where the assistant answered a person's wish with
// options of it.
func (c *contract) askedBack(it *payload.Item, a *ingest.Turn) *pick {
	says := text.Words(it.Text)
	for _, g := range groupsIn(a.Text) {
		n := map[string]bool{}
		for _, o := range g {
			for w := range text.Words(a.Text[o.from:o.to]) {
				if says.Has(w) {
					n[w] = true
				}
			}
		}
		if 2*len(n) < len(says) {
			continue
		}
		if p := c.pickAfter(a, g); p != nil {
			return p
		}
	}
	return nil
}

// after is the assistant's answer to a turn, nil if there is none.
func (c *contract) after(t *ingest.Turn) *ingest.Turn {
	for i := c.place[t] + 1; i < len(c.session.Turns); i++ {
		switch b := &c.session.Turns[i]; {
		case typed(b):
			return nil
		case b.Role == ingest.Assistant && !b.Abandoned && len(groupsIn(b.Text)) > 0:
			return b
		}
	}
	return nil
}
