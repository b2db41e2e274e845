// Package relate finds which later decision of a project takes the place of an earlier one. Its rules are conservative.
// The precision of each is measured on labelled pairs and determines whether the later item may hide the earlier one.
//
// Whether a rule fits two items depends only on these two, so the order in which sessions arrive doesn't matter.
package relate

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"recall/payload"
)

// Item is an item with its session.
type Item struct {
	payload.Item
	Session string
	Start   time.Time // of the session
}

// Version changes with the rules; links of another version must be made again.
const Version = "rules/14"

// Kinds lists the kinds of items of which one can bear on another: what is settled, known or supposed, and what is left
// open.
var Kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Flag, payload.Hypothesis,
	payload.Question, payload.Deferred, payload.Lead}

// speaks reports whether the rules consider an item. Whether a decision takes up what was put off, a reader must say. A
// passage counts only if it is a person's: they can give something up by saying so, while what the assistant said along
// the way settles nothing.
func speaks(it *Item) bool {
	if it.Text == "" || it.Kind == payload.Deferred || it.Kind == payload.Lead && it.By != payload.ByUser {
		return false
	}
	return slices.Contains(Kinds, it.Kind)
}

// Comparable reports whether items of two kinds can relate to each other: both are among
// Kinds, or they are equal. A decision never replaces a goal.
func Comparable(a, b payload.Kind) bool {
	return a == b || slices.Contains(Kinds, a) && slices.Contains(Kinds, b)
}

// Left reports whether items of a kind leave something open.
func Left(k payload.Kind) bool { return k == payload.Question || k == payload.Deferred }

// Links finds the relations between the items of one project, in the order of
// StandingLinks. The order of the items doesn't matter.
func Links(items []Item) []payload.Link {
	links, _ := LinksOfDue(context.Background(), items, func(*Item) bool { return true })
	return links
}

// LinksOfDue is Links restricted to pairs with a due item. The error is the context's.
func LinksOfDue(ctx context.Context, items []Item, due func(*Item) bool) ([]payload.Link, error) {
	p := newProject(items, due)
	if err := p.relate(ctx); err != nil {
		return nil, err
	}
	return payload.StandingLinks(p.links), nil
}

// InTime compares items by when they were said.
func InTime(a, b Item) int {
	return cmp.Or(a.At.Compare(b.At), a.Start.Compare(b.Start), strings.Compare(a.Session, b.Session),
		cmp.Compare(a.First().N, b.First().N), strings.Compare(string(a.ID), string(b.ID)))
}

// sameTurn reports whether two items come from the same turn or the same quote, so that neither is later.
func sameTurn(a, b *Item) bool {
	if a.Session != b.Session || len(a.Evidence) == 0 || len(b.Evidence) == 0 {
		return false
	}
	return a.Evidence[0].Turn == b.Evidence[0].Turn || slices.ContainsFunc(a.Evidence, func(x payload.Evidence) bool {
		same := func(y payload.Evidence) bool { return x.Turn == y.Turn && x.Quote == y.Quote }
		return slices.ContainsFunc(b.Evidence, same)
	})
}
