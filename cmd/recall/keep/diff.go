package keep

import (
	"slices"
	"strings"

	"recall/library"
	"recall/payload"
)

// Redistilled says how a session's items differ from its previous ones.
type Redistilled struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Kept     int      `json:"kept"`     // unchanged items
	Reworded []reword `json:"reworded"` // the same items in other words
	New      []diffed `json:"new"`
	Gone     []diffed `json:"gone"`
}

type diffed struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type reword struct {
	diffed
	Was string `json:"was"`
}

// Same reports whether no item changed.
func (d Redistilled) Same() bool { return len(d.Reworded)+len(d.New)+len(d.Gone) == 0 }

// diff compares a session's items by their ids.
func diff(e library.Entry, before, after *payload.Payload) Redistilled {
	d := Redistilled{ID: string(e.ID), Title: e.Title}
	find := func(items []payload.Item, id payload.ItemID) int {
		return slices.IndexFunc(items, func(it payload.Item) bool { return it.ID == id })
	}
	of := func(it payload.Item) diffed { return diffed{string(it.ID), string(it.Kind), said(it)} }
	for _, it := range after.Items {
		i := find(before.Items, it.ID)
		switch {
		case i < 0:
			d.New = append(d.New, of(it))
		case said(before.Items[i]) == said(it) && before.Items[i].Kind == it.Kind:
			d.Kept++
		default:
			d.Reworded = append(d.Reworded, reword{of(it), said(before.Items[i])})
		}
	}
	for _, it := range before.Items {
		if find(after.Items, it.ID) < 0 {
			d.Gone = append(d.Gone, of(it))
		}
	}
	return d
}

func said(it payload.Item) string { return strings.TrimSpace(it.Path + " " + it.Text) }
