package index

import (
	"testing"
	"time"

	"recall/ingest/trace"
	"recall/payload"
)

// "before the migration" is a time where it names one thing that happened.
func TestNarrowByEvent(t *testing.T) {
	docs := billing()
	docs[0].Did = &trace.Trace{Commits: []trace.Commit{{Hash: "abc1234", Subject: "Swap the argument parser",
		Branch: "parser", At: day.Add(30 * time.Minute), N: 2}}}
	x := openWith(t, append(docs, Doc{Session: "s9", Project: "billing", Title: "Move to Postgres", Source: "claude-code",
		Start: day.AddDate(0, 0, 9), End: day.AddDate(0, 0, 9).Add(time.Hour),
		Items: []Item{{Item: payload.Item{ID: "eeeeeeeeee", Kind: payload.Decision,
			Text: "Retries go on beside the rollout in stages", At: day.AddDate(0, 0, 9).Add(20 * time.Minute),
			State: payload.Stands}}}})...)
	tx, err := x.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	full, err := x.fulltext(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	start := day.AddDate(0, 0, 3)
	for _, c := range []struct {
		q, event     string
		since, until time.Time
	}{
		{"what did we decide about jobs before the retry policy?", `session "Retry policy"`, time.Time{}, start},
		{"Before the retry policy, what was decided about jobs?", `session "Retry policy"`, time.Time{}, start},
		{"what changed about jobs since the duplicate jobs", `session "Fix duplicate jobs"`, day, time.Time{}},
		{"what was said after the argument parser?", `commit "Swap the argument parser"`, day.Add(30 * time.Minute),
			time.Time{}},
		// its session led to it
		{"what was said before the argument parser?", `commit "Swap the argument parser"`, time.Time{}, day},
		{"what did we try before the rollout?", `session "Move to Postgres"`, time.Time{}, day.AddDate(0, 0, 9)},
		// What names nothing, or not one thing, or no time gone by.
		{"what did we decide before the workers?", "", time.Time{}, time.Time{}}, // of two sessions
		{"what did we decide before the quokka?", "", time.Time{}, time.Time{}},
		{"what must we do before the retry policy?", "", time.Time{}, time.Time{}},
		{"what still had to happen before the retry policy?", "", time.Time{}, time.Time{}},
		{"did we take the lock before the read?", "", time.Time{}, time.Time{}}, // an order, not a time
		{"is the lock taken before the job?", "", time.Time{}, time.Time{}},
		{"did we take the lock before the job is read in the worker's own loop?", "", time.Time{}, time.Time{}},
		{"before the retry policy?", "", time.Time{}, time.Time{}},
	} {
		q, n, err := narrow(t.Context(), full, Query{Text: c.q, Now: day.AddDate(0, 1, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if n.Event != c.event || !q.Since.Equal(c.since) || !q.Until.Equal(c.until) {
			t.Errorf("%q: got %s, %v to %v, want %s, %v to %v", c.q, n.Event, q.Since, q.Until, c.event, c.since, c.until)
		}
	}
	if a := search(t, x, Query{Text: "did we have the lock before the retry policy?"}); len(a.Ranked) == 0 ||
		a.Narrowed.Event == "" {
		t.Errorf("got %v, narrowed by %q, want what was said before", ids(a), a.Narrowed.Event)
	}
	if a := search(t, x, Query{Text: "did we have quokkas before the retry policy?"}); a.Narrowed.Event != "" {
		t.Errorf("narrowed by %q, want all time searched: nothing before answers", a.Narrowed.Event)
	}
}
