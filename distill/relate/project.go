package relate

import (
	"slices"
	"strings"

	"recall/payload"
)

// project is a project's items in the order of their time. Those that say the
// very same are a group, which is looked at once: whether a rule fits depends on
// what is said alone.
type project struct {
	items  []Item
	due    []bool
	again  []bool // items of which what they restate is to be looked for
	group  []int  // of each item
	groups []group
	holds  map[string][]holder // by word
}

// A group is items that say the same, word for word.
type group struct {
	members []int // in time
	due     bool  // one of them is
	cut     cutItem
	words   map[string]bool // whether each is a name
	claim   *claim          // read when it is asked for
	says    []int           // the groups that it says again, once it was looked at
}

// A holder is a group that holds a word, in one of its items as a name perhaps.
type holder struct {
	group int
	name  bool
}

func newProject(items []Item, due func(*Item) bool) *project {
	p := &project{holds: map[string][]holder{}}
	for _, it := range items {
		if speaks(&it) {
			if it.Kind == payload.Lead {
				it.Kind = payload.Decision // what a person gives up or takes up, said in their words
			}
			if _, choice, ok := strings.Cut(it.Text, " → "); ok && it.Rule == payload.AnswerRule {
				it.Text, _, _ = strings.Cut(choice, " (") // the question asks, and settles nothing
			}
			p.items = append(p.items, it)
		}
	}
	slices.SortFunc(p.items, InTime)
	p.items = slices.CompactFunc(p.items, func(a, b Item) bool { return a.ID == b.ID })
	n := len(p.items)
	p.due, p.again, p.group = make([]bool, n), make([]bool, n), make([]int, n)
	groups := map[string]int{}
	for i := range p.items {
		key := sayings(&p.items[i].Item)
		g, known := groups[key]
		if !known {
			g = len(p.groups)
			groups[key] = g
			p.groups = append(p.groups, group{cut: cut(&p.items[i].Item)})
			p.groups[g].words = p.groups[g].cut.words()
			for w, name := range p.groups[g].words {
				p.holds[w] = append(p.holds[w], holder{g, name})
			}
		}
		p.due[i] = due(&p.items[i])
		p.again[i] = p.due[i]
		p.group[i] = g
		p.groups[g].members = append(p.groups[g].members, i)
		p.groups[g].due = p.groups[g].due || p.due[i]
	}
	return p
}

func sayings(it *payload.Item) string {
	return strings.Join(append([]string{string(it.Kind), it.Text, it.First().Quote}, it.Alternatives...), "\x00")
}

func (p *project) claim(g int) *claim {
	one := &p.groups[g]
	if one.claim == nil {
		one.claim = claimIn(p.items[one.members[0]].Kind, one.cut)
		one.cut = cutItem{}
	}
	return one.claim
}

// near lists the groups that share two words with one, or a word that is a name
// in either; no rule fits others.
func (p *project) near(g int) []int {
	shared := make([]int8, len(p.groups))
	for w, name := range p.groups[g].words {
		for _, h := range p.holds[w] {
			n := int8(1)
			if name || h.name {
				n = 2
			}
			shared[h.group] = min(2, shared[h.group]+n)
		}
	}
	var near []int
	for h, n := range shared {
		if n == 2 {
			near = append(near, h)
		}
	}
	return near
}

// linksOf adds the links between the items of a group that is due and of those
// near it, but for what is only said again: of that, it notes by which.
func (p *project) linksOf(links []payload.Link, g int) []payload.Link {
	for _, h := range p.near(g) {
		if h < g && p.groups[h].due {
			continue // its turn was the other one's
		}
		links = p.pairs(links, g, h)
		if h != g {
			links = p.pairs(links, h, g)
		}
	}
	return links
}

// despite adds the links from decisions that a person made although they had been
// told of what speaks against it, unless a rule has tied the two, or they share no
// word: a prompt may say more than what the note is about.
func (p *project) despite(links []payload.Link) []payload.Link {
	tied := map[[2]payload.ItemID]bool{}
	for _, l := range links {
		tied[[2]payload.ItemID{l.From, l.To}] = true
	}
	at := map[payload.ItemID]int{}
	for i := range p.items {
		at[p.items[i].ID] = i
		for _, id := range p.items[i].Against { // an earlier one: items come in time
			j, ok := at[id]
			related := ok && i != j && (p.due[i] || p.due[j]) && !tied[[2]payload.ItemID{p.items[i].ID, id}] &&
				p.share(p.group[i], p.group[j])
			if related {
				links = p.link(links, despiteRule, i, j)
			}
		}
	}
	return links
}

// share reports whether two groups have a word in common.
func (p *project) share(g, h int) bool {
	for w := range p.groups[g].words {
		if _, both := p.groups[h].words[w]; both {
			return true
		}
	}
	return false
}

// pairs adds the links from a group's items to another's.
func (p *project) pairs(links []payload.Link, later, earlier int) []payload.Link {
	r := p.fit(later, earlier)
	if r == nil {
		return links
	}
	if r.name == Restates && p.groups[later].due {
		p.groups[later].says = append(p.groups[later].says, earlier)
	}
	for _, i := range p.groups[later].members {
		for _, j := range p.groups[earlier].members {
			switch {
			case j >= i:
			case r.name == Restates:
				p.again[i] = p.again[i] || p.due[j]
			case p.due[i] || p.due[j]:
				links = p.link(links, r, i, j)
			}
		}
	}
	return links
}

// restated adds the link from an item to the last one that it says again, and
// where that doesn't hold any more, also to the last that does.
func (p *project) restated(links []payload.Link, i int) []payload.Link {
	last, holding := -1, -1
	for _, h := range p.says(p.group[i]) {
		members := p.groups[h].members
		at, _ := slices.BinarySearch(members, i)
		for at--; at >= 0 && members[at] > holding; at-- {
			if j := members[at]; p.bears(i, j) {
				last = max(last, j)
				if p.items[j].Current() {
					holding = j
				}
			}
		}
	}
	if last >= 0 {
		links = p.link(links, restatesRule, i, last)
	}
	if holding >= 0 && holding != last {
		links = p.link(links, restatesRule, i, holding)
	}
	return links
}

// says lists the groups that one says again.
func (p *project) says(g int) []int {
	one := &p.groups[g]
	if !one.due && one.says == nil {
		one.says = []int{}
		for _, h := range p.near(g) {
			if r := p.fit(g, h); r != nil && r.name == Restates {
				one.says = append(one.says, h)
			}
		}
	}
	return one.says
}

// fit finds the rule by which a group may bear on another of which an item was
// said earlier; nil if none does that is right often enough.
func (p *project) fit(later, earlier int) *rule {
	if members := p.groups[later].members; members[len(members)-1] <= p.groups[earlier].members[0] {
		return nil
	}
	if r := between(p.claim(later), p.claim(earlier)); r != nil && Measured()[r.name].Precision() >= least {
		return r
	}
	return nil
}

// least is the precision under which a rule says nothing.
const least = 0.6

// bears reports whether one item can bear on an earlier one, whatever they say.
func (p *project) bears(later, earlier int) bool {
	a, b := &p.items[later], &p.items[earlier]
	if !a.Current() || sameTurn(a, b) || Left(a.Kind) {
		return false
	}
	// what a session left open at its end, its own distillation says
	return !Left(b.Kind) || a.Session != b.Session && b.Current()
}

// link adds how an item bears on an earlier one, if it can.
func (p *project) link(links []payload.Link, r *rule, later, earlier int) []payload.Link {
	if !p.bears(later, earlier) {
		return links
	}
	a, b, m := &p.items[later], &p.items[earlier], Measured()[r.name]
	return append(links, payload.Link{
		Op: payload.OpLink, Relation: r.relation, From: a.ID, To: b.ID, FromSession: a.Session, ToSession: b.Session,
		FromEvidence: payload.EvidenceOf(&a.Item), ToEvidence: payload.EvidenceOf(&b.Item), Maker: payload.ByRule,
		Rule:      r.name,
		Precision: float64(int(m.Precision()*1000+0.5)) / 1000, Collapses: m.Sure(), At: a.At,
	})
}
