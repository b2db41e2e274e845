package relate

import (
	"cmp"
	"slices"
	"strings"

	"recall/payload"
)

// project holds a project's items in order of time. Items with the same words form a group
// that is examined once, as whether a rule fits depends only on the words.
type project struct {
	items  []Item
	due    []bool
	again  []bool // items for which to look up what they restate
	group  []int  // of each item
	groups []group
	lists  map[entry]int32 // the place in holds of each word
	holds  [][]holder      // by word, the groups that have it
	most   limits
	kept   map[slot][]int // the nearest items of each slot, nearest first
	shared []int32        // scratch space: weight that each group shares with the current one
	met    []int32        // groups that share anything with it
	best   []neighbour
	work   int // holders, pairs of groups and pairs of items examined
}

// limits bound what is examined for, and linked to, one group or item.
type limits struct {
	holders int // holders of its words, rarest words first; of the word that exceeds the limit, the nearest in time
	near    int // groups, those that share most
	tied    int // items on either side of a rule, nearest in time
}

// defaultLimits omits nothing in projects of some thousand decisions; without limits, texts made of
// few words would take time quadratic in their number.
var defaultLimits = limits{holders: 5_000, near: 100, tied: 4}

// A slot is one side of a rule for an item.
type slot struct {
	item  int
	rule  *rule
	later bool // the item is the later one; the slot holds earlier items
}

// A group is the items with exactly the same words.
type group struct {
	members []int    // in order of time
	due     bool     // whether any is due
	first   int      // the first that is due
	words   []listed // sorted
	weight  int      // total of the words; a name counts as two
	claim   *claim   // made at first use
	says    []int    // the groups that it restates, once determined
}

// listed is a word of a group: its place in project.holds.
type listed struct {
	list int32
	name bool
}

// A holder is a group that has a word.
type holder struct {
	group int32
	name  bool // it has the word as a name
}

// A neighbour is a group near another one.
type neighbour struct {
	group int
	share float64 // of the shorter one's weight
	far   int     // in time
}

func newProject(items []Item, due func(*Item) bool) *project {
	p := &project{lists: map[entry]int32{}, most: defaultLimits, kept: map[slot][]int{}}
	for _, it := range items {
		if speaks(&it) {
			if it.Kind == payload.Lead {
				it.Kind = payload.Decision // what a person gives up or takes up, in their own words
			}
			if _, choice, ok := strings.Cut(it.Text, " → "); ok && it.Rule == payload.AnswerRule {
				it.Text, _, _ = strings.Cut(choice, " (") // the question itself settles nothing
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
		p.due[i] = due(&p.items[i])
		key := sayings(&p.items[i].Item)
		g, known := groups[key]
		if !known {
			g = len(p.groups)
			groups[key] = g
			p.groups = append(p.groups, p.newGroup(&p.items[i].Item, p.due[i]))
		}
		p.again[i] = p.due[i]
		p.group[i] = g
		p.groups[g].members = append(p.groups[g].members, i)
		if p.due[i] && !p.groups[g].due {
			p.groups[g].due, p.groups[g].first = true, i
		}
	}
	p.shared = make([]int32, len(p.groups))
	return p
}

// newGroup makes the group of an item whose words no earlier one has.
func (p *project) newGroup(it *payload.Item, due bool) (g group) {
	in := cut(it)
	for _, e := range in.words() {
		list, known := p.lists[e.word()]
		if !known {
			list = int32(len(p.holds))
			p.lists[e.word()], p.holds = list, append(p.holds, nil)
		}
		name := e&aName != 0
		p.holds[list] = append(p.holds[list], holder{int32(len(p.groups)), name})
		g.words = append(g.words, listed{list, name})
		g.weight += e.weight()
	}
	slices.SortFunc(g.words, func(a, b listed) int { return cmp.Compare(a.list, b.list) })
	if due { // of others few claims are needed
		g.claim = claimIn(it.Kind, in)
	}
	return g
}

func sayings(it *payload.Item) string {
	return strings.Join(append([]string{string(it.Kind), it.Text, it.First().Quote}, it.Alternatives...), "\x00")
}

func (p *project) claim(g int) *claim {
	one := &p.groups[g]
	if one.claim == nil {
		it := &p.items[one.members[0]].Item
		one.claim = claimIn(it.Kind, cut(it))
	}
	return one.claim
}

// near returns the groups that share two words with a group, or one that is a name in
// either; no rule fits others. Of two that are due, only the later returns the other. If
// there are too many, it returns those that share most relative to the shorter one, and
// among these the nearest in time.
func (p *project) near(g int) []int {
	one := &p.groups[g]
	rarest := slices.SortedStableFunc(slices.Values(one.words), func(v, w listed) int {
		return cmp.Compare(len(p.holds[v.list]), len(p.holds[w.list]))
	})
	met := p.met[:0]
	left := p.most.holders
	for _, w := range rarest {
		holders := around(p.holds[w.list], g, left)
		left -= len(holders)
		for _, h := range holders {
			if int(h.group) > g && one.due && p.groups[h.group].due {
				continue
			}
			if p.shared[h.group] == 0 {
				met = append(met, h.group)
			}
			p.shared[h.group] += int32(weight(w.name || h.name))
		}
	}
	p.work += p.most.holders - left
	p.met = met
	best, full, worst := p.best[:0], false, neighbour{}
	for _, met := range met {
		h, shared := int(met), p.shared[met]
		p.shared[met] = 0
		if shared < 2 {
			continue
		}
		n := neighbour{h, float64(shared) / float64(min(one.weight, p.groups[h].weight)), max(h-g, g-h)}
		if full && nearer(n, worst) > 0 {
			continue
		}
		if best = append(best, n); len(best) == 2*p.most.near {
			best = nearest(best, p.most.near)
			full, worst = true, best[len(best)-1]
		}
	}
	p.best = best
	var near []int
	for _, n := range nearest(best, p.most.near) {
		near = append(near, n.group)
	}
	return near
}

// nearest returns at most so many neighbours: those that share most, and among these the nearest in time, first.
func nearest(all []neighbour, most int) []neighbour {
	if len(all) > most {
		slices.SortFunc(all, nearer)
	}
	return all[:min(len(all), most)]
}

func nearer(a, b neighbour) int {
	switch {
	case a.share != b.share:
		return cmp.Compare(b.share, a.share)
	case a.far != b.far:
		return cmp.Compare(a.far, b.far)
	}
	return cmp.Compare(a.group, b.group)
}

// around returns at most so many holders, those nearest to a group.
func around(holders []holder, g, most int) []holder {
	if len(holders) <= most {
		return holders
	}
	at, _ := slices.BinarySearchFunc(holders, g, func(h holder, g int) int { return cmp.Compare(int(h.group), g) })
	from := max(0, min(at-most/2, len(holders)-most))
	return holders[from : from+most]
}

// compare records how the items of a group that is due and of the groups near it relate to
// each other.
func (p *project) compare(g int) {
	for _, h := range p.near(g) {
		p.pairs(g, h)
		if h != g {
			p.pairs(h, g)
		}
	}
}

// links returns the links between compared items, except restatements. If a rule ties an
// item to more than limits.tied others, the nearest on each side are kept, so that an item
// superseded by any later one is linked to one of these.
func (p *project) links() []payload.Link {
	var links []payload.Link
	for s, others := range p.kept {
		for _, other := range others {
			if s.later {
				links = p.link(links, s.rule, s.item, other)
			} else if !slices.Contains(p.kept[slot{other, s.rule, true}], s.item) {
				links = p.link(links, s.rule, other, s.item)
			}
		}
	}
	return links
}

// despite adds links from decisions that a person made although a note had told them what
// speaks against it, unless a rule has already linked the two or they have no word in
// common: the prompt may be about more than the note.
func (p *project) despite(links []payload.Link) []payload.Link {
	tied := map[[2]payload.ItemID]bool{}
	for _, l := range links {
		tied[[2]payload.ItemID{l.From, l.To}] = true
	}
	at := map[payload.ItemID]int{}
	for i := range p.items {
		at[p.items[i].ID] = i
		for _, id := range p.items[i].Against { // always an earlier one, as items are in order of time
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
	return slices.ContainsFunc(p.groups[g].words, func(w listed) bool {
		return slices.ContainsFunc(p.groups[h].words, func(v listed) bool { return v.list == w.list })
	})
}

// pairs records which items of a group relate to which of another and, for restatements,
// which groups.
func (p *project) pairs(later, earlier int) {
	r := p.fit(later, earlier)
	if r == nil {
		return
	}
	a, b := &p.groups[later], &p.groups[earlier]
	if r.name == Restates {
		if a.due {
			a.says = append(a.says, earlier)
		}
		for at := len(a.members) - 1; b.due && at >= 0 && a.members[at] > b.first; at-- {
			p.again[a.members[at]] = true
		}
		return
	}
	for _, i := range a.members {
		if p.due[i] {
			at, _ := slices.BinarySearch(b.members, i)
			for at--; at >= 0 && p.keep(slot{i, r, true}, b.members[at]); at-- {
			}
		}
	}
	for _, j := range b.members {
		if p.due[j] {
			at, same := slices.BinarySearch(a.members, j)
			if same {
				at++
			}
			for ; at < len(a.members) && p.keep(slot{j, r, false}, a.members[at]); at++ {
			}
		}
	}
}

// keep adds an item to a slot if it may relate to the slot's item and is among the nearest.
// It reports whether a more distant one might still qualify.
func (p *project) keep(s slot, other int) bool {
	p.work++
	kept := p.kept[s]
	far := func(i int) int { return max(i-s.item, s.item-i) }
	if len(kept) == p.most.tied && far(other) >= far(kept[p.most.tied-1]) {
		return false
	}
	later, earlier := s.item, other
	if !s.later {
		later, earlier = other, s.item
	}
	if p.bears(later, earlier) {
		at, _ := slices.BinarySearchFunc(kept, far(other), func(i, d int) int { return cmp.Compare(far(i), d) })
		kept = slices.Insert(kept, at, other)
		p.kept[s] = kept[:min(len(kept), p.most.tied)]
	}
	return true
}

// restated links an item to the last one that it restates and, if that no longer holds, to
// the last that does.
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

// says returns the groups that a group restates.
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

// fit returns the rule by which a group may relate to another one with an earlier item, or
// nil if no sufficiently precise rule fits.
func (p *project) fit(later, earlier int) *rule {
	p.work++
	if members := p.groups[later].members; members[len(members)-1] <= p.groups[earlier].members[0] {
		return nil
	}
	if r := between(p.claim(later), p.claim(earlier)); r != nil && Measured()[r.name].Precision() >= minPrecision {
		return r
	}
	return nil
}

// minPrecision is the precision below which a rule is ignored.
const minPrecision = 0.6

// bears reports whether one item can relate to an earlier one, whatever they say.
func (p *project) bears(later, earlier int) bool {
	a, b := &p.items[later], &p.items[earlier]
	if !a.Current() || sameTurn(a, b) || Left(a.Kind) {
		return false
	}
	// The session's own distillation decides about what it left open.
	return !Left(b.Kind) || a.Session != b.Session && b.Current()
}

// link adds the link from an item to an earlier one, if there can be one.
func (p *project) link(links []payload.Link, r *rule, later, earlier int) []payload.Link {
	if !p.bears(later, earlier) {
		return links
	}
	a, b, m := &p.items[later], &p.items[earlier], Measured()[r.name]
	return append(links, payload.Link{
		Op: payload.OpLink, Relation: r.relation, From: a.ID, To: b.ID, FromSession: a.Session, ToSession: b.Session,
		FromEvidence: firstOf(a), ToEvidence: firstOf(b), Maker: payload.ByRule,
		Rule:      r.name,
		Precision: float64(int(m.Precision()*1000+0.5)) / 1000, Collapses: m.Sure(), At: a.At,
	})
}

// firstOf returns the evidence that links cite for an item, the same for all of them.
func firstOf(it *Item) *payload.Evidence {
	if len(it.Evidence) == 0 {
		return nil
	}
	return &it.Evidence[0]
}
