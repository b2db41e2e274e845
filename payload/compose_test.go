package payload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// pageOf is the page of a composed payload, whole.
func pageOf(p *Payload) string { return Render(p, Options{Budget: -1}).Text }

// The last session is the one that was worked in last, not the one that began last.
func TestComposeEndsWithLastWorked(t *testing.T) {
	next := func(id ItemID, text string) []Item { return []Item{{ID: id, Kind: Next, Text: text}} }
	long := &Payload{Session: "long", Start: day(0), End: day(9), Items: next("a1", "Ship it.")}
	short := &Payload{Session: "short", Start: day(2), End: day(3), Items: next("b1", "Test it.")}
	got := Compose([]*Payload{long, short}, nil)
	if got.Session != "long" || !got.Start.Equal(day(0)) || !got.End.Equal(day(9)) || len(got.Items) != 1 ||
		got.Items[0].ID != "a1" {
		t.Errorf("the last is %s, %v to %v, with %v", got.Session, got.Start, got.End, got.Items)
	}
}

// A file written after the last commit of its thread is in progress, whichever session wrote it.
func TestComposeSinceCommit(t *testing.T) {
	var thread []*Payload
	for i, deed := range []Deed{{Text: "one"}, {Text: "a task", Task: true}} {
		name := string(rune('a' + i))
		items := []Item{
			{ID: ItemID(name + "1"), Kind: File, Path: name + ".go", Text: "New."},
			{ID: ItemID(name + "2"), Kind: File, Path: name + ".md", Text: "“says how”; edited since."},
			{ID: ItemID(name + "3"), Kind: File, Path: name + ".txt", Text: "Read; a command may have changed it."}}
		thread = append(thread, &Payload{Session: name, Start: day(i), End: day(i), Did: []Deed{deed}, Items: items,
			Uncommitted: 2 - i})
	}
	var got []string
	for _, it := range Compose(thread, nil).Items {
		got = append(got, it.Path+" "+it.Status)
	}
	want := []string{"b.go " + FileProgress, "b.md " + FileProgress, "b.txt ", "a.go ", "a.md ", "a.txt "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	open := Compose(thread, nil).Uncommitted
	thread[1].Did = thread[0].Did // a commit
	if left := Compose(thread, nil).Uncommitted; open != 2 || left != 1 {
		t.Errorf("%d files without a commit, then %d, want 2, then 1", open, left)
	}
}

func TestCompose(t *testing.T) {
	one := &Payload{Session: "11111111-aaaa", Title: "Queue", Project: "billing", Branch: "x", Start: day(0),
		End: day(0).Add(time.Hour), Items: []Item{
			{ID: "a1", Kind: Goal, Text: "Find the race.", State: Stands, At: day(0)},
			{ID: "a2", Kind: Decision, Text: "Log at acquire()", Why: "the window must be confirmed", State: Stands, At: day(0)},
			{ID: "a3", Kind: Decision, Text: "Poll every second", State: Superseded, At: day(0)},
			{ID: "a4", Kind: Flag, Text: "The mock fails; expected", State: Stands, At: day(0)},
			{ID: "a5", Kind: Next, Text: "Add logging", State: Stands, At: day(0)},
			{ID: "a6", Kind: File, Path: "q.go", Status: FileProgress, State: Stands, At: day(0)},
			{ID: "a7", Kind: Status, Text: "NOT STARTED: admin API", State: Stands, At: day(0)},
			{ID: "a8", Kind: Next, Rule: UnansweredRule, Text: "Use SQLite.", By: ByUser, State: Stands, At: day(0),
				Evidence: []Evidence{{Turn: "u9", N: 9, Quote: "Use SQLite."}}},
		}}
	two := &Payload{Session: "22222222-bbbb", Project: "billing", Branch: "x", Start: day(2), End: day(2).Add(time.Hour),
		Made: Provenance{Distiller: "offline/1"}, Uncommitted: 1, Items: []Item{
			{ID: "b1", Kind: Goal, Text: "Fix the race.", State: Stands, At: day(2)},
			{ID: "b2", Kind: Decision, Text: "log at Acquire()", State: Stands, At: day(2)},
			{ID: "b3", Kind: Eliminated, Text: "Duplicate writes", Why: "the write is idempotent", State: Reopened, At: day(2)},
			{ID: "b4", Kind: Next, Text: "Run the load test", State: Done, At: day(2)},
			{ID: "b5", Kind: File, Path: "lock.go", Status: FileDone, State: Stands, At: day(2)},
			{ID: "b6", Kind: Flag, Text: "The mock fails; expected.", State: Stands, At: day(2)},
		}}
	got := pageOf(Compose([]*Payload{two, one}, map[string]int{"11111111-aaaa": 3, "22222222-bbbb": 4}))
	want := marker(slices.Sorted(slices.Values([]ItemID{PageID(one.Session), PageID(two.Session)}))) + `# Rehydration payload: Queue
Session 22222222… and 1 before it · project billing · branch x · 1 file changed, in no commit seen since · 2026-04-01 09:00 – 2026-04-03 10:00 · distilled by offline/1 · by rules: quotes, not conclusions

## Current goal
- Find the race. (session 3, Apr 1)
- Fix the race.

## Decisions made
- Log at acquire() — because the window must be confirmed (session 3, Apr 1)

## Hypotheses eliminated (do not revisit)
- Duplicate writes — the write is idempotent (session 4, Apr 3)

## Files in play
- lock.go — DONE
- q.go — IN PROGRESS (session 3, Apr 1)

## Don't forget
- The mock fails; expected (session 3, Apr 1)

## Status
- NOT STARTED: admin API (session 3, Apr 1)

## In their own words (as of then: may be done or changed since)
- “Use SQLite.” — user, turn 9 (session 3, Apr 1)
<!-- /recall -->
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestComposeOfOneIsItsOwnPage(t *testing.T) {
	p := example()
	got := Compose([]*Payload{p}, map[string]int{p.Session: 2})
	if diff := cmp.Diff(p.Items, got.Items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if Compose(nil, nil) != nil {
		t.Error("of nothing: got a payload")
	}
}

func TestNotesReadBackAway(t *testing.T) {
	p := Compose([]*Payload{example()}, map[string]int{example().Session: 2})
	for _, end := range []time.Time{p.End, p.End.AddDate(1, 0, 0)} {
		p.End = end
		checkRoundTrip(t, &Payload{Session: p.Session, End: end, Items: p.Items})
		doc, err := Read(pageOf(p))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := doc.Lines[1].Item.Why, "the window must be confirmed first."; got != want {
			t.Errorf("got why %q, want %q, of\n%s", got, want, pageOf(p))
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	var thread []*Payload
	for i := range 20 {
		p := many(5)
		p.Session, p.Start = fmt.Sprint("s", i), day(i)
		Mint(p.Session, p.Items, map[ItemID]bool{})
		thread = append(thread, p)
	}
	for b.Loop() {
		Compose(thread, nil)
	}
}

// A quote says which session it is from only where that isn't the page's own; a claim always does.
func TestQuotesOfThePagesOwnSession(t *testing.T) {
	at := time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)
	of := func(session, said string, decided Item) *Payload {
		decided.Kind, decided.State, decided.At = Decision, Stands, at
		quote := Item{ID: ItemID("q" + said), Kind: Lead, By: ByUser, Maker: ByRule, Text: said, State: Stands, At: at,
			Evidence: []Evidence{{Turn: "t", N: 7, Quote: said}}}
		return &Payload{Session: session, Project: "p", Branch: "x", Start: at, End: at, Items: []Item{decided, quote}}
	}
	one := of("11111111-aaaa", "Keep the logs for thirty days.", Item{ID: "a1", Text: "Log at acquire()"})
	two := of("22222222-bbbb", "The mock fails on purpose.", Item{ID: "b1", Text: "Retry five times"})
	page := pageOf(Compose([]*Payload{one, two}, map[string]int{one.Session: 3, two.Session: 4}))
	for _, want := range []string{"- Log at acquire() (session 3, Apr 1)\n", "- Retry five times (session 4, Apr 1)\n",
		"- “Keep the logs for thirty days.” — user, turn 7 (session 3, Apr 1)\n",
		"- “The mock fails on purpose.” — user, turn 7\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}
