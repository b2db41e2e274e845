package relate

import (
	"maps"
	"slices"
	"strings"

	"recall/payload"
)

// bag is a set of stems with their weights.
type bag map[string]float64

func (b bag) add(t token) {
	switch {
	case t.stem == "":
	case t.name:
		b[t.stem] = nameWeight
	default:
		b[t.stem] = max(b[t.stem], 1)
	}
}

// nameWeight is what a name counts beside a word.
const nameWeight = 2

func (b bag) weight() float64 {
	sum := 0.0
	for _, w := range b {
		sum += w
	}
	return sum
}

// in is the share of b's weight that c holds too; 0 of an empty bag.
func (b bag) in(c bag) float64 {
	all, shared := 0.0, 0.0
	for s, w := range b {
		all += w
		if _, ok := c[s]; ok {
			shared += w
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}

func (b bag) without(c bag) bag {
	out := bag{}
	for s, w := range b {
		if _, ok := c[s]; !ok {
			out[s] = w
		}
	}
	return out
}

func (b bag) meets(c bag) bool {
	for s := range b {
		if _, ok := c[s]; ok {
			return true
		}
	}
	return false
}

// claim is an item as the rules see it.
type claim struct {
	kind    payload.Kind
	all     bag               // of its text
	stems   []string          // of all, in order
	weight  float64           // of all
	heldSum float64           // of held
	values  bag               // of these, the numbers and switches
	held    bag               // what it stands for: the text without what it gives up
	scope   bag               // "for sessions", "in production": where it holds
	subject bag               // of its first "is" or "are"
	after   map[string]string // for each stem that one stands right before: that one
	gives   []givesUp         // what it gives up
	stays   bool              // it says that something stays as it is
	back    bool              // it says that something is as it was before
	denies  bool              // "never", "not": an odd number of them
	puts    bool              // it puts something off
	left    *left             // what it leaves open; nil of what decides something
	opposes opposes
}

// givesUp is something that a claim says it no longer stands for.
type givesUp struct {
	lost   bag
	bare   bool // the claim names what takes its place, if anything, and nothing else
	option bool // an alternative that lost, as the item lists it
	who    bag  // the subject of "<warnings> no longer <stop the build>"; part of lost
}

// claimOf reads an item. The quote counts where it gives something up: it is
// there that people say so.
func claimOf(it *payload.Item) *claim {
	toks := tokens(it.Text)
	c := &claim{kind: it.Kind, all: bag{}, values: bag{}, held: bag{}, scope: scopeOf(toks)}
	for i, t := range toks {
		c.all.add(t)
		if t.value && !labels(toks, i) {
			c.values.add(t)
		}
	}
	c.stems, c.weight = slices.Sorted(maps.Keys(c.all)), c.all.weight()
	c.subject, c.after = subjectOf(toks), pairsOf(toks)
	c.left, c.puts = leftOf(it.Kind, toks), putsOff(toks)
	if it.Kind == payload.Decision {
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
	for _, e := range it.Evidence[:min(1, len(it.Evidence))] {
		if q := tokens(e.Quote); !sameWords(q, toks) {
			c.read(q)
		}
	}
	for _, a := range it.Alternatives {
		b := bag{}
		for _, t := range tokens(a) {
			b.add(t)
		}
		if len(b) > 0 && it.Kind == payload.Decision {
			c.gives = append(c.gives, givesUp{lost: b, option: true})
		}
	}
	if it.Kind == payload.Eliminated {
		c.gives, c.held = nil, bag{}
	}
	c.heldSum = c.held.weight()
	return c
}

// halfIn tells whether half of a claim's weight is in another: most pairs that
// are looked at differ in more.
func (c *claim) halfIn(d *claim) bool {
	shared := 0.0
	for a, b := c.stems, d.stems; len(a) > 0 && len(b) > 0; {
		switch x := strings.Compare(a[0], b[0]); {
		case x < 0:
			a = a[1:]
		case x > 0:
			b = b[1:]
		default:
			shared += c.all[a[0]]
			a, b = a[1:], b[1:]
		}
	}
	return c.weight > 0 && shared/c.weight >= 0.5
}

// labels tells whether a bare number is a name: "service 2", "phase 3".
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
		b, who := bag{}, bag{}
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
	c.back = c.back || backForm().MatchString(text)
	return lost
}

// bare tells whether a sentence says hardly more than what it gives up and what
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
	b := bag{}
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
	b := bag{}
	for _, t := range toks {
		if beings[t.low] {
			return b
		}
		if isMark(t) {
			b = bag{}
		}
		b.add(t)
	}
	return bag{}
}

// pairsOf tells for each word which one it follows directly: "users table".
func pairsOf(toks []token) map[string]string {
	m := map[string]string{}
	for i := 1; i < len(toks); i++ {
		if toks[i].stem != "" && toks[i-1].stem != "" && !toks[i-1].value {
			m[toks[i].stem] = toks[i-1].stem
		}
	}
	return m
}

// apart tells whether two claims speak of different things of one sort: the
// users table and the events table, alerts that are evaluated and rules that are.
func (c *claim) apart(d *claim) bool {
	if len(c.subject) > 0 && len(d.subject) > 0 && !c.subject.meets(d.all) && !d.subject.meets(c.all) {
		return true
	}
	for w, x := range c.after {
		y, ok := d.after[w]
		if _, a := d.all[x]; ok && !a {
			if _, b := c.all[y]; !b {
				return true
			}
		}
	}
	return false
}

var (
	scopeWords = set(`for in on at during within under between`)
	ends       = set(`instead rather not no and but because since as so when while — that which with by`)
)

// isName tells whether a stem is a name in it.
func (c *claim) isName(stem string) bool {
	if c.all[stem] >= nameWeight {
		return true
	}
	return slices.ContainsFunc(c.gives, func(g givesUp) bool { return g.lost[stem] >= nameWeight })
}

func lowText(toks []token) string {
	var b strings.Builder
	for _, t := range toks {
		b.WriteString(t.low)
		b.WriteByte(' ')
	}
	return b.String()
}
