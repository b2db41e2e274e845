package index

import (
	"testing"

	"recall/payload"
)

// A question of a word or two names a subject: what is about it comes before what mentions it more often.
func TestSubjectComesFirst(t *testing.T) {
	item := func(id, said string) Item {
		return Item{Item: payload.Item{ID: payload.ItemID(id), Kind: payload.Decision, Text: said, At: day,
			State: payload.Stands, By: payload.ByUser, Maker: payload.ByRule}}
	}
	x := openWith(t, Doc{Session: "s1", Project: "ledger", Title: "queue", Start: day, End: day, Items: []Item{
		item("backoff", "Retries use exponential backoff with full jitter, base 2 s, doubling, cap 10 min, at most "+
			"five attempts; that replaces the fixed 30 second delay"),
		item("support", "All of support (role support and above) may open the dead-letter page and retry a dead job; "+
			"a retry puts it back into jobs with attempts = 0"),
	}})
	findsFirst(t, x, map[string]string{
		"what did we decide about retries?":                     "backoff",
		"what did we decide about support?":                     "support",
		"may support open the dead-letter page to retry a job?": "support",
	})
}
