package index

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNarrow(t *testing.T) {
	x := openWith(t, billing()...)
	r := reading(t, x, Query{})
	now := time.Date(2026, 4, 15, 10, 0, 0, 0, time.UTC) // a Wednesday
	for _, c := range []struct{ q, rest, since, until, project string }{
		{"what did we decide last week about retries?", "what did we decide   about retries?", "2026-04-06", "2026-04-13",
			""},
		{"retries this month", "retries  ", "2026-04-01", "2026-05-01", ""},
		{"what did we decide in March?", "what did we decide  ?", "2026-03-01", "2026-04-01", ""},
		{"retries in May", "retries  ", "2025-05-01", "2025-06-01", ""},
		{"retries in may 2024", "retries  ", "2024-05-01", "2024-06-01", ""},
		{"retries since 2026-02-03", "retries  ", "2026-02-03", "", ""},
		{"retries before 2026-02", "retries  ", "", "2026-02-01", ""},
		{"retries after 2025", "retries  ", "2026-01-01", "", ""},
		{"what changed yesterday in retries", "what changed   in retries", "2026-04-14", "2026-04-15", ""},
		{"retries since Monday", "retries  ", "2026-04-13", "", ""},
		{"retries on Wednesday", "retries  ", "2026-04-08", "2026-04-09", ""},
		{"retries in the last 3 days", "retries  ", "2026-04-12", "", ""},
		{"retries two months ago", "retries  ", "2026-01-17", "2026-03-16", ""},
		{"retries 3 days ago", "retries  ", "2026-04-12", "2026-04-13", ""},
		{"locks in the billing project", "locks  ", "", "", "billing"},
		{"locks in project Billing last year", "locks    ", "2025-01-01", "2026-01-01", "billing"},
		{"what did we decide the day before yesterday", "what did we decide  ", "2026-04-13", "2026-04-14", ""},
		{"retries since the day before yesterday", "retries  ", "2026-04-13", "", ""},
		{"retries on March 9th", "retries  ", "2026-03-09", "2026-03-10", ""},
		{"retries on the 9th of march", "retries  ", "2026-03-09", "2026-03-10", ""},
		{"retries before 20 April", "retries  ", "", "2025-04-20", ""}, // the last one
		{"retries after march 9, 2024", "retries  ", "2024-03-10", "", ""},
		{"retries since 9.3.2026", "retries  ", "2026-03-09", "", ""},
		{"retries on 2026/03/09", "retries  ", "2026-03-09", "2026-03-10", ""},
		{"retries in feb", "retries  ", "2026-02-01", "2026-03-01", ""},
		{"retries since Sept. 2025", "retries  ", "2025-09-01", "", ""},
		{"retries in early March", "retries  ", "2026-03-01", "2026-04-01", ""},
		{"retries at the end of march", "retries  ", "2026-03-01", "2026-04-01", ""},
		{"retries around march", "retries  ", "2026-02-22", "2026-04-08", ""},
		{"retries by March", "retries  ", "", "2026-04-01", ""},
		{"retries between November and February", "retries  ", "2025-11-01", "2026-03-01", ""},
		{"retries from 2026-02-01 to 2026-02-15", "retries  ", "2026-02-01", "2026-02-16", ""},
		{"retries in Q1", "retries  ", "2026-01-01", "2026-04-01", ""},
		{"retries in q4", "retries  ", "2025-10-01", "2026-01-01", ""},
		{"retries last quarter", "retries  ", "2026-01-01", "2026-04-01", ""},
		{"retries in the last week", "retries  ", "2026-04-08", "", ""},
		{"retries over the past month", "retries  ", "2026-03-15", "", ""},
		{"retries the week before last", "retries  ", "2026-03-30", "2026-04-06", ""},
		{"retries the previous month", "retries the  ", "2026-03-01", "2026-04-01", ""},
		{"retries over the weekend", "retries  ", "2026-04-11", "2026-04-13", ""},
		{"retries earlier this week", "retries  ", "2026-04-13", "2026-04-20", ""},
		{"retries this morning", "retries  ", "2026-04-15", "2026-04-16", ""},
		{"retries last night", "retries  ", "2026-04-14", "2026-04-15", ""},
		{"was haben wir gestern an den retries geändert", "was haben wir   an den retries geändert", "2026-04-14",
			"2026-04-15", ""},
		{"retries seit vorgestern", "retries  ", "2026-04-13", "", ""},
		{"retries in der letzten Woche", "retries  ", "2026-04-06", "2026-04-13", ""},
		{"retries diesen Monat", "retries  ", "2026-04-01", "2026-05-01", ""},
		{"retries desde ayer", "retries  ", "2026-04-14", "", ""},
		{"retries de la semana pasada", "retries de  ", "2026-04-06", "2026-04-13", ""},
		{"retries no mês passado", "retries  ", "2026-03-01", "2026-04-01", ""},
		{"先週のretries", " のretries", "2026-04-06", "2026-04-13", ""},
		{"一昨日のretries", " のretries", "2026-04-13", "2026-04-14", ""},
		{"retries a couple weeks back", "retries  ", "2026-03-27", "2026-04-09", ""},
		{"retries several days ago", "retries  ", "2026-04-11", "2026-04-12", ""},
		{"retries as of march", "retries  ", "", "2026-04-01", ""},
		{"retries as of 2026-02-10", "retries  ", "", "2026-02-11", ""},
		{"the state as of the merge by hand", "the state as of the merge by hand", "", "", ""},
		// What only looks like it.
		{"do we fall back in spring", "do we fall back in spring", "", "", ""},
		{"the sec in dec", "the sec  ", "2025-12-01", "2026-01-01", ""},
		{"march 5 steps back", "march 5 steps back", "", "", ""},
		{"is the quarter page weekend ready", "is the quarter page weekend ready", "", "", ""},
		{"retries on 31 february", "retries on 31 february", "", "", ""},
		{"may we retry in ſeptember", "may we retry  ", "2025-09-01", "2025-10-01", ""}, // as Unicode folds it
		{"may somebody march in?", "may somebody march in?", "", "", ""},
		// taken for it; without a hit asked again
		{"the last week column of the report", "the   column of the report", "2026-04-06", "2026-04-13", ""},
		{"which project did we drop?", "which project did we drop?", "", "", ""},
		{"error 2026 in the log", "error 2026 in the log", "", "", ""},
		{"retries since 2026-19-40", "retries since 2026-19-40", "", "", ""},
		{"last week?", " ?", "2026-04-06", "2026-04-13", ""}, // what was decided then is listed
	} {
		q, n, err := narrow(t.Context(), r.tx, Query{Text: c.q, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.q, "as of") != !q.AsOf.IsZero() && c.until != "" || !q.AsOf.IsZero() && !q.AsOf.Equal(q.Until) {
			t.Errorf("%q: as of %v", c.q, q.AsOf)
		}
		got := []string{q.Text, date(q.Since), date(q.Until), q.Project}
		if diff := cmp.Diff([]string{c.rest, c.since, c.until, c.project}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.q, diff)
		}
		if narrowed := c.since+c.until+c.project != ""; narrowed != (len(n.Words) > 0) {
			t.Errorf("%q: narrowed by %q", c.q, n.Words)
		}
	}
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

func TestSearchNarrowed(t *testing.T) {
	x := openWith(t, billing()...)
	now := day.AddDate(0, 0, 10)
	a := search(t, x, Query{Text: "what about jobs in April?", Now: now})
	if got := ids(a); len(got) == 0 || got[0] != "aaaaaaaaaa" || len(a.Narrowed.Words) != 1 {
		t.Errorf("got %v, narrowed by %q, want aaaaaaaaaa first, narrowed by \"in April\"", got, a.Narrowed.Words)
	}
	a = search(t, x, Query{Text: "what about jobs in January?", Now: now})
	if got := ids(a); len(got) == 0 || got[0] != "aaaaaaaaaa" || len(a.Narrowed.Words) != 0 || len(a.Widened.Words) != 1 {
		t.Errorf("got %v, narrowed by %q, want aaaaaaaaaa first: nothing was said in January, so all time is searched", got,
			a.Narrowed.Words)
	}
	a = search(t, x, Query{Text: "jobs in January?", Until: now, Now: now})
	if len(a.Narrowed.Words) != 0 {
		t.Errorf("narrowed by %q beside the caller's own dates", a.Narrowed.Words)
	}
	a = search(t, x, Query{Text: "数据库 in the billing project", Now: now})
	for _, r := range a.Ranked {
		if a.Narrowed.Project == "billing" && r.Session == "s3" {
			t.Errorf("got a result of project website, asked of billing")
		}
	}
}

// A time that a question names is preferred; what was said at another is found too, and no word of it is missing.
func TestTimeIsPreferred(t *testing.T) {
	in := func(month time.Month, session, text string) Doc {
		turn := said(1, 1, assistant, text)
		turn.At = time.Date(2026, month, 3, 9, 0, 0, 0, time.UTC)
		return Doc{Session: session, Project: "p", Start: turn.At, End: turn.At, Turns: []Turn{turn}}
	}
	x := openWith(t, in(time.March, "m", "The retries wait for the gateway's own hint."),
		in(time.April, "a", "The retries of the upload use exponential backoff."))
	a := search(t, x, Query{Text: "which backoff do the retries use in March?", Now: day.AddDate(0, 1, 0)})
	if len(a.Ranked) != 2 || a.Ranked[0].Session != "m" || a.Ranked[1].Session != "a" || len(a.Missing) > 0 {
		t.Errorf("got %d results, missing %q, want that of March before that of April", len(a.Ranked), a.Missing)
	}
}

// What stands beside a result goes where that goes, and nothing is told twice.
func TestPreferredKeepsPairs(t *testing.T) {
	result := func(turn int, score float64, beside bool) *Result {
		return &Result{Type: "turn", Turn: turn, Score: score, Beside: beside}
	}
	within := []*Result{result(1, 1, false), result(2, 0.9, true), result(3, 0.5, false)}
	got := preferring(within, []*Result{result(1, 1, false), result(9, 0.9, true), result(7, 0.9, false),
		result(8, 0.8, true), result(2, 0.7, true)}, 20)
	var turns []int
	for _, r := range got {
		turns = append(turns, r.Turn)
	}
	if want := []int{1, 2, 7, 8, 3}; !slices.Equal(turns, want) {
		t.Errorf("got turns %v, want %v", turns, want)
	}
}

// A statement is searched as it is: a time in it is no filter, and it asks for no list.
func TestAStatementIsNoFilter(t *testing.T) {
	x := openWith(t, Doc{Session: "s", Project: "p", Turns: []Turn{
		said(1, 1, assistant, "All suffixes of the branch are deleted at the moment it is cleaned up today.")}})
	for _, text := range []string{"the suffixes are deleted today", "what is open today"} {
		a := search(t, x, Query{Text: text, Stated: true, Now: day.AddDate(1, 0, 0)})
		if len(a.Ranked) == 0 || len(a.Narrowed.Words)+len(a.Widened.Words)+len(a.Listed) > 0 {
			t.Errorf("%s: %d results, narrowed to %q, %v", text, len(a.Ranked), a.Narrowed.Words, a.Listed)
		}
	}
}
