package relate

import (
	"cmp"
	"slices"
	"strings"

	"recall/payload"
	"recall/text"
)

// claim is an item as the rules see it.
type claim struct {
	kind    payload.Kind
	all     bag       // of its text
	weight  float64   // of all
	heldSum float64   // of held
	values  bag       // of these, the numbers and switches
	held    bag       // what it stands for: the text without what it gives up
	scope   bag       // "for sessions", "in production": where it holds
	subject bag       // of its first "is" or "are"
	after   []pair    // words that stand right behind one another
	gives   []givesUp // what it gives up
	stays   bool      // it says that something stays as it is
	back    bool      // it says that something is as it was before
	denies  bool      // "never", "not": an odd number of them
	puts    bool      // it puts something off
	left    *left     // what it leaves open; nil of what decides something
	opposes opposes
}

// givesUp is something that a claim says it no longer stands for.
type givesUp struct {
	lost   bag
	bare   bool // the claim names what takes its place, if anything, and nothing else
	option bool // an alternative that lost, as the item lists it
	who    bag  // the subject of "<warnings> no longer <stop the build>"; part of lost
}

// claimIn reads an item of a kind that is cut into tokens. The quote counts where it
// gives something up: it is there that people say so.
func claimIn(kind payload.Kind, in cutItem) *claim {
	toks := in.text
	c := &claim{kind: kind, all: bagOf(toks), scope: scopeOf(toks)}
	for i, t := range toks {
		if t.value && !labels(toks, i) {
			c.values.add(t)
		}
	}
	c.weight = c.all.weight()
	c.subject, c.after = subjectOf(toks), pairsOf(toks)
	c.left, c.puts = leftOf(kind, toks), putsOff(toks)
	if kind == payload.Decision {
		c.opposes = opposesOf(toks)
	}
	text := lowText(toks)
	c.stays = staysForm().MatchString(storedForm.Replace(text))
	c.denies = len(denyForm().FindAllString(text, -1))%2 == 1
	lost := c.read(toks)
	aside := 0 // in parentheses
	for i, t := range toks {
		aside += strings.Count(t.low, "(") - strings.Count(t.low, ")")
		if !lost[i] && aside <= 0 {
			c.held.add(t)
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
	c.heldSum = c.held.weight()
	return c
}

// halfIn reports whether half of a claim's weight is in another: most pairs that
// are looked at differ in more.
func (c *claim) halfIn(d *claim) bool {
	return c.all.in(d.all) >= 0.5
}

// labels reports whether a bare number is a name: "service 2", "phase 3".
func labels(toks []token, i int) bool {
	return isNumber(strings.TrimPrefix(toks[i].stem, "=")) && i > 0 && toks[i-1].stem != "" && !toks[i-1].value
}

func sameWords(a, b []token) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].low != b[i].low {
			return false
		}
	}
	return true
}

// read notes what a sentence gives up, and says which of its tokens name that.
func (c *claim) read(toks []token) map[int]bool {
	lost := map[int]bool{}
	for _, sp := range lostSpans(toks) {
		var b, who bag
		for i := sp.from; i < sp.to; i++ {
			b.add(toks[i])
			lost[i] = true
		}
		if sp.also != nil {
			for i := sp.also[0]; i < sp.also[1]; i++ {
				b.add(toks[i])
				who.add(toks[i])
			}
		}
		if len(b) > 0 {
			c.gives = append(c.gives, givesUp{lost: b, bare: c.bare(toks, lost), who: who})
		}
	}
	text := lowText(toks)
	c.back = c.back || backForm().MatchString(otherBack().ReplaceAllString(text, ""))
	return lost
}

// bare reports whether a sentence says hardly more than what it gives up and what
// it takes instead.
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

// scopeOf is what stands behind "for", "in", "on": where something holds.
func scopeOf(toks []token) bag {
	var b bag
	in := false
	for i, t := range toks {
		switch {
		case scopeWords[t.low] && (i == 0 || !strings.ContainsAny(toks[i-1].low, ",;:.(")):
			in = true
		case t.stem == "" && (len(t.low) == 1 && !('a' <= t.low[0] && t.low[0] <= 'z') || ends[t.low]):
			in = false
		case in && !t.value:
			b.add(t)
		}
	}
	return b
}

// subjectOf is what stands before the first "is" or "are".
func subjectOf(toks []token) bag {
	var b bag
	for _, t := range toks {
		if beings[t.low] {
			return b
		}
		if isMark(t) {
			b = nil
		}
		b.add(t)
	}
	return nil
}

// A pair is a word and the one right before it: "users table".
type pair struct{ word, before term }

// pairsOf lists the words that follow another directly, each once, in order.
func pairsOf(toks []token) []pair {
	var out []pair
	for i := len(toks) - 1; i > 0; i-- { // of a word that is there twice the last counts
		if toks[i].stem != "" && toks[i-1].stem != "" && !toks[i-1].value {
			out = append(out, pair{toks[i].term, toks[i-1].term})
		}
	}
	byWord := func(a, b pair) int { return cmp.Compare(a.word, b.word) }
	slices.SortStableFunc(out, byWord)
	return slices.CompactFunc(out, func(a, b pair) bool { return a.word == b.word })
}

// apart reports whether two claims speak of different things of one sort: the
// users table and the events table, alerts that are evaluated and rules that are.
func (c *claim) apart(d *claim) bool {
	if len(c.subject) > 0 && len(d.subject) > 0 && !c.subject.meets(d.all) && !d.subject.meets(c.all) {
		return true
	}
	at := 0
	for _, x := range c.after {
		for at < len(d.after) && d.after[at].word < x.word {
			at++
		}
		if at < len(d.after) && d.after[at].word == x.word && d.all.of(x.before) == 0 && c.all.of(d.after[at].before) == 0 {
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
