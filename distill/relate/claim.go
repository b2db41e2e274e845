package relate

import (
	"cmp"
	"slices"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// claim is an item as the rules see it.
type claim struct {
	kind    payload.Kind
	all     bag       // of the text
	values  bag       // the numbers and switch positions among these
	held    bag       // what it stands for: the text without what it gives up
	scope   bag       // where it holds: "for sessions", "in production"
	subject bag       // of its first "is" or "are"
	after   []pair    // adjacent words
	gives   []givesUp // what it gives up
	stays   bool      // it says that something stays as it is
	denies  bool      // "never", "not": an odd number of them
	puts    bool      // "never", "not": an odd number of negations
	left    *left     // what it leaves open; nil for kinds that decide something
	opposes opposes
}

// givesUp is something that a claim no longer stands for.
type givesUp struct {
	lost   bag
	bare   bool // besides it the claim names at most what replaces it
	option bool // a rejected alternative, as listed by the item
	who    bag  // the subject of "<warnings> no longer <stop the build>"; part of lost
}

// claimIn reads a tokenized item. The quote is read for what it gives up, since people say
// so there.
func claimIn(kind payload.Kind, in cutItem) *claim {
	toks := in.text
	c := &claim{kind: kind, all: bagOf(toks), scope: scopeOf(toks)}
	for i, t := range toks {
		if t.value && !labels(toks, i) {
			c.values.put(t)
		}
	}
	c.subject, c.after = subjectOf(toks), pairsOf(toks)
	c.left, c.puts = leftOf(kind, toks), putsOff(toks)
	if kind == payload.Decision {
		c.opposes = opposesOf(toks)
	}
	low := lowText(toks)
	c.stays = staysForm().MatchString(storedForm.Replace(low))
	c.denies = len(denyForm().FindAllString(low, -1))%2 == 1
	lost := c.read(toks)
	aside := 0 // in parentheses
	for i, t := range toks {
		aside += strings.Count(t.low, "(") - strings.Count(t.low, ")")
		if !lost[i] && aside <= 0 {
			c.held.put(t)
		}
	}
	if len(in.quote) > 0 && !sameWords(in.quote, toks) {
		c.read(in.quote)
	}
	for _, a := range in.alternatives {
		if b := bagOf(a); len(b) > 0 && kind == payload.Decision {
			c.gives = append(c.gives, givesUp{lost: b, option: true})
		}
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

// read records what a sentence gives up, and returns the tokens that name it.
func (c *claim) read(toks []token) map[int]bool {
	lost := map[int]bool{}
	for _, sp := range lostSpans(toks) {
		b, who := bagOf(toks[sp.from:sp.to]), bag(nil)
		for i := sp.from; i < sp.to; i++ {
			lost[i] = true
		}
		if sp.also != nil {
			who = bagOf(toks[sp.also[0]:sp.also[1]])
			for _, e := range who {
				b.add(e)
			}
		}
		if len(b) > 0 {
			c.gives = append(c.gives, givesUp{lost: b, bare: c.bare(toks, lost), who: who})
		}
	}
	return lost
}

// bare reports whether a sentence says hardly more than what it gives up and what replaces
// that.
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
func scopeOf(toks []token) bag {
	var b bag
	in := false
	for i, t := range toks {
		switch {
		case scopeWords[t.low] && (i == 0 || !strings.ContainsAny(toks[i-1].low, ",;:.(")):
			in = true
		case t.stem == "" && (len(t.low) == 1 && !text.Letter(t.low[0]) || ends[t.low]):
			in = false
		case in && !t.value:
			b.put(t)
		}
	}
	return b
}

// subjectOf returns what precedes the first "is" or "are".
func subjectOf(toks []token) bag {
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

// A pair is a word and the one directly before it: "users table".
type pair struct{ word, before entry }

// pairsOf returns the words that directly follow another, sorted, each once.
func pairsOf(toks []token) []pair {
	var out []pair
	for i := len(toks) - 1; i > 0; i-- { // of a repeated word the last occurrence counts
		if toks[i].stem != "" && toks[i-1].stem != "" && !toks[i-1].value {
			out = append(out, pair{number(toks[i].stem), number(toks[i-1].stem)})
		}
	}
	byWord := func(a, b pair) int { return cmp.Compare(a.word, b.word) }
	slices.SortStableFunc(out, byWord)
	return slices.CompactFunc(out, func(a, b pair) bool { return a.word == b.word })
}

// apart reports whether two claims are about different things of the same sort: the users
// table and the events table, alerts that are evaluated and rules that are.
func (c *claim) apart(d *claim) bool {
	if len(c.subject) > 0 && len(d.subject) > 0 && !meet(c.subject, d.all) && !meet(d.subject, c.all) {
		return true
	}
	at := 0
	for _, x := range c.after {
		for at < len(d.after) && d.after[at].word < x.word {
			at++
		}
		if at < len(d.after) && d.after[at].word == x.word && !d.all.has(x.before) &&
			!c.all.has(d.after[at].before) {
			return true
		}
	}
	return false
}

var (
	scopeWords = text.Set(`for in on at during within under between`)
	ends       = text.Set(`instead rather not no and but because since as so when while — that which with by`)
)

func lowText(toks []token) string {
	var b strings.Builder
	for _, t := range toks {
		b.WriteString(t.low)
		b.WriteByte(' ')
	}
	return b.String()
}
