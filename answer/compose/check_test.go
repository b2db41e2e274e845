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

func TestGrounded(t *testing.T) {
	notes := notesOf(said())
	if len(notes) != 5 {
		t.Fatalf("got %d notes, want 5", len(notes))
	}
	for _, c := range []struct {
		text string
		ids  []string
		want bool
	}{
		{"The cache is an LRU of 512 entries instead of Redis.", []string{"n1"}, true},
		{"The cache is an LRU because it met the target and needs no server.", []string{"[N1]"}, true},
		{"The cache was decided on 2026-03-02: an LRU in `ProcessQueue`.", []string{"n1"}, true},
		{"Before, the cache was in Redis with a time to live of 60 s.", []string{"n2"}, true},
		{"Redis was replaced by an LRU of 512 entries.", []string{"n1", "n2"}, true},
		{"Memcached was ruled out for the cache: another server to run.", []string{"n3"}, true},
		{"Workers never hold the lock while they call the gateway.", []string{"n4"}, true},
		{"8 workers run per host.", []string{"n5"}, true},
		{"Retries go to the dead letter queue.", []string{"n5"}, true},

		{"All workers run retries per host.", []string{"n5"}, false},                        // nobody said all
		{"Only eight workers run per host.", []string{"n5"}, false},                         // nor only
		{"The cache is an LRU of 1024 entries.", []string{"n1"}, false},                     // another number
		{"The cache is an LRU of 512 entries, as Postgres is slow.", []string{"n1"}, false}, // another name
		{"Postgres is the cache's server.", []string{"n1"}, false},                          // where a sentence begins, too
		{"The cache was an LRU from 2025-03-02 on.", []string{"n1"}, false},                 // another date
		{"The cache is in Redis with a time to live of 60 s.", []string{"n2"}, false},       // told as it if held
		{"It was decided to have the cache in Redis with a time to live of 60 s.", []string{"n2"}, false},
		{"The cache is Redis instead of an LRU.", []string{"n1"}, false},              // the other way round
		{"The cache is Redis.", []string{"n1"}, false},                                // what lost
		{"Memcached is used for the cache.", []string{"n3"}, false},                   // what was ruled out
		{"Memcached was the cache, another server to run.", []string{"n3"}, false},    // never was
		{"Workers hold the lock while they call the gateway.", []string{"n4"}, false}, // yes for no
		{"Workers do not run per host; retries go there.", []string{"n5"}, false},     // no for yes
		{"Everybody should upgrade the whole system before summer arrives.", []string{"n1"}, false},
		{"The cache is an LRU of 512 entries.", nil, false},
		{"The cache is an LRU of 512 entries.", []string{"n1", "n9"}, false},
		{"The cache is an LRU of 512 entries.", []string{"a"}, false},
		{"   ", []string{"n1"}, false},
	} {
		cited, ok := citing(c.ids, notes)
		if got := ok && grounded(c.text, cited); got != c.want {
			t.Errorf("%q on %v: got %v, want %v", c.text, c.ids, got, c.want)
		}
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
	got := oneLine(&index.Result{Item: &it, Related: []index.Linked{{Link: link, Placed: index.Placed{Item: later}}}})
	want := "(decision by user, 2026-03-02, later on the same subject on 2026-04-02: The cache moves to Valkey.) " +
		"The cache is an LRU. Why: " + reason + " Instead of: Redis"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	lead := payload.Item{Kind: payload.Lead, By: payload.ByAssistant, Text: "An LRU would do.",
		State: payload.Stands, At: march}
	if got, want := oneLine(&index.Result{Item: &lead}),
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
