// Package relate finds how decisions of a project bear on one another: which
// later one says an earlier one again, refines, supersedes or contradicts it.
// Its rules are conservative; each has a precision, measured on labelled pairs
// (precision.json), that says whether the later item may stand for the earlier.
//
// Whether two items are related depends on these two alone, so the order in
// which sessions arrive doesn't matter.
package relate

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"recall/payload"
)

// Item is an item with the session that it stands in.
type Item struct {
	payload.Item
	Session string
	Start   time.Time // of the session
}

// Version changes with the rules and with what is measured of them: links made
// by another one are to be made anew.
func Version() string {
	h := fnv.New32a()
	h.Write(precisionJSON)
	return fmt.Sprintf("%s-%08x", rulesVersion, h.Sum32())
}

const rulesVersion = "rules/4" // raise it when a rule changes

// Kinds are those of the items that the rules look at: what is settled, what one
// must know or supposes, and what is left open.
var Kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Flag, payload.Hypothesis, payload.Question, payload.Deferred}

// Links finds the relations between the items of one project of which at least
// one side is of a session that is due; nil for all. They come in the order of
// StandingLinks. The order of the items doesn't matter.
func Links(items []Item, due func(session string) bool) []payload.Link {
	p := newProject(items)
	var links []payload.Link
	for i := range p.items {
		if due != nil && !due(p.items[i].Session) {
			continue
		}
		for _, j := range p.near(i) {
			if j < i && (due == nil || due(p.items[j].Session)) {
				continue // its turn was the other one's
			}
			if l, ok := p.link(max(i, j), min(i, j)); ok {
				links = append(links, l)
			}
		}
	}
	return payload.StandingLinks(links)
}

// project is a project's items in the order of their time, and where each word
// stands.
type project struct {
	items  []Item
	claims []*claim // read when they are asked for
	cut    []cutItem
	words  [][]term
	holds  map[term][]int
}

func newProject(items []Item) *project {
	p := &project{holds: map[term][]int{}}
	for _, it := range items {
		if slices.Contains(Kinds, it.Kind) && it.Text != "" {
			p.items = append(p.items, it)
		}
	}
	slices.SortFunc(p.items, inTime)
	p.items = slices.CompactFunc(p.items, func(a, b Item) bool { return a.ID == b.ID })
	p.claims = make([]*claim, len(p.items))
	p.cut = make([]cutItem, len(p.items))
	p.words = make([][]term, len(p.items))
	for i := range p.items {
		p.cut[i] = cut(&p.items[i].Item)
		p.words[i] = p.cut[i].words()
		for _, t := range p.words[i] {
			p.holds[t] = append(p.holds[t], i)
		}
	}
	return p
}

func (p *project) claim(i int) *claim {
	if p.claims[i] == nil {
		p.claims[i] = claimIn(p.items[i].Kind, p.cut[i])
		p.cut[i] = cutItem{}
	}
	return p.claims[i]
}

// A cutItem is what the rules read of an item, cut into tokens.
type cutItem struct {
	text, quote  []token // the quote of its first evidence, nil if it is the text
	alternatives [][]token
}

func cut(it *payload.Item) cutItem {
	c := cutItem{text: tokens(it.Text)}
	if len(it.Evidence) > 0 && it.Evidence[0].Quote != it.Text {
		c.quote = tokens(it.Evidence[0].Quote)
	}
	for _, a := range it.Alternatives {
		c.alternatives = append(c.alternatives, tokens(a))
	}
	return c
}

// words are all stems that a rule may find in an item.
func (c *cutItem) words() []term {
	var out []term
	add := func(toks []token) {
		for _, t := range toks {
			if t.stem != "" {
				out = append(out, t.term)
			}
		}
	}
	add(c.text)
	add(c.quote)
	for _, a := range c.alternatives {
		add(a)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inTime orders items by when they were said.
func inTime(a, b Item) int {
	return cmp.Or(a.At.Compare(b.At), a.Start.Compare(b.Start), strings.Compare(a.Session, b.Session), cmp.Compare(turnOf(a), turnOf(b)), strings.Compare(string(a.ID), string(b.ID)))
}

func turnOf(it Item) int {
	if len(it.Evidence) == 0 {
		return 0
	}
	return it.Evidence[0].N
}

// near lists the items that share two words or a name with one; no rule fits
// others.
func (p *project) near(i int) []int {
	shared := make([]int8, len(p.items))
	for _, t := range p.words[i] {
		weight := int8(1)
		if p.claim(i).isName(t) {
			weight = 2
		}
		for _, j := range p.holds[t] {
			shared[j] = min(2, shared[j]+weight)
		}
	}
	var out []int
	for j, n := range shared {
		if n == 2 && j != i {
			out = append(out, j)
		}
	}
	return out
}

// link tells how one item bears on an earlier one.
func (p *project) link(later, earlier int) (payload.Link, bool) {
	a, b := &p.items[later], &p.items[earlier]
	if !a.Current() || sameTurn(a, b) || Left(a.Kind) {
		return payload.Link{}, false
	}
	if Left(b.Kind) && (a.Session == b.Session || !b.Current()) { // what a session left open at its end, its own distillation says
		return payload.Link{}, false
	}
	r, ok := between(p.claim(later), p.claim(earlier))
	m := Measured()[r.name]
	if !ok || m.Precision() < least {
		return payload.Link{}, false
	}
	return payload.Link{
		Op: payload.OpLink, Relation: r.relation, From: a.ID, To: b.ID, FromSession: a.Session, ToSession: b.Session,
		FromEvidence: evidence(a), ToEvidence: evidence(b), Maker: payload.ByRule, Rule: r.name,
		Precision: float64(int(m.Precision()*1000+0.5)) / 1000, Collapses: m.Sure(), At: a.At,
	}, true
}

// least is the precision under which a rule says nothing.
const least = 0.6

// sameTurn tells whether two items were said in one breath: then neither is later.
func sameTurn(a, b *Item) bool {
	return a.Session == b.Session && len(a.Evidence) > 0 && len(b.Evidence) > 0 && a.Evidence[0].Turn == b.Evidence[0].Turn
}

func evidence(it *Item) *payload.Evidence {
	if len(it.Evidence) == 0 {
		return nil
	}
	e := it.Evidence[0]
	return &e
}
