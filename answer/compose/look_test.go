package compose

import (
	"strings"
	"testing"
	"time"

	"recall/index"
	"recall/payload"
)

var march = time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)

// what is said of: a decision with its history, a thing ruled out, a count.
func said() []*index.Result {
	item := func(id string, kind payload.Kind, text, why, quote string) payload.Item {
		return payload.Item{ID: payload.ItemID(id), Kind: kind, Text: text, Why: why, State: payload.Stands, At: march,
			Evidence: []payload.Evidence{{Turn: "t", N: 1, Quote: quote}}}
	}
	cache := item("a", payload.Decision, "The cache is an LRU of 512 entries instead of Redis.",
		"it met the target and needs no server", "let's use an LRU in ProcessQueue")
	old := item("b", payload.Decision, "The cache is in Redis with a time to live of 60 s.", "", "redis will do")
	out := item("c", payload.Eliminated, "Memcached for the cache.", "another server to run", "memcached is out")
	flag := item("d", payload.Flag, "Workers never hold the lock while they call the gateway.", "",
		"never hold the lock there")
	eight := item("e", payload.Decision, "Eight workers run per host, retries go to the dead-letter queue.", "",
		"eight workers")
	return []*index.Result{
		{Item: &cache, History: []index.Linked{{Placed: index.Placed{Item: old}}}}, // n1, n2
		{Item: &out}, {Item: &flag}, {Item: &eight}, // n3, n4, n5
		{Type: "turn"},
	}
}

// A line shows what decides whether it answers: whose word it is, the whole reason, what
// lost, and what perhaps took its place since.
func TestLineShowsWhatDecides(t *testing.T) {
	reason := strings.Repeat("it met the target on the second host too, and ", 12) + "nobody has to be paged"
	it := payload.Item{ID: "a", Kind: payload.Decision, By: payload.ByUser, Text: "The cache is an LRU.", Why: reason,
		Alternatives: []string{"Redis"}, State: payload.Stands, At: march}
	later := payload.Item{ID: "b", Kind: payload.Decision, Text: "The cache moves to Valkey.", State: payload.Stands,
		At: march.AddDate(0, 1, 0)}
	link := payload.Link{Relation: payload.Supersedes, From: "b", To: "a", At: later.At}
	got := oneLine(&index.Result{Item: &it, Related: []index.Linked{{Link: link, Placed: index.Placed{Item: later}}}}, "")
	want := "(decision by user, 2026-03-02, later on the same subject on 2026-04-02: The cache moves to Valkey.) " +
		"The cache is an LRU. Why: " + reason + " Instead of: Redis"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	lead := payload.Item{Kind: payload.Lead, By: payload.ByAssistant, Text: "An LRU would do.",
		State: payload.Stands, At: march}
	if got, want := oneLine(&index.Result{Item: &lead}, ""),
		"(lead by assistant, 2026-03-02, stands) An LRU would do."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A look names each line once, and what it doesn't name comes behind.
func TestLookApplies(t *testing.T) {
	for _, c := range []struct {
		look            Look
		before          bool // words alone doubt it
		first           payload.ItemID
		unknown, doubts bool
	}{
		{Look{[]int{2, 9}, true}, true, "d", false, false},
		{Look{[]int{1}, false}, false, "c", false, true},
		{Look{nil, false}, false, "a", true, true},
		{Look{nil, false}, true, "a", true, true},
	} {
		a := index.Answer{Ranked: said(), Doubtful: c.before}
		c.look.Apply(&a)
		if got := a.Ranked[0].Item.ID; got != c.first || a.Unknown != c.unknown || a.Doubtful != c.doubts ||
			len(a.Ranked) != 5 {
			t.Errorf("%v: got first %s, unknown %v, doubtful %v, %d results, want %s, %v, %v, 5", c.look, got, a.Unknown,
				a.Doubtful, len(a.Ranked), c.first, c.unknown, c.doubts)
		}
	}
}
