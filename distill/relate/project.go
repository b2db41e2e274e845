package relate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recall/payload"
)

// project holds a project's items in order of time, and the links found between them.
type project struct {
	items   []Item
	due     []bool
	words   []bag              // of each item; see reading.words
	weights []int              // of these
	claims  []*claim           // of each item, made at first use
	holders map[entry][]holder // by word: the items that have it, in order of time
	shared  []int32            // scratch space of near: the weight that each item shares with one

	links    []payload.Link
	restated map[int][]int // the earlier items that an item restates
}

// A holder is an item that has a word.
type holder struct {
	item   int
	weight int // of the word there
}

// Bounds of what is compared with one item. They leave out nothing in projects of some thousand decisions; in larger
// ones, the time for one item would grow with the project.
const (
	maxHolders = 2_000 // holders of its words, rarest words first; of the last word, the nearest in time
	maxNear    = 50    // items, those that share most
	maxTied    = 10    // of these the ones that one rule links
)

func newProject(items []Item, due func(*Item) bool) *project {
	p := &project{holders: map[entry][]holder{}, restated: map[int][]int{}}
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
	for i := range p.items {
		in := readItem(&p.items[i].Item)
		p.due, p.words, p.claims = append(p.due, due(&p.items[i])), append(p.words, in.words()), append(p.claims, nil)
		p.weights = append(p.weights, p.words[i].weight())
		if p.due[i] { // of others few claims are needed
			p.claims[i] = claimIn(in)
		}
		for _, e := range p.words[i] {
			p.holders[e.word()] = append(p.holders[e.word()], holder{i, e.weight()})
		}
	}
	p.shared = make([]int32, len(p.items))
	return p
}

func (p *project) claim(i int) *claim {
	if p.claims[i] == nil {
		p.claims[i] = claimIn(readItem(&p.items[i].Item))
	}
	return p.claims[i]
}

// near returns the items that share two words with an item, or one that is a name in either; no rule fits others. Of
// two that are due, only the later returns the other. If there are too many, it returns those that share most
// relative to the shorter one, and among these the nearest in time.
func (p *project) near(i int) []int {
	rarest := slices.SortedStableFunc(slices.Values(p.words[i]), func(v, w entry) int {
		return cmp.Compare(len(p.holders[v.word()]), len(p.holders[w.word()]))
	})
	var met []int
	left := maxHolders
	for _, w := range rarest {
		holders := around(p.holders[w.word()], i, left)
		left -= len(holders)
		for _, h := range holders {
			if h.item == i || h.item > i && p.due[i] && p.due[h.item] {
				continue
			}
			if p.shared[h.item] == 0 {
				met = append(met, h.item)
			}
			p.shared[h.item] += int32(max(w.weight(), h.weight))
		}
	}
	type neighbour struct {
		item, far int
		share     float64 // of the shorter one's weight
	}
	var all []neighbour
	weight := p.weights[i]
	for _, k := range met {
		if p.shared[k] >= 2 {
			all = append(all, neighbour{k, max(k-i, i-k), float64(p.shared[k]) / float64(min(weight, p.weights[k]))})
		}
		p.shared[k] = 0
	}
	slices.SortFunc(all, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.share, a.share), a.far-b.far, a.item-b.item)
	})
	var near []int
	for _, n := range all[:min(len(all), maxNear)] {
		near = append(near, n.item)
	}
	return near
}

// around returns at most so many holders, those nearest in time to an item.
func around(holders []holder, item, most int) []holder {
	if len(holders) <= most {
		return holders
	}
	at, _ := slices.BinarySearchFunc(holders, item, func(h holder, item int) int { return cmp.Compare(h.item, item) })
	from := max(0, min(at-most/2, len(holders)-most))
	return holders[from : from+most]
}

// relate finds the links of the items that are due. Of an item that isn't due but restates one that is, it finds
// everything that it restates, since which is the last may have changed.
func (p *project) relate(ctx context.Context) error {
	for i := range p.items {
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.due[i] {
			p.relateOne(i)
		}
	}
	p.linkDespite()
	for i := range p.items {
		if !p.due[i] && p.restated[i] != nil {
			p.restated[i] = slices.DeleteFunc(p.near(i), func(k int) bool {
				return k > i || !p.bears(i, k) || p.fit(i, k) != restatesRule
			})
		}
		p.linkRestated(i)
	}
	return nil
}

// relateOne records how an item relates to those near it.
func (p *project) relateOne(i int) {
	tied := map[*rule]int{}
	for _, k := range p.near(i) {
		later, earlier := max(i, k), min(i, k)
		if !p.bears(later, earlier) {
			continue
		}
		r := p.fit(later, earlier)
		switch tied[r]++; {
		case r == restatesRule:
			p.restated[later] = append(p.restated[later], earlier)
		case r != nil && tied[r] <= maxTied:
			p.link(r, later, earlier)
		}
	}
}

// fit returns the rule by which an item relates to an earlier one, or nil if no sufficiently precise rule fits.
func (p *project) fit(later, earlier int) *rule {
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

// linkDespite links decisions that a person made although a note had told them what speaks against it, unless a rule
// has already linked the two or they have no word in common: the prompt may be about more than the note.
func (p *project) linkDespite() {
	tied := map[[2]payload.ItemID]bool{}
	for _, l := range p.links {
		tied[[2]payload.ItemID{l.From, l.To}] = true
	}
	at := map[payload.ItemID]int{}
	for i := range p.items {
		at[p.items[i].ID] = i
		for _, id := range p.items[i].Against { // always an earlier one, as items are in order of time
			k, ok := at[id]
			if !ok || i == k || tied[[2]payload.ItemID{p.items[i].ID, id}] {
				continue
			}
			if (p.due[i] || p.due[k]) && meet(p.words[i], p.words[k]) && p.bears(i, k) {
				p.link(despiteRule, i, k)
			}
		}
	}
}

// linkRestated links an item to the last one that it restates and, if that no longer holds, to the last that does.
func (p *project) linkRestated(i int) {
	last, holding := -1, -1
	for _, k := range p.restated[i] {
		last = max(last, k)
		if p.items[k].Current() {
			holding = max(holding, k)
		}
	}
	if last >= 0 {
		p.link(restatesRule, i, last)
	}
	if holding >= 0 && holding != last {
		p.link(restatesRule, i, holding)
	}
}

// link adds the link from an item to an earlier one.
func (p *project) link(r *rule, later, earlier int) {
	a, b, m := &p.items[later], &p.items[earlier], Measured()[r.name]
	p.links = append(p.links, payload.Link{
		Op: payload.OpLink, Relation: r.relation, From: a.ID, To: b.ID, FromSession: a.Session, ToSession: b.Session,
		FromEvidence: firstOf(a), ToEvidence: firstOf(b), Maker: payload.ByRule, Rule: r.name,
		Precision: float64(int(m.Precision()*1000+0.5)) / 1000, At: a.At,
		Collapses: m.Sure() && b.Maker != payload.ByModel, // measured on what people wrote, not on a model's wording
	})
}

// firstOf returns the evidence that links cite for an item, the same for all of them.
func firstOf(it *Item) *payload.Evidence {
	if len(it.Evidence) == 0 {
		return nil
	}
	return &it.Evidence[0]
}
