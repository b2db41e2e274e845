package eval

import (
	"context"

	"recall/distill/relate"
	"recall/index"
	"recall/payload"
)

// Relate links the items of an index as a sync does, so that a decision which took another's place is found
// instead of it.
func Relate(ctx context.Context, ix *index.Index, docs []index.Doc) error {
	byProject := map[string][]relate.Item{}
	for _, d := range docs {
		for _, it := range d.Items {
			byProject[d.Project] = append(byProject[d.Project], relate.Item{Item: it.Item, Session: d.Session, Start: d.Start})
		}
	}
	var links []payload.Link
	for _, items := range byProject {
		links = append(links, relate.Links(items)...)
	}
	return ix.PutLinks(ctx, links, relate.Version(), nil)
}
