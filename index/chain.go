package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"recall/payload"
)

// Linked is an item that a link ties to another, as JSON documents have it.
type Linked struct {
	Relation payload.Relation `json:"relation"`
	Later    bool             `json:"later"` // it is the later of the two
	Sure     bool             `json:"sure"`  // enough to hide the earlier one
	Maker    payload.Maker    `json:"maker,omitempty"`
	Rule     string           `json:"rule,omitempty"`
	Placed
	Link payload.Link `json:"-"` // the link to the other item, or to one tied to it
}

// LinkedBy returns an item as the link's other end sees it.
func LinkedBy(l payload.Link, p Placed) Linked {
	return Linked{Relation: l.Relation, Later: l.From == p.Item.ID, Sure: l.Hides(), Maker: l.Maker, Rule: l.Rule,
		Placed: p, Link: l}
}

// chains collapses results: an item that was certainly superseded gives its rank to what stands now and becomes
// part of that item's history. If the successor isn't certain, both are shown, the newer first.
type chains struct {
	r     *reader
	links map[payload.ItemID][]payload.Link // both ways
	known map[payload.ItemID]*member        // nil: not in the index, or not yet said
	gone  map[payload.ItemID]bool           // hidden by items that weren't read
}

type member struct {
	Placed
	session, x int64
}

// collapse replaces each item in a list of results by what stands in its place, and adds histories, conflicts
// and related items to the results' extras.
func (r *reader) collapse(ctx context.Context, list []*ranked) ([]*ranked, error) {
	c := &chains{r: r, links: map[payload.ItemID][]payload.Link{}, known: map[payload.ItemID]*member{},
		gone: map[payload.ItemID]bool{}}
	var ids []payload.ItemID
	for _, one := range list {
		if one.table == items {
			ids = append(ids, one.item.ID)
		}
	}
	if err := c.load(ctx, ids); err != nil {
		return nil, err
	}
	if len(c.links) == 0 {
		return list, nil
	}
	var out []*ranked
	at := map[payload.ItemID]int{} // place in out
	for _, one := range list {
		if one.table != items || len(c.links[one.item.ID]) == 0 {
			out = append(out, one)
			continue
		}
		heads := c.heads(one.item.ID)
		head := heads[0]
		if _, ok := at[head]; ok {
			continue // its chain is already there, higher up
		}
		if head != one.item.ID {
			c.known[head].show(one)
		}
		one.extras = c.extras(heads)
		at[head] = len(out)
		out = append(out, one)
	}
	return c.staleTurnsBelow(c.newerFirst(out)), nil
}

// show makes a result one that shows the item.
func (m *member) show(one *ranked) {
	one.item, one.session, one.n, one.x = m.Item, m.session, int64(m.Turn), m.x
}

// load reads the links around items transitively, with the items at their ends, all of a step in one query:
// most items have none. It doesn't follow the links of an item that merely repeats or refines another, so that
// of a statement repeated in hundreds of sessions only the neighbours are read.
func (c *chains) load(ctx context.Context, ids []payload.ItemID) error {
	asked := map[payload.ItemID]bool{}
	got := map[[2]payload.ItemID]bool{}
	for len(ids) > 0 {
		links, err := linksAround(ctx, c.r.tx, ids, c.r.q.AsOf)
		if err != nil {
			return err
		}
		for _, id := range ids {
			asked[id] = true
		}
		if err := c.readEnds(ctx, links, asked); err != nil {
			return err
		}
		ids = nil
		for _, l := range links {
			pair := [2]payload.ItemID{l.From, l.To}
			later, read := c.known[l.From]
			c.gone[l.To] = c.gone[l.To] || !read && l.Hides()
			if got[pair] || later == nil || c.known[l.To] == nil || !later.Item.Current() {
				continue // a successor that was dropped or withdrawn replaces nothing
			}
			got[pair] = true
			for _, end := range []payload.ItemID{l.From, l.To} {
				c.links[end] = append(c.links[end], l)
				if !asked[end] && (l.Hides() || l.Relation != payload.Same && l.Relation != payload.Refines) {
					asked[end] = true
					ids = append(ids, end)
				}
			}
		}
	}
	return nil
}

// maxLinked is how many linked items are read. A chain of decisions has a few; if hundreds of sessions say
// much the same, everything is linked to everything.
const maxLinked = 100

// readEnds reads the items at the ends of links, newest first: those in must, for each of these its newest
// successor unless one is known already, so that what stands is found however long a chain is, and others up to
// maxLinked.
func (c *chains) readEnds(ctx context.Context, links []payload.Link, must map[payload.ItemID]bool) error {
	followed := map[payload.ItemID]bool{}
	for _, l := range links {
		later := c.known[l.From]
		followed[l.To] = followed[l.To] || l.Hides() && later != nil && later.Item.Current()
	}
	for _, l := range slices.Backward(links) {
		newest := l.Hides() && must[l.To] && !followed[l.To]
		followed[l.To] = followed[l.To] || newest
		for _, end := range []payload.ItemID{l.From, l.To} {
			wanted := must[end] || newest || len(c.known) < maxLinked
			if _, done := c.known[end]; done || !wanted {
				continue
			}
			if err := c.readItem(ctx, end); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *chains) readItem(ctx context.Context, id payload.ItemID) error {
	c.known[id] = nil
	m, err := c.r.placed(ctx, id)
	if err == sql.ErrNoRows {
		return nil
	}
	if err == nil && (c.r.q.AsOf.IsZero() || m.Item.At.Before(c.r.q.AsOf)) {
		c.known[id] = &m
	}
	return err
}

// heads returns what still stands of everything tied to an item by hiding links; the item itself if there are
// none. Several, the newest first, are a conflict.
func (c *chains) heads(id payload.ItemID) []payload.ItemID {
	var heads, all []payload.ItemID
	seen := map[payload.ItemID]bool{id: true}
	for todo := []payload.ItemID{id}; len(todo) > 0; {
		id, todo = todo[0], todo[1:]
		all = append(all, id)
		last := !c.gone[id]
		for _, l := range c.links[id] {
			if !l.Hides() {
				continue
			}
			last = last && l.To != id
			for _, end := range []payload.ItemID{l.From, l.To} {
				if !seen[end] {
					seen[end] = true
					todo = append(todo, end)
				}
			}
		}
		if last {
			heads = append(heads, id)
		}
	}
	slices.SortFunc(heads, c.newer)
	heads = slices.DeleteFunc(heads, func(id payload.ItemID) bool { return c.beganWith(id, all) })
	if len(heads) == 0 { // a cycle
		return []payload.ItemID{slices.MinFunc(all, c.newer)}
	}
	return heads
}

// beganWith reports whether an item is what a session began with, and another one quotes the same words.
func (c *chains) beganWith(id payload.ItemID, all []payload.ItemID) bool {
	m := c.known[id]
	return m != nil && m.Item.Kind == payload.Goal && slices.ContainsFunc(all, func(other payload.ItemID) bool {
		o := c.known[other]
		return o != nil && other != id && o.session == m.session && o.Item.First() == m.Item.First()
	})
}

// newer orders later items first.
func (c *chains) newer(a, b payload.ItemID) int {
	x, y := c.known[a], c.known[b]
	if x == nil || y == nil {
		return 0
	}
	return cmp.Or(y.Item.At.Compare(x.Item.At), y.SessionStart.Compare(x.SessionStart), y.Turn-x.Turn,
		cmp.Compare(b, a))
}

// extras are the linked items shown with a result.
type extras struct {
	history, conflict, related []Linked
}

// extras collects what the heads superseded, the heads that contradict the first, and what else is linked to it.
func (c *chains) extras(heads []payload.ItemID) extras {
	var e extras
	seen := map[payload.ItemID]bool{}
	for i, h := range heads {
		seen[h] = true
		if i > 0 {
			l := payload.Link{Relation: payload.Contradicts, From: heads[0], To: h}
			e.conflict = append(e.conflict, LinkedBy(l, c.known[h].Placed))
		}
	}
	for queue := slices.Clone(heads); len(queue) > 0; queue = queue[1:] {
		for _, l := range c.links[queue[0]] {
			if l.From != queue[0] || !l.Hides() || seen[l.To] {
				continue
			}
			seen[l.To] = true
			queue = append(queue, l.To)
			e.history = append(e.history, LinkedBy(l, c.known[l.To].Placed))
		}
	}
	slices.SortStableFunc(e.history, func(a, b Linked) int { return c.newer(a.Item.ID, b.Item.ID) })
	for _, l := range c.links[heads[0]] {
		other := l.From
		if other == heads[0] {
			other = l.To
		}
		if seen[other] {
			continue
		}
		seen[other] = true
		one := LinkedBy(l, c.known[other].Placed)
		switch {
		case l.Relation == payload.Contradicts:
			e.conflict = append(e.conflict, one)
		case !c.r.hidesArchived || !one.Archived:
			e.related = append(e.related, one)
		}
	}
	return e
}

// newerFirst puts an item that may be superseded or is contradicted right after the newest of what may hold instead,
// and what only rules it out.
func (c *chains) newerFirst(list []*ranked) []*ranked {
	var out []*ranked
	placed := map[payload.ItemID]bool{}
	at := map[payload.ItemID]int{}
	for i, one := range list {
		if one.table == items {
			at[one.item.ID] = i
		}
	}
	var place func(one *ranked)
	place = func(one *ranked) {
		if one.table != items {
			out = append(out, one)
			return
		}
		id := one.item.ID
		if placed[id] {
			return
		}
		placed[id] = true
		var heads, without []payload.ItemID
		for _, l := range c.links[id] {
			if l.To != id || l.Relation != payload.Supersedes && l.Relation != payload.Contradicts {
				continue
			}
			head := c.heads(l.From)[0]
			if m := c.known[head]; m != nil && m.Item.Kind == payload.Eliminated {
				without = append(without, head)
			} else {
				heads = append(heads, head)
			}
		}
		slices.SortStableFunc(heads, c.newer) // of several in doubt the last word tells most
		for _, head := range append(heads[:min(1, len(heads))], without...) {
			if placed[head] || !c.passesFilters(head) {
				continue
			}
			newer := new(ranked)
			*newer = *one
			if i, ok := at[head]; ok {
				newer = list[i]
			} else {
				c.known[head].show(newer)
				newer.extras = c.extras(c.heads(head))
			}
			newer.score = max(newer.score, one.score)
			place(newer)
		}
		out = append(out, one)
	}
	for _, one := range list {
		place(one)
	}
	return out
}

// passesFilters reports whether an item that the words didn't find passes the query's filters.
func (c *chains) passesFilters(id payload.ItemID) bool {
	m, q := c.known[id], c.r.q
	if m == nil || c.r.hidesArchived && m.Archived {
		return false
	}
	in := func(from, to time.Time) bool {
		return (from.IsZero() || !m.Item.At.Before(from)) && (to.IsZero() || m.Item.At.Before(to))
	}
	if q.Own && m.Author != "" {
		return false
	}
	return (q.Project == "" || m.Project == q.Project) &&
		(q.Kinds == nil || slices.Contains(q.Kinds, m.Item.Kind)) && in(q.Since, q.Until)
}

// staleTurnsBelow puts a turn that said something superseded after the result that says so.
func (c *chains) staleTurnsBelow(list []*ranked) []*ranked {
	type place struct{ session, n int64 }
	head := map[place]int{} // of what was said there, in list
	for i, one := range list {
		for _, past := range one.extras.history {
			head[place{c.known[past.Item.ID].session, int64(past.Turn)}] = i
		}
	}
	var out []*ranked
	waiting := map[int][]*ranked{}
	for i, one := range list {
		if h, ok := head[place{one.session, one.n}]; ok && one.table == turns && h > i {
			waiting[h] = append(waiting[h], one)
			continue
		}
		out = append(append(out, one), waiting[i]...)
	}
	return out
}
