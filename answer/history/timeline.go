package history

import (
	"context"
	"slices"
	"time"

	"recall/answer"
	"recall/distill/relate"
	"recall/index"
	"recall/library"
	"recall/payload"
	"recall/pipeline"
)

// Dated is an item on a timeline.
type Dated struct {
	index.Placed
	Until *time.Time     `json:"until,omitempty"` // when it was replaced
	By    payload.ItemID `json:"by,omitempty"`    // id of what replaced it
	Sure  bool           `json:"sure"`            // it was surely replaced; false if it wasn't
	Link  payload.Link   `json:"-"`               // the link that says so, if any
}

// Became says what became of an item and when, after an arrow; "" if it stands.
func (d *Dated) Became() string {
	became := ""
	switch {
	case d.Sure && d.Link.Relation == payload.Same:
		became = "said again"
	case d.Sure:
		became = d.Item.Kind.Became()
	case d.By != "":
		became = d.Link.Doubt().Word(d.Item.Kind)
	case !d.Item.Current():
		return " → " + string(d.Item.State)
	default:
		return ""
	}
	return " → " + became + " " + answer.Day(d.Link.At)
}

// Timeline lists the items of a project, "" for all, oldest first, with what replaced them.
func Timeline(ctx context.Context, p *pipeline.Pipeline, project string, kinds ...payload.Kind) ([]Dated, error) {
	items, err := p.Index.ItemsIn(ctx, project, kinds...)
	if err != nil {
		return nil, err
	}
	return dated(ctx, p, items, nil)
}

// TimelineOf is Timeline for some sessions. What replaced an item may be in another session.
func TimelineOf(ctx context.Context, p *pipeline.Pipeline, sessions []library.Entry, kinds ...payload.Kind) (
	[]Dated, error) {
	var ids []string
	for _, e := range sessions {
		ids = append(ids, string(e.ID))
	}
	items, err := p.Index.ItemsAmong(ctx, ids, kinds...)
	if err != nil {
		return nil, err
	}
	return dated(ctx, p, items, kinds)
}

// dated determines for items, oldest first, what replaced them: one of them, or any other item of the kinds.
func dated(ctx context.Context, p *pipeline.Pipeline, items []index.Placed, kinds []payload.Kind) ([]Dated, error) {
	ids := make([]payload.ItemID, 0, len(items))
	known := map[payload.ItemID]bool{} // id → whether it holds
	for _, one := range items {
		ids = append(ids, one.Item.ID)
		known[one.Item.ID] = one.Item.Current()
	}
	links, err := p.Index.LinksOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	ends := map[payload.ItemID][]payload.Link{}
	var others []payload.ItemID
	for _, k := range links {
		ends[k.To] = append(ends[k.To], k)
		if _, ok := known[k.From]; !ok {
			others = append(others, k.From)
		}
	}
	later, err := p.Index.ItemsNamed(ctx, others, kinds...)
	if err != nil {
		return nil, err
	}
	for _, one := range later {
		known[one.Item.ID] = one.Item.Current()
	}
	holds := func(k payload.Link) bool { return known[k.From] }
	var line []Dated
	for _, one := range items {
		d := Dated{Placed: one}
		by, sure := payload.Overtaken(one.Item.ID, ends[one.Item.ID], holds)
		if by != nil {
			d.Until, d.By, d.Sure, d.Link = &by.At, by.From, sure, *by
		}
		line = append(line, d)
	}
	return line, nil
}

// OnTopic returns the items found for a topic, with all that they replaced or that may bear on them.
func OnTopic(found index.Answer) map[payload.ItemID]bool {
	keep := map[payload.ItemID]bool{}
	if found.Unknown {
		return keep
	}
	take := func(about func(*index.Result) bool) {
		for _, r := range found.Items() {
			if !about(r) {
				continue
			}
			keep[r.Item.ID] = true
			for _, l := range slices.Concat(r.History, r.Conflict, r.Related) {
				keep[l.Item.ID] = true
			}
		}
	}
	listed := len(found.Listed) > 0 // the question names no topic
	take(func(r *index.Result) bool { return listed || len(r.Terms) > 0 })
	if len(keep) == 0 { // only found by related words
		take(func(r *index.Result) bool { return r.Kindred > 0 })
	}
	return keep
}

// Changed is what was decided, reversed and left open since a day.
type Changed struct {
	Since    time.Time  `json:"since"`
	Decided  []Dated    `json:"decided"`  // decided or ruled out since, oldest first
	Reversed []Reversed `json:"reversed"` // replaced by something said since
	Settled  []Reversed `json:"settled"`  // open or deferred, and (perhaps) settled by something said since
	Open     []Dated    `json:"open"`     // deferred or asked since, and not surely settled
}

// Reversed is an item and what replaced it.
type Reversed struct {
	Earlier  Dated            `json:"earlier"`
	Later    Dated            `json:"later"`
	Relation payload.Relation `json:"relation"`
	Sure     bool             `json:"sure"`
}

// Empty reports whether nothing changed.
func (c *Changed) Empty() bool { return len(c.Decided)+len(c.Reversed)+len(c.Settled)+len(c.Open) == 0 }

// ChangedOf returns what changed on a timeline since a day, of the items that meant selects. What replaced something
// must be on the timeline, too.
func ChangedOf(line []Dated, since time.Time, meant func(Dated) bool) *Changed {
	c := &Changed{Since: since.UTC(), Decided: []Dated{}, Reversed: []Reversed{}, Settled: []Reversed{}, Open: []Dated{}}
	byID := map[payload.ItemID]Dated{}
	for _, one := range line {
		byID[one.Item.ID] = one
	}
	for _, one := range line {
		if !meant(one) {
			continue
		}
		fresh, became := &c.Decided, &c.Reversed
		if relate.Left(one.Item.Kind) {
			fresh, became = &c.Open, &c.Settled
		}
		if !one.Item.At.Before(since) && one.Item.Current() && !one.Sure {
			*fresh = append(*fresh, one)
		}
		k := one.Link
		later, shown := byID[k.From]
		if shown && k.Relation != payload.Same && !k.At.Before(since) {
			*became = append(*became, Reversed{one, later, k.Relation, k.Hides()})
		}
	}
	return c
}
