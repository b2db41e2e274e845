package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"

	"recall/index"
	"recall/library"
	"recall/payload"
)

// Links finds, of the links that stand, those from or to given items, in the order of payload.StandingLinks.
type Links interface {
	LinksOf(ctx context.Context, items ...payload.ItemID) ([]payload.Link, error)
}

// LinksNow returns the links that links.jsonl holds now: from the index (which may be nil) if it was made from the
// current files, else by reading them all. Lines that can't be read don't affect others.
func LinksNow(ctx context.Context, l *library.Library, x *index.Index) (Links, error) {
	if x != nil {
		_, made, err := x.Due(ctx)
		if _, of, ok := strings.Cut(made, "\n"); err == nil && ok && of == l.LinksStamp() {
			return x, nil
		}
	}
	lines, err := l.Links()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	all := linksRead{payload.StandingLinks(lines), map[payload.ItemID][]int{}}
	for i, k := range all.standing {
		all.at[k.From], all.at[k.To] = append(all.at[k.From], i), append(all.at[k.To], i)
	}
	return all, nil
}

// linksRead holds links in memory, with their positions by the items at their ends.
type linksRead struct {
	standing []payload.Link
	at       map[payload.ItemID][]int
}

func (r linksRead) LinksOf(_ context.Context, items ...payload.ItemID) (links []payload.Link, err error) {
	var places []int
	for _, id := range items {
		places = append(places, r.at[id]...)
	}
	slices.Sort(places)
	for _, i := range slices.Compact(places) {
		links = append(links, r.standing[i])
	}
	return links, nil
}
