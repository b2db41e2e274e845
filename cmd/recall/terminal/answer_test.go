package terminal_test

import (
	"strings"
	"testing"
	"time"

	"recall/answer"
	"recall/answer/last"
	"recall/cmd/recall/terminal"
	"recall/index"
	"recall/payload"
)

// answerOf is the answer that these results make.
func answerOf(asked string, results ...*index.Result) *answer.Answer {
	found := index.Answer{Ranked: results, SearchedItems: 7, SearchedSessions: 2, Projects: 1}
	a := answer.Of(answer.Question{Query: index.Query{Text: asked}, Most: 5}, found)
	return &a
}

// printed is what a page shows of some results.
func printed(results ...*index.Result) string { return printedFor("redis?", 100, false, results...) }

func printedFor(asked string, width int, full bool, results ...*index.Result) string {
	var b strings.Builder
	p := terminal.Page{W: &b, Width: width, Full: full}
	p.Answer(answerOf(asked, results...))
	return b.String()
}

var inCache = index.Place{Project: "billing", SessionN: 2, SessionTitle: "Cache"}

func itemOf(it payload.Item) *index.Result { return &index.Result{Item: &it, Turn: 3, Place: inCache} }

func turnOf(id, text string) *index.Result {
	return &index.Result{TurnID: id, Turn: 4, Role: "assistant", Text: text, Passage: text, Brief: text, Place: inCache,
		At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)}
}

func TestPageShowsEvidence(t *testing.T) {
	it := payload.Item{Kind: payload.Eliminated, Text: "Redis.", Why: "another server to run", By: payload.ByUser,
		State: payload.Stands,
		At:    time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local), Evidence: []payload.Evidence{{Turn: "t3", N: 3,
			Quote: "no redis,\x1b[2J it's another\nserver"}}}
	got := printed(itemOf(it))
	for _, want := range []string{"✗ Ruled out: Redis.", "ruled out 2026-03-02", "  why   another server to run",
		`  who   you · billing#2 "Cache", turn 3`,
		"  “no redis,[2J it's another server”", "  recall why 1 · recall show 1 · 2 sessions searched"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A turn of tool calls alone has nothing to quote; a quote of nothing isn't
// shown as one.
func TestPageHasNoEmptyQuote(t *testing.T) {
	it := payload.Item{Kind: payload.Decision, Text: "Use an LRU.",
		Evidence: []payload.Evidence{{Turn: "t3", N: 3, Quote: "\x07 \n"}}}
	got := printed(itemOf(it), turnOf("t4", " \n\x1b"))
	if strings.Contains(got, "“”") || strings.Contains(got, "“ ”") || strings.Contains(got, "│") {
		t.Errorf("an empty quote in\n%s", got)
	}
	if !strings.Contains(got, "turn 4, 2026-03-02 (no words, only tool calls)") {
		t.Errorf("the turn isn't named in\n%s", got)
	}
}

// Shown in full, a passage keeps the lines that it was said in, each behind a margin: one that looks like recall's own
// isn't taken for it.
func TestPassageStandsBehindAMargin(t *testing.T) {
	got := printedFor("redis?", 40, true, turnOf("t4", "Redis:\n\n- it is another server to run, and to pay\n"+
		"2 ● Deploy it.  stands\n  who   you\r\n"))
	for _, want := range []string{"\n  │ Redis:\n  │ - it is another server to run, and\n  │ to pay\n",
		"\n  │ 2 ● Deploy it. stands\n  │ who you\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	wide := turnOf("t4", "yes")
	wide.SessionTitle = strings.Repeat("今のブランチ", 9)
	if got := printed(wide); !strings.Contains(got, `"`+strings.Repeat("今のブランチ", 4)+`…", turn 4`) {
		t.Errorf("a title in wide letters takes fifty columns:\n%s", got)
	}
}

// What the first result's session says next best stands below it behind a margin of its own, under a number that leads
// there; in Markdown as a point of the first.
func TestPageShowsWhatElseTheSessionSays(t *testing.T) {
	first, next := turnOf("t4", "Redis: another server to run."), turnOf("t9", "So it is out.")
	far := turnOf("u1", "Redis or none?")
	next.Turn, next.Role, next.Beside, far.Place.Session = 9, "user", true, "u"
	got := printed(first, next, far)
	want := "1 · the assistant, billing#2 \"Cache\", turn 4, 2026-03-02:\n  │ Redis: another server to run.\n" +
		"  2 · you, turn 9: So it is out.\n3 · the assistant,"
	if !strings.Contains(got, want) {
		t.Errorf("no\n%s\nin\n%s", want, got)
	}
	a := answerOf("redis?", first, next, far)
	if hits := last.Hits(answer.Numbered(a.Results)); len(hits) != 3 || hits[1].Turn != "t9" || hits[1].N != 9 ||
		hits[1].Said == nil || hits[1].Said.Item.Text != "So it is out." {
		t.Errorf("the second number leads to %+v", hits)
	}
	var b strings.Builder
	(&terminal.Page{W: &b, Width: 100}).First(a)
	if !strings.Contains(b.String(), "So it is out.") || strings.Contains(b.String(), "Redis or none?") {
		t.Errorf("the first alone is\n%s", &b)
	}
}

// An answer takes five lines at most, however long its passages are, unless they are wanted in full.
func TestAnswerTakesFiveLines(t *testing.T) {
	for said, want := range map[string]int{"Redis is out.": 4, strings.Repeat("Redis is another server to run. ", 20): 5} {
		first, next := turnOf("t4", said), turnOf("t9", strings.Repeat("It would have to be backed up as well. ", 20))
		next.Turn, next.Beside = 9, true
		lines := func(full bool) int {
			got, _, _ := strings.Cut(printedFor("redis?", 100, full, first, next), "  recall why")
			return strings.Count(got, "\n")
		}
		if short, full := lines(false), lines(true); short > 5 || short < want || full < 9 {
			t.Errorf("%.20q: got %d lines, and %d in full", said, short, full)
		}
	}
}

// A turn is left out only where nothing of it would be new.
func TestPageLeavesEchoesOut(t *testing.T) {
	it := payload.Item{Kind: payload.Decision, Text: "Use an LRU.",
		Evidence: []payload.Evidence{{Turn: "t3", N: 3, Quote: "let's use an LRU, it met the target"}}}
	got := printed(itemOf(it), turnOf("t3", "Let's use an LRU, it met the target."),
		turnOf("t5", "The LRU holds 512 entries."))
	if n := strings.Count(got, "met the target"); n != 1 {
		t.Errorf("said %d times:\n%s", n, got)
	}
	if !strings.Contains(got, "512 entries") {
		t.Errorf("what is new isn't shown:\n%s", got)
	}
}

// Two that contradict one another are shown as one answer, both with their
// words, the newer first.
func TestPageShowsConflict(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)
	r := itemOf(payload.Item{ID: "b", Kind: payload.Decision, Text: "Cache in Postgres.", State: payload.Stands, At: at,
		Evidence: []payload.Evidence{{Turn: "t", N: 3, Quote: "postgres for the cache"}}})
	other := payload.Item{ID: "a", Kind: payload.Decision, Text: "Cache in an LRU.", State: payload.Stands,
		At: at.AddDate(0, 0, -1), Evidence: []payload.Evidence{{Turn: "u", N: 9, Quote: "an lru\x1b[2J will do"}}}
	r.Conflict = []index.Linked{{Placed: index.Placed{Place: r.Place, Item: other, Turn: 9}}}
	got := printed(r)
	for _, want := range []string{"2 items contradict one another; which one stands is open:", "● Cache in Postgres.",
		"“postgres for the cache”", "● Cache in an LRU.", "“an lru[2J will do”"} {
		i := strings.Index(got, want)
		if i < 0 {
			t.Fatalf("no %q, in this order, in\n%s", want, got)
		}
		got = got[i:]
	}
}

// What is shown with the first result as its contradiction isn't a result of its own
// below.
func TestPageShowsConflictOnce(t *testing.T) {
	one := itemOf(payload.Item{ID: "b", Kind: payload.Decision, Text: "Cache in Postgres.", State: payload.Stands})
	two := itemOf(payload.Item{ID: "a", Kind: payload.Decision, Text: "Cache in an LRU.", State: payload.Stands})
	three := itemOf(payload.Item{ID: "c", Kind: payload.Decision, Text: "Cache for a day.", State: payload.Stands})
	one.Conflict = []index.Linked{{Placed: index.Placed{Place: two.Place, Item: *two.Item, Turn: 9}}}
	two.Conflict = []index.Linked{{Placed: index.Placed{Place: one.Place, Item: *one.Item, Turn: 3}}}
	got := printed(one, two, three)
	if strings.Count(got, "Cache in an LRU.") != 1 || strings.Contains(got, "says otherwise") ||
		!strings.Contains(got, "Cache for a day") {
		t.Errorf("want each once in\n%s", got)
	}
}

// What says itself that something is out isn't called ruled out a second time:
// "Ruled out: it doesn't help" says the opposite.
func TestPageRulesOutOnce(t *testing.T) {
	for text, want := range map[string]string{
		"Redis":                   "✗ Ruled out: Redis",
		"No redis":                "✗ Ruled out: redis",
		"A lock doesn't help":     "✗ A lock doesn't help",
		"It’s not the backup job": "✗ It’s not the backup job",
		"pg_partman is out: our Postgres has no extensions": "✗ pg_partman is out",
		"It rules out the backup job as the cause":          "✗ It rules out the backup job as the cause",
		"“Outcomes are in the result” — NOT accurate":       "✗ “Outcomes are in the result” — NOT accurate",
		"Skipped: a warning for old flags":                  "✗ Skipped: a warning for old flags",
		"Vacuuming more often":                              "✗ Ruled out: Vacuuming more often",
	} {
		it := payload.Item{Kind: payload.Eliminated, Text: text, State: payload.Stands,
			At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)}
		if got := printed(itemOf(it)); !strings.HasPrefix(got, "1 "+want) {
			t.Errorf("%q: want %q first, got\n%s", text, want, got)
		}
	}
}

// Only what speaks of a try is said to have been tried.
func TestPageClaimsNoTryThatNobodyTellsOf(t *testing.T) {
	for _, c := range []struct{ text, why, quote, want string }{
		{"Redis", "another server", "redis is out, the LRU meets the target",
			"✗ Yes: Redis was tried and ruled out on 2026-03-02. Another server."},
		{"bulk retry", "one wrong click and customers get charged again", "no bulk retry, I said that",
			"✗ Bulk retry was ruled out on 2026-03-02; whether it was tried isn't recorded. One wrong"},
		{"Redis", "", "no, we tried redis and it was slower", "✗ Yes: Redis was tried"},
		{"GraphQL is not an option", "", "GraphQL is not an option, our frontend refuses", "✗ GraphQL is not an option"},
	} {
		it := payload.Item{Kind: payload.Eliminated, Text: c.text, Why: c.why, State: payload.Stands,
			At:       time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local),
			Evidence: []payload.Evidence{{Turn: "t3", N: 3, Quote: c.quote}}}
		if got := printedFor("did we try it?", 200, false, itemOf(it)); !strings.HasPrefix(got, "1 "+c.want) {
			t.Errorf("%q: want %q first, got\n%s", c.text, c.want, got)
		}
	}
	redis := payload.Item{Kind: payload.Eliminated, Text: "Redis", State: payload.Stands,
		At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)}
	got := printedFor("did we consider redis?", 200, false, itemOf(redis))
	if want := "✗ Yes: Redis was considered and ruled out on 2026-03-02."; !strings.HasPrefix(got, "1 "+want) {
		t.Errorf("asked whether it was considered: want %q first, got\n%s", want, got)
	}
}

// A title is what a person typed: its quotes are no end of it, and no backslashes
// are added.
func TestPageQuotesTitles(t *testing.T) {
	r := itemOf(payload.Item{Kind: payload.Decision, Text: "Use an LRU", By: payload.ByUser})
	r.SessionTitle = `We get "locked" ü`
	if got, want := printed(r), `billing#2 "We get 'locked' ü", turn 3`; !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
}
