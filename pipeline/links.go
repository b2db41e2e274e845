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

// Links are those that stand, by the items at their ends, in the order of payload.StandingLinks.
type Links interface {
	LinksOf(ctx context.Context, items ...payload.ItemID) ([]payload.Link, error) // later and earlier ones
	LinksTo(ctx context.Context, items ...payload.ItemID) ([]payload.Link, error) // later ones, that lead to the items
}

// LinksNow are the links as links.jsonl say them now: by the index, nil for none, where it was made of these files as
// they are, else all are read. Lines that can't be read cost no other line.
func LinksNow(ctx context.Context, l *library.Library, x *index.Index) (Links, error) {
	if x != nil {
		_, made, err := x.Due(ctx)
		stamp, lost := l.LinksStamp()
		if _, of, ok := strings.Cut(made, "\n"); err == nil && lost == nil && ok && of == stamp {
			return x, nil
		}
	}
	lines, err := l.Links()
	if err != nil && !errors.Is(err, library.ErrDamaged) {
		return nil, err
	}
	all := linksRead{payload.StandingLinks(lines), map[payload.ItemID][]int{}, map[payload.ItemID][]int{}}
	for i, k := range all.standing {
		all.from[k.From], all.to[k.To] = append(all.from[k.From], i), append(all.to[k.To], i)
	}
	return all, nil
}

// linksRead are links held in memory, and their places by the item at either end.
type linksRead struct {
	standing []payload.Link
	from, to map[payload.ItemID][]int
}

func (r linksRead) LinksOf(_ context.Context, items ...payload.ItemID) ([]payload.Link, error) {
	return r.at(items, r.from, r.to), nil
}

func (r linksRead) LinksTo(_ context.Context, items ...payload.ItemID) ([]payload.Link, error) {
	return r.at(items, r.to), nil
}

func (r linksRead) at(items []payload.ItemID, ends ...map[payload.ItemID][]int) (links []payload.Link) {
	var places []int
	for _, end := range ends {
		for _, id := range items {
			places = append(places, end[id]...)
		}
	}
	slices.Sort(places)
	for _, i := range slices.Compact(places) {
		links = append(links, r.standing[i])
	}
	return links
}
