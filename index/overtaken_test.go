package index

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

// What an early session left to do comes last once a later one decided the
// matter, unless it is asked for; before that, and of the last session, it
// stands where its words put it.
func TestWhatWasLeftToDoIsOvertaken(t *testing.T) {
	doc := func(session string, days int, items ...Item) Doc {
		at := day.AddDate(0, 0, days)
		for i := range items {
			items[i].At, items[i].State, items[i].By, items[i].Maker = at, payload.Stands, payload.ByUser, payload.ByRule
		}
		return Doc{Session: session, Project: "billing", Title: session, Source: "claude-code", Start: at,
			End: at.Add(time.Hour), Items: items}
	}
	item := func(id string, kind payload.Kind, text string) Item {
		return Item{Item: payload.Item{ID: payload.ItemID(id), Kind: kind, Text: text}}
	}
	x := openWith(t,
		doc("first", 0, item("comparison", payload.Next, "Compare mail providers: price, bounces, mail provider support")),
		doc("second", 7, item("settlement", payload.Decision, "Mailbird is our mail provider"),
			item("otherthing", payload.Flag, "The invoice template of the old mail provider is gone"),
			item("leftatlast", payload.Next, "Point the domain at the new provider")))
	for _, c := range []struct {
		what, q string
		asOf    time.Time
		want    []string
	}{
		{"decided since", "which mail provider do we use?", time.Time{},
			[]string{"settlement", "otherthing", "leftatlast", "comparison"}},
		{"asked for", "what is next with mail providers: price, bounces?", time.Time{},
			[]string{"comparison", "settlement", "otherthing", "leftatlast"}},
		{"before it was decided", "which mail provider do we use?", day.AddDate(0, 0, 1), []string{"comparison"}},
	} {
		if diff := cmp.Diff(c.want, itemsOf(search(t, x, Query{Text: c.q, AsOf: c.asOf}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}
