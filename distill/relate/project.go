package relate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recall/internal/text"
	"recall/payload"
)

// project holds a project's items in order of time, and the links found between them.
type project struct {
	items   []Item
	due     []bool
	words   []text.Bag       // of each item; see reading.words
	claims  []*claim         // of each item, made at first use
	holders map[string][]int // by word: the items that have it, in order of time

	links []payload.Link
}

// Bounds of what is compared with one item. They leave out nothing in projects of some thousand decisions; in larger
// ones, the time for one item would grow with the project.
const (
	maxHolders = 2_000 // of a word that brings items together
	maxNear    = 50    // items, those that share most
	maxTied    = 10    // of these the ones that one rule links
)

func newProject(items []Item, due func(*Item) bool) *project {
	p := &project{holders: map[string][]int{}}
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
	p.claims = make([]*claim, len(p.items))
	for i := range p.items {
		in := readItem(&p.items[i].Item)
		p.due, p.words = append(p.due, due(&p.items[i])), append(p.words, in.words())
		for w := range p.words[i] {
			p.holders[w] = append(p.holders[w], i)
		}
	}
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
func (p *project) near(i int) (near []int) {
	shared := map[int]float64{} // the weight that each shares with it
	for w, weight := range p.words[i] {
		if len(p.holders[w]) > maxHolders {
			continue
		}
		for _, k := range p.holders[w] {
			if k < i || k > i && !(p.due[i] && p.due[k]) {
				shared[k] += max(weight, p.words[k][w])
			}
		}
	}
	share := map[int]float64{}
	weight := p.words[i].Weight()
	for k, both := range shared {
		if both >= 2 {
			near = append(near, k)
			share[k] = both / min(weight, p.words[k].Weight())
		}
	}
	slices.SortFunc(near, func(a, b int) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), max(a-i, i-a)-max(b-i, i-b), a-b)
	})
	return near[:min(len(near), maxNear)]
}

// relate finds the links of the items that are due.
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
	return nil
}

// relateOne links an item with those near it.
func (p *project) relateOne(i int) {
	tied := map[*rule]int{}
	for _, k := range p.near(i) {
		later, earlier := max(i, k), min(i, k)
		if !p.bears(later, earlier) {
			continue
		}
		r := between(p.claim(later), p.claim(earlier))
		if tied[r]++; r != nil && tied[r] <= maxTied {
			p.link(r, later, earlier)
		}
	}
}

// bears reports whether one item can relate to an earlier one, whatever they say.
func (p *project) bears(later, earlier int) bool {
	a, b := &p.items[later], &p.items[earlier]
	if b.Kind == payload.Question && (a.Session == b.Session || !b.Current()) {
		return false // the session's own distillation decides about what it left open
	}
	return a.Current() && !sameTurn(a, b)
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
			if (p.due[i] || p.due[k]) && p.words[i].Shared(p.words[k]) > 0 && p.bears(i, k) {
				p.link(despiteRule, i, k)
			}
		}
	}
}

// link adds the link from an item to an earlier one.
func (p *project) link(r *rule, later, earlier int) {
	a, b := &p.items[later], &p.items[earlier]
	p.links = append(p.links, payload.Link{
		Op: payload.OpLink, Relation: payload.Supersedes, From: a.ID, To: b.ID, FromSession: a.Session, ToSession: b.Session,
		FromEvidence: payload.EvidenceOf(&a.Item), ToEvidence: payload.EvidenceOf(&b.Item), Maker: payload.ByRule,
		Rule: r.name, Precision: r.precision, At: a.At,
		Collapses: r.sure && b.Maker != payload.ByModel, // measured on what people wrote, not on a model's wording
	})
}
