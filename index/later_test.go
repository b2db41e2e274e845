package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/index/rank"
	"recall/payload"
)

// Of two items that speak of the same the later session's comes first, though no
// link says that it takes the other's place: but not what speaks of something
// else, nor where it is asked what was.
func TestLaterWordOnTheSameComesFirst(t *testing.T) {
	doc := func(session string, days int, items ...Item) Doc {
		at := day.AddDate(0, 0, days)
		for i := range items {
			items[i].At, items[i].State, items[i].By, items[i].Maker = at, payload.Stands, payload.ByUser, payload.ByRule
		}
		return Doc{Session: session, Project: "scanner", Title: session, Source: "claude-code", Start: at,
			End: at.Add(time.Hour), Items: items}
	}
	item := func(id string, kind payload.Kind, text string) Item {
		return Item{Item: payload.Item{ID: payload.ItemID(id), Kind: kind, Text: text}}
	}
	lately := func(days int) *Index {
		return openWith(t, doc("first", 0,
			item("received", payload.Decision, "Scan events are ordered by arrival time in the history"),
			item("photos", payload.Decision, "Product photos are cached for a day"),
			item("outbox", payload.Deferred, "An outbox table for the export waits until spring")),
			doc("second", days, item("effective", payload.Decision,
				"Scan events are ordered by the corrected time of the device that made them"),
				item("zones", payload.Flag, "History pages of freezer zones show events without arrival time"),
				item("drained", payload.Decision, "The export goes through an outbox table, drained each minute")),
			doc("third", 9, item("labels", payload.Decision, "Labels are printed as ZPL"),
				item("printers", payload.Decision, "Printers are found by their zone")))
	}
	x := lately(7)
	for _, c := range []struct{ what, q, first string }{
		{"a later word", "are scan events ordered by arrival time in the history?", "effective"},
		{"what was", "were scan events originally ordered by arrival time in the history?", "received"},
		{"about another thing", "how long are product photos cached?", "photos"},
		{"what was put off", "export outbox table?", "drained"},
		{"what was put off, asked for", "was the outbox table for the export deferred?", "outbox"},
	} {
		if got := itemsOf(search(t, x, Query{Text: c.q})); len(got) == 0 || got[0] != c.first {
			t.Errorf("%s: got %v, want %s first", c.what, got, c.first)
		}
	}
	got := itemsOf(search(t, x, Query{Text: "are scan events ordered by arrival time in the history?",
		AsOf: day.AddDate(0, 0, 1)}))
	if diff := cmp.Diff("received", got[0]); diff != "" {
		t.Errorf("as of before it was said: (-want +got)\n%s", diff)
	}
	got = itemsOf(search(t, lately(7300), Query{Text: "are scan events ordered by arrival time in the history?"}))
	if diff := cmp.Diff("received", got[0]); diff != "" {
		t.Errorf("by a clock that was ahead: (-want +got)\n%s", diff)
	}
}

// So is a passage in which a person takes back what was said, or decided, earlier, by its words or by what a link says
// that it took the place of; not one in which an assistant says that something changes, as it does all day.
func TestLaterPassageOnTheSameComesFirst(t *testing.T) {
	asked := rank.Ask("do workers poll the jobs table?", nil, nil)
	older := "The queue is in Postgres. Eight workers poll the jobs table every 2 seconds."
	polls := Linked{Placed: Placed{Item: payload.Item{Text: "Workers poll every 2 seconds"}}}
	for what, c := range map[string]struct {
		newer   string
		history []Linked
		claim   bool // the older one is
		role    string
		first   bool
	}{
		"says otherwise":          {"Workers listen for jobs instead of polling.", nil, false, "user", true},
		"takes back":              {"Checkout is slow. I take back that workers poll every 2 seconds.", nil, false, "user", true},
		"takes that back":         {"Workers poll the jobs table: I take that back.", nil, false, "user", true},
		"says the same":           {"Eight workers poll the jobs table every 2 seconds.", nil, false, "user", false},
		"changes something else":  {"Invoices are printed in A5 instead of A4.", nil, false, "user", false},
		"took its place, by link": {"No. Use NOTIFY.", []Linked{polls}, false, "assistant", true},
		"takes back a claim":      {"Workers listen for jobs instead of polling.", nil, true, "user", true},
		"an assistant":            {"Workers listen for jobs instead of polling.", nil, false, "assistant", false},
	} {
		first := &ranked{table: turns, session: 1, quoted: quoted{turn: Turn{At: day}, passage: older}}
		if c.claim {
			first.table, first.item = items, payload.Item{Kind: payload.Decision, Text: older, At: day}
		}
		first.score = 1
		second := &ranked{table: turns, session: 2, quoted: quoted{
			turn: Turn{At: day.AddDate(0, 0, 1), Role: c.role}, passage: c.newer}}
		second.score, second.history = 0.8, c.history
		list := []*ranked{first, second}
		if preferLater(list, asked); (list[0] == second) != c.first {
			t.Errorf("%s: got it first: %v", what, list[0] == second)
		}
	}
}

// What says that something was otherwise needn't be as like what was.
func TestSaysOtherwise(t *testing.T) {
	for text, want := range map[string]bool{
		"Exports go through an outbox instead of the broker": true, "The queue moves from Redis to Postgres": true,
		"The cron job is dropped": true, "Logs no longer hold names": true,
		"Exports go through an outbox": false, "The queue runs on Postgres": false, "Names are in the logs": false, "": false,
	} {
		if got := likeEnough(&ranked{table: items, item: payload.Item{Text: text}}) < sameSubject; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// It is a small part of a search.
func BenchmarkSucceed(b *testing.B) {
	var list []*ranked
	for i := range 50 {
		it := payload.Item{Kind: payload.Decision, State: payload.Stands, At: day.AddDate(0, 0, i),
			Text: fmt.Sprintf("Retries of job %d use exponential backoff with jitter instead of a fixed delay of 30 seconds", i)}
		for k := range 10 {
			it.Aliases = append(it.Aliases, fmt.Sprintf("how long waits job %d before attempt %d of five", i, k))
		}
		list = append(list, &ranked{score: 1, session: int64(i), table: items, item: it})
	}
	asked := rank.Ask("how long do retries wait?", nil, nil)
	for b.Loop() {
		preferLater(slices.Clone(list[:laterWindow]), asked)
	}
}

// What gives the value that an edit replaced says so, with the new one.
func TestReplacedValueIsMarked(t *testing.T) {
	told := func(session string, days int, text string, deeds ...payload.Deed) Doc {
		at := day.AddDate(0, 0, days)
		return Doc{Session: session, Project: "p", Start: at, Deeds: deeds,
			Turns: []Turn{{ID: "t", N: 1, Exchange: 1, Role: "user", Text: text, At: at}}}
	}
	x := openWith(t, told("old", 0, "the phone number of the depot is 5550123, print the depot phone number"),
		told("new", 3, "that phone was wrong, 5550199",
			payload.Deed{At: day.AddDate(0, 0, 3), Text: "5550123", Now: "5550199"}))
	got := search(t, x, Query{Text: "what is the phone number of the depot?"}).Ranked
	marked := slices.DeleteFunc(got, func(o *Result) bool { return !strings.Contains(o.Changed, "5550123 → 5550199") })
	if len(marked) != 1 || marked[0].Session != "old" {
		t.Errorf("got %v as replaced, want the old number", ids(Answer{Ranked: marked}))
	}
}
