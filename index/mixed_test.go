package index

import (
	"testing"

	"recall/payload"
)

// Where some sessions' items have other words to be found by and others' don't,
// having some doesn't put an item before one that says as much.
func TestFewWithAliases(t *testing.T) {
	item := func(id string, k payload.Kind, text string, aliases ...string) Item {
		return Item{Item: payload.Item{ID: payload.ItemID(id), Kind: k, Text: text, Aliases: aliases}}
	}
	x := openWith(t, Doc{Session: "s", Project: "billing", Start: day, Items: []Item{
		item("backoff", payload.Decision, "Retries wait longer each time, with full jitter, at most five of them"),
		item("bulk", payload.Eliminated, "No bulk retry", "the support page"),
		item("export", payload.Decision, "Exports are written as CSV"),
		item("rows", payload.Decision, "The list is cut at 200 rows"),
		item("audit", payload.Next, "Write an audit log"),
	}})
	if got := itemsOf(search(t, x, Query{Text: "what did we decide about retries?"})); len(got) < 2 ||
		got[0] != "backoff" {
		t.Errorf("got %v, want backoff first", got)
	}
	if got := itemsOf(search(t, x, Query{Text: "what is said of the support page?"})); len(got) == 0 || got[0] != "bulk" {
		t.Errorf("got %v, want bulk, by its alias", got)
	}
}
