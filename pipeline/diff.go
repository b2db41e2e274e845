package pipeline

import (
	"strings"

	"recall/library"
	"recall/payload"
)

// Redistilled is how a session's items differ from those before.
type Redistilled struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Kept     int      `json:"kept"`     // items that say what they said
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

// Same reports whether all items say what they said.
func (d Redistilled) Same() bool { return len(d.Reworded)+len(d.New)+len(d.Gone) == 0 }

// Diff compares a session's items by their ids.
func Diff(e library.Entry, before, after *payload.Payload) Redistilled {
	d := Redistilled{ID: string(e.ID), Title: e.Title}
	old := map[payload.ItemID]payload.Item{}
	for _, it := range before.Items {
		old[it.ID] = it
	}
	for _, it := range after.Items {
		was, known := old[it.ID]
		delete(old, it.ID)
		switch {
		case !known:
			d.New = append(d.New, diffOf(it))
		case said(was) == said(it) && was.Kind == it.Kind:
			d.Kept++
		default:
			d.Reworded = append(d.Reworded, reword{diffOf(it), said(was)})
		}
	}
	for _, it := range before.Items {
		if _, gone := old[it.ID]; gone {
			d.Gone = append(d.Gone, diffOf(it))
		}
	}
	return d
}

func diffOf(it payload.Item) diffed { return diffed{string(it.ID), string(it.Kind), said(it)} }

// said is what an item says.
func said(it payload.Item) string {
	return strings.TrimSpace(it.Path + " " + it.Text)
}
