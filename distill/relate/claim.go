package relate

import (
	"slices"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// claim is an item as the rules see it.
type claim struct {
	kind    payload.Kind
	all     text.Bag          // of the text
	values  text.Bag          // the numbers and switch positions among these
	scope   text.Bag          // where it holds: "for sessions", "in production"
	held    text.Bag          // what it stands for: the text without what it gives up
	subject text.Bag          // of its first "is" or "are"
	before  map[string]string // by word, the one directly before it
	gives   []givesUp         // what it gives up
	denies  bool              // "never", "not": an odd number of them
	asks    text.Bag          // the words of a question but for those that only ask
	amount  bool              // it asks how much, or how long
	puts    bool              // it puts something off
}

// givesUp is something that a claim no longer stands for.
type givesUp struct {
	lost text.Bag
	bare bool     // besides it the claim names at most what replaces it
	who  text.Bag // the subject of "<warnings> no longer <stop the build>"; part of lost
}

// A reading is an item in tokens.
type reading struct {
	kind        payload.Kind
	text, quote []token
}

func readItem(it *payload.Item) reading {
	return reading{kind: it.Kind, text: tokens(it.Text), quote: tokens(it.First().Quote)}
}

// words returns the words that a rule may match.
func (r *reading) words() text.Bag {
	return bagOf(slices.Concat(r.text, r.quote))
}

// claimIn makes out what an item claims. Its first quote, too, is read for what it gives up, since people say so
// there.
func claimIn(in reading) *claim {
	kind, toks := in.kind, in.text
	c := &claim{kind: kind, all: bagOf(toks), values: text.Bag{}, scope: scopeOf(toks), held: text.Bag{}}
	for i, t := range toks {
		if t.value && !labels(toks, i) {
			put(c.values, t)
		}
	}
	c.asks = text.Bag{}
	for i, t := range toks {
		c.puts = c.puts || putOff[t.low]
		c.amount = c.amount || i > 0 && toks[i-1].low == "how" && asking[t.low]
		if kind == payload.Question && !asking[t.low] {
			put(c.asks, t)
		}
	}
	c.subject, c.before = subjectOf(toks), beforeEach(toks)
	var words []string
	for _, t := range toks {
		words = append(words, t.low)
	}
	low := strings.Join(words, " ")
	c.denies = len(denyForm().FindAllString(low, -1))%2 == 1
	lost := c.readLost(toks)
	for i, t := range toks {
		if !lost[i] {
			put(c.held, t)
		}
	}
	if !sameWords(in.quote, toks) {
		c.readLost(in.quote)
	}
	if kind == payload.Eliminated {
		c.gives, c.held = nil, nil
	}
	return c
}

// labels reports whether a number is part of a name: "service 2", "phase 3".
func labels(toks []token, i int) bool {
	return isNumber(strings.TrimPrefix(toks[i].stem, "=")) && i > 0 && toks[i-1].stem != "" && !toks[i-1].value
}

func sameWords(a, b []token) bool {
	return slices.EqualFunc(a, b, func(x, y token) bool { return x.low == y.low })
}

// readLost records what a sentence gives up, and returns the tokens that name it.
func (c *claim) readLost(toks []token) map[int]bool {
	lost := map[int]bool{}
	for _, sp := range lostSpans(toks) {
		b, who := bagOf(toks[sp.from:sp.to]), text.Bag(nil)
		for i := sp.from; i < sp.to; i++ {
			lost[i] = true
		}
		if sp.also != nil {
			who = bagOf(toks[sp.also[0]:sp.also[1]])
			for _, t := range toks[sp.also[0]:sp.also[1]] {
				put(b, t)
			}
		}
		if len(b) > 0 {
			c.gives = append(c.gives, givesUp{lost: b, bare: c.bare(toks, lost), who: who})
		}
	}
	return lost
}

// bare reports whether a sentence says hardly more than what it gives up and what replaces that.
func (c *claim) bare(toks []token, lost map[int]bool) bool {
	if len(c.scope) > 0 {
		return false
	}
	words, name := 0, false
	for i, t := range toks {
		if t.low == ":" && i <= 2 { // a label
			words, name = 0, false
			continue
		}
		if t.stem == "" || lost[i] {
			name = false
			continue
		}
		if !(name && t.upper) { // two names in a row are one
			words++
		}
		name = t.upper
	}
	return words <= 1
}

// scopeOf returns what follows "for", "in" or "on": where something holds.
func scopeOf(toks []token) text.Bag {
	b := text.Bag{}
	in := false
	for i, t := range toks {
		switch {
		case scopeWords[t.low] && (i == 0 || !strings.ContainsAny(toks[i-1].low, ",;:.(")):
			in = true
		case isMark(t), scopeEnds[t.low]:
			in = false
		case in && !t.value:
			put(b, t)
		}
	}
	return b
}

var (
	scopeWords = text.Set(`for in on at during within under between`)
	scopeEnds  = text.Set(`instead rather not no and but because since as so when while that which with by`)
)

// subjectOf returns what precedes the first "is" or "are".
func subjectOf(toks []token) text.Bag {
	from := 0
	for i, t := range toks {
		if copulas[t.low] {
			return bagOf(toks[from:i])
		}
		if isMark(t) {
			from = i + 1
		}
	}
	return nil
}

// beforeEach returns for each word that follows another one directly, which that is: users → table. Of a repeated
// word the last occurrence counts.
func beforeEach(toks []token) map[string]string {
	m := map[string]string{}
	for i := 1; i < len(toks); i++ {
		if toks[i].stem != "" && toks[i-1].stem != "" && !toks[i-1].value {
			m[toks[i].stem] = toks[i-1].stem
		}
	}
	return m
}

// apart reports whether two claims are about different things of the same sort: the users
// table and the events table, alerts that are evaluated and rules that are.
func (c *claim) apart(d *claim) bool {
	if len(c.subject) > 0 && len(d.subject) > 0 && c.subject.Shared(d.all) == 0 && d.subject.Shared(c.all) == 0 {
		return true
	}
	for word, before := range c.before {
		if other, ok := d.before[word]; ok && !d.all.Has(before) && !c.all.Has(other) {
			return true
		}
	}
	return false
}

var (
	putOff = text.Set(`later deferred defer postpone postponed parked open undecided revisit backlog tbd`)
	asking = text.Set(`question open wait waiting until first long many much often big large fast far old high should`)
)
