package ask

import (
	"context"
	"fmt"

	"recall/answer"
	"recall/cmd/recall/app"
	"recall/cmd/recall/terminal"
)

// whyItem walks from an item to its evidence, to what lost against it, and to
// what came before and after it.
func whyItem(ctx context.Context, a *app.App, arg string, asJSON bool) error {
	l, err := a.Library(ctx)
	if err != nil {
		return err
	}
	p, err := a.Item(ctx, l, arg)
	if err != nil {
		return err
	}
	doc, err := answer.Why(ctx, a.Index, p)
	if err != nil {
		return err
	}
	doc.Since = ChangedSince(ctx, l, answer.Result{Place: p.Place, Item: &p.Item})
	if asJSON {
		return a.PrintJSON(doc)
	}
	pg := a.Page()
	printWalk(&pg, &doc)
	return nil
}

// printWalk prints an item, all it rests on, and what came before and after.
func printWalk(p *terminal.Page, doc *answer.Item) {
	it := answer.WithReason(doc.Item)
	state := answer.State(it)
	if doc.Standing != nil {
		state = "superseded " + answer.Day(doc.Standing.Item.At)
	}
	p.Headline(it, state)
	p.Field("why", it.Why)
	p.Field("who", p.Source(it, doc.Place, doc.Turn))
	for i, lost := range it.Alternatives {
		p.Field(map[bool]string{true: "over"}[i == 0], lost)
	}
	for _, e := range it.Evidence {
		p.Quoted("", e.Quote)
		if len(it.Evidence) > 1 {
			fmt.Fprintf(p.W, "    %sturn %d%s\n", p.St.Dim, e.N, p.St.Reset)
		}
	}
	if len(it.Evidence) == 0 {
		p.Field("", "A person wrote it; there is no other evidence.")
	}
	printSteps(p, "before", doc.Earlier)
	printSteps(p, "later", doc.Later)
	p.Changes(doc.Since)
	p.Wrapped("  ", "  ", fmt.Sprintf("recall open %s · recall relate %s supersedes …", it.ID, it.ID), p.St.Dim)
}

// printSteps prints what came before or after an item, with how that is known.
func printSteps(p *terminal.Page, name string, list []answer.Linked) {
	if len(list) > 0 {
		fmt.Fprintf(p.W, "%s:\n", name)
	}
	for _, l := range list {
		p.Wrapped("  "+terminal.Mark(l.Item, p.St)+" ", "    ",
			fmt.Sprintf("%s — %s", p.Past(l.Placed), answer.Tie(l)), "")
		if quote := p.Quote(l.Item); quote != "" {
			p.Wrapped("    ", "    ", quote, p.St.Dim)
		}
	}
}
