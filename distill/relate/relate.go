// Package relate finds how decisions of a project bear on one another: which
// later one says an earlier one again, refines, supersedes or contradicts it.
// Its rules are conservative; each has a precision, measured on labelled pairs
// (precision.json), that reports whether the later item may stand for the earlier.
//
// Whether a rule fits two items depends on these two alone, and which links are
// made of that on the items that there are, so the order in which sessions
// arrive doesn't matter.
package relate

import (
	"cmp"
	"context"
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

const rulesVersion = "rules/10" // raise it when a rule changes

// Kinds are those of the items that the rules look at: what is settled, what one
// must know or supposes, and what is left open.
var Kinds = []payload.Kind{payload.Decision, payload.Eliminated, payload.Finding, payload.Flag, payload.Hypothesis,
	payload.Question, payload.Deferred, payload.Lead}

// speaks reports whether an item says something for itself. A passage does if it is a
// person's word: what they give up, they give up; what the assistant said along the way
// settles nothing.
func speaks(it *Item) bool {
	return slices.Contains(Kinds, it.Kind) && it.Text != "" && (it.Kind != payload.Lead || it.By == payload.ByUser)
}

// Comparable reports whether an item of one kind can bear on one of another: both
// are of Kinds, or of the same kind. A decision takes no goal's place.
func Comparable(a, b payload.Kind) bool {
	return a == b || slices.Contains(Kinds, a) && slices.Contains(Kinds, b)
}

// Links finds the relations between the items of one project. They come in the
// order of StandingLinks. The order of the items doesn't matter.
//
// Of all that an item only says again (Restates) it is linked to the last: what
// is said in every session is tied from each to the one before, not from each to
// all.
func Links(items []Item) []payload.Link {
	links, _, _ := LinksOfDue(context.Background(), items, func(*Item) bool { return true })
	return links
}

// LinksOfDue is Links for those of which one side is due. Which item is the last
// that another says again may change with what is due, so the items of which that
// was looked up are told too: what they restate is all among the links. The error is
// the context's.
func LinksOfDue(ctx context.Context, items []Item, due func(*Item) bool) (links []payload.Link,
	looked map[payload.ItemID]bool, err error) {
	p := newProject(items, due)
	for g := range p.groups {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if p.groups[g].due {
			p.compare(g)
		}
	}
	links = p.despite(p.links())
	looked = map[payload.ItemID]bool{}
	for i := range p.items {
		if p.again[i] {
			looked[p.items[i].ID] = true
			links = p.restated(links, i)
		}
	}
	return payload.StandingLinks(links), looked, nil
}

// InTime orders items by when they were said.
func InTime(a, b Item) int {
	return cmp.Or(a.At.Compare(b.At), a.Start.Compare(b.Start), strings.Compare(a.Session, b.Session),
		cmp.Compare(a.First().N, b.First().N), strings.Compare(string(a.ID), string(b.ID)))
}

// sameTurn reports whether two items were said in one breath, or rest on the very
// same words: then neither is later.
func sameTurn(a, b *Item) bool {
	if a.Session != b.Session || len(a.Evidence) == 0 || len(b.Evidence) == 0 {
		return false
	}
	return a.Evidence[0].Turn == b.Evidence[0].Turn || slices.ContainsFunc(a.Evidence, func(x payload.Evidence) bool {
		same := func(y payload.Evidence) bool { return x.Turn == y.Turn && x.Quote == y.Quote }
		return slices.ContainsFunc(b.Evidence, same)
	})
}
