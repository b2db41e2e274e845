package eval

import (
	"context"

	"recall/distill/relate"
	"recall/index"
)

// Relate ties the items of an index as a sync does: a decision that took
// another's place is to be found instead of it.
func Relate(ctx context.Context, ix *index.Index, docs []index.Doc) error {
	byProject := map[string][]relate.Item{}
	for _, d := range docs {
		for _, it := range d.Items {
			byProject[d.Project] = append(byProject[d.Project], relate.Item{Item: it.Item, Session: d.Session, Start: d.Start})
		}
	}
	for _, items := range byProject {
		links := relate.Links(items)
		old, err := ix.Links(ctx)
		if err != nil {
			return err
		}
		if err := ix.PutLinks(ctx, append(old, links...), relate.Version(), nil); err != nil {
			return err
		}
	}
	return nil
}
