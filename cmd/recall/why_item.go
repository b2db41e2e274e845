package main

import (
	"context"
	"fmt"

	"recall/answer"
)

// whyItem walks from an item to its evidence, to what lost against it, and to
// what came before and after it.
func (a *app) whyItem(ctx context.Context, arg string, asJSON bool) error {
	l, err := a.library(ctx)
	if err != nil {
		return err
	}
	p, err := a.item(ctx, l, arg)
	if err != nil {
		return err
	}
	doc, err := answer.Why(ctx, a.ix, p)
	if err != nil {
		return err
	}
	doc.Since = changedSince(ctx, l, answer.Result{Place: p.Place, Item: &p.Item})
	if asJSON {
		return a.printJSON(doc)
	}
	pg := page{w: a.out, st: styles(a.color), width: width(a.out)}
	pg.walk(&doc)
	return nil
}

// walk prints an item, all it rests on, and what came before and after.
func (p *page) walk(doc *answer.Item) {
	it := answer.WithReason(doc.Item)
	state := answer.State(it)
	if doc.Standing != nil {
		state = "superseded " + day(doc.Standing.Item.At)
	}
	p.headline(it, state)
	p.field("why", it.Why)
	p.field("who", p.Source(it, doc.Place, doc.Turn))
	for i, lost := range it.Alternatives {
		p.field(map[bool]string{true: "over"}[i == 0], lost)
	}
	for _, e := range it.Evidence {
		p.quote("", e.Quote)
		if len(it.Evidence) > 1 {
			fmt.Fprintf(p.w, "    %sturn %d%s\n", p.st.dim, e.N, p.st.reset)
		}
	}
	if len(it.Evidence) == 0 {
		p.field("", "A person wrote it; there is no other evidence.")
	}
	p.steps("before", doc.Earlier)
	p.steps("later", doc.Later)
	p.changes(doc.Since)
	p.wrapped("  ", "  ", fmt.Sprintf("recall open %s · recall relate %s supersedes …", it.ID, it.ID), p.st.dim)
}

// steps prints what came before or after an item, with how that is known.
func (p *page) steps(name string, list []answer.Linked) {
	if len(list) > 0 {
		fmt.Fprintf(p.w, "%s:\n", name)
	}
	for _, l := range list {
		p.wrapped("  "+mark(l.Item, p.st)+" ", "    ", fmt.Sprintf("%s — %s", p.Past(l.Placed), answer.Tie(l)), "")
		if quote := p.Quote(l.Item); quote != "" {
			p.wrapped("    ", "    ", quote, p.st.dim)
		}
	}
}
