package relate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

func item(id, session string, day int, kind payload.Kind, text, quote string) Item {
	at := time.Date(2026, 3, day, 9, 0, 0, 0, time.UTC)
	return Item{Session: session, Start: at, Item: payload.Item{ID: payload.ItemID(id), Kind: kind, Text: text, At: at,
		State:    payload.Stands,
		Evidence: []payload.Evidence{{Turn: "t-" + id, N: day, Quote: quote}}}}
}

// billing is a project whose cache was decided three times.
func billing() []Item {
	return []Item{
		item("memcached", "s1", 1, payload.Decision, "Use Memcached for the session cache.", "memcached for sessions"),
		item("redis", "s2", 5, payload.Decision, "The session cache is Redis instead of Memcached.", "redis, memcached goes"),
		item("postgres", "s3", 9, payload.Decision, "Drop Redis for the session cache and use Postgres.",
			"drop redis, postgres for the session cache"),
		item("pdf", "s2", 5, payload.Decision, "Invoices are rendered as PDF.", "pdf"),
		item("goal", "s2", 5, payload.Goal, "Use Redis for the session cache.", "redis"),
	}
}

func short(links []payload.Link) []string {
	var out []string
	for _, l := range links {
		out = append(out, fmt.Sprintf("%s %s %s by %s, sure %v", l.From, l.Relation, l.To, l.Rule, l.Collapses))
	}
	return out
}

func TestLinks(t *testing.T) {
	want := []string{
		"redis supersedes memcached by revokes, sure true",
		"postgres supersedes redis by revokes, sure true",
	}
	got := Links(billing())
	if diff := cmp.Diff(want, short(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, l := range got {
		if l.FromEvidence.Quote == "" || l.ToEvidence.Quote == "" || l.Precision < 0.95 || l.At.IsZero() {
			t.Errorf("link without evidence, precision or time: %+v", l)
		}
	}
}

// The same question answered anew marks the earlier answer; a later request's first words take one back, also for an
// option not taken.
func TestAnsweredAnew(t *testing.T) {
	items := []Item{item("sms", "s1", 1, payload.Decision, "How do we send alerts? → By SMS", "By SMS"),
		item("mail", "s2", 2, payload.Decision, "How do we send alerts from May on? → E-mail", "E-mail"),
		item("keep", "s1", 1, payload.Decision, "Keep 30 days", "Keep 30 days"),
		item("ask", "s3", 3, payload.Goal, "keep the alerts 90 days, not 30", "keep the alerts 90 days, not 30"),
		item("redux", "s1", 1, payload.Decision, "Redux", "Redux"),
		item("out", "s4", 4, payload.Lead, "we decided against redux", "we decided against redux")}
	items[0].Rule, items[1].Rule = payload.AnswerRule, payload.AnswerRule
	items[3].By, items[5].By = payload.ByUser, payload.ByUser
	want := []string{"mail supersedes sms by revokes, sure false", "ask supersedes keep by revokes, sure true",
		"out supersedes redux by revokes, sure true"}
	const surely, perhaps, no = 2, 1, 0
	for said, want := range map[string]int{"no. scrap duckdb, we stage in postgres": surely,
		"forget duckdb for a moment, postgres locks too":    perhaps,
		"remove duckdb from the readme, postgres is enough": perhaps,
		"actually let's use postgres instead":               perhaps,
		"use the postgres server that exists for that":      perhaps,
		"postgres it is":                                     perhaps,
		"restart postgres":                                   no,
		"is postgres slower?":                                no,
		"add a check of postgres' health":                    no,
		"the file of each vendor goes":                       no,
		"cancel the benchmark, the tests read a csv of ours": no} {
		chose := item("file", "s1", 1, payload.Decision, "Where do rows wait? → DuckDB file (Recommended)", "DuckDB file")
		chose.Rule, chose.Alternatives = payload.AnswerRule, []string{"Postgres, the server that we have"}
		later := item("said", "s2", 2, payload.Lead, said, said)
		later.By = payload.ByUser
		got := no
		for _, l := range Links([]Item{chose, later}) {
			if got = perhaps; l.Collapses {
				got = surely
			}
		}
		if got != want {
			t.Errorf("%q takes the choice back: %d, want %d", said, got, want)
		}
	}
	if diff := cmp.Diff(want, short(Links(items))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What a person later says of what they chose or approved is marked, whatever it comes to; what the assistant says
// isn't.
func TestSpokenOfAgain(t *testing.T) {
	items := []Item{item("host", "s1", 1, payload.Decision, "Host on Netlify", "Host on Netlify"),
		item("docs", "s1", 1, payload.Decision, "Version the docs by release", "Version the docs by release"),
		item("stop", "s1", 1, payload.Decision, "Give up after 24 hours", "Give up after 24 hours"),
		item("bill", "s2", 2, payload.Goal, "netlify wants 19 a seat now, pages it is", "netlify wants 19"),
		item("hours", "s3", 3, payload.Lead, "give up after 2h not 24", "give up after 2h"),
		item("said", "s3", 3, payload.Lead, "Netlify hosts the docs by release.", "Netlify hosts"),
		item("desk", "s1", 1, payload.Decision, "the church office", "the church office"),
		item("street", "s3", 3, payload.Lead, "not mill lane! only the church street", "not mill lane!"),
		item("drop", "s4", 4, payload.Lead, "ok drop the church, the town hall it is", "drop the church")}
	for i := range items {
		if items[i].By = payload.ByUser; i < 3 || i == 6 {
			items[i].Rule, items[i].By = payload.PointRule, payload.ByBoth
		}
	}
	items[5].By = payload.ByAssistant
	want := []string{"bill supersedes host by revokes, sure false", "hours supersedes stop by revokes, sure false",
		"drop supersedes desk by revokes, sure false"}
	if diff := cmp.Diff(want, short(Links(items))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Two things said in one turn don't bear on one another, and what doesn't hold
// any more takes nothing's place.
func TestNoLinks(t *testing.T) {
	items := billing()[1:3]
	items[1].Session, items[1].Evidence[0].Turn = items[0].Session, items[0].Evidence[0].Turn
	if got := Links(items); len(got) > 0 {
		t.Errorf("of one turn: %v", short(got))
	}
	items = billing()[1:3]
	items[1].State = payload.Revoked
	if got := Links(items); len(got) > 0 {
		t.Errorf("from a revoked item: %v", short(got))
	}
	if got := Links(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

// What is read twice from the very same words doesn't take itself back.
func TestSameWordsAreNotLater(t *testing.T) {
	items := billing()[1:3]
	both := payload.Evidence{Turn: "t2", N: 2, Quote: "drop redis"}
	for i := range items {
		items[i].Session = "s"
		items[i].Evidence = append(items[i].Evidence, both)
	}
	if links := Links(items); len(links) > 0 {
		t.Errorf("linked: %v", short(links))
	}
}

// What people write doesn't make the rule fall over.
func FuzzLinks(f *testing.F) {
	f.Add("Use X instead of Y.", "no longer")
	f.Add("switch from to", "we said: I take that back")
	f.Add("--", "~/.a 2s 3e-4 instead of rather than")
	f.Fuzz(func(t *testing.T, a, b string) {
		items := []Item{item("a", "s1", 1, payload.Decision, a, b), item("b", "s2", 2, payload.Decision, b, a),
			item("c", "s3", 3, payload.Eliminated, a+" "+b, b)}
		one := Links(items)
		slices.Reverse(items)
		if diff := cmp.Diff(one, Links(items)); diff != "" {
			t.Errorf("order matters (-one +other)\n%s", diff)
		}
	})
}

// A project of many sessions must not cost the square of its items.
func BenchmarkLinks(b *testing.B) {
	for _, n := range []int{1000, 4000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			items := many(n)
			for b.Loop() {
				Links(items)
			}
		})
	}
}

// many makes n decisions, ten a session, of a vocabulary as large as a
// project's.
func many(n int) []Item {
	rng := rand.New(rand.NewPCG(5, 6))
	word := func() string { return fmt.Sprintf("word%c%c", 'a'+rng.IntN(20), 'a'+int(rng.ExpFloat64()*4)%26) }
	var items []Item
	for i := range n {
		text := fmt.Sprintf("Use %s and %s instead of %s for the %s %s.", word(), word(), word(), word(), word())
		items = append(items, item(fmt.Sprintf("i%05d", i), fmt.Sprintf("s%d", i/10), 1+i*28/n, payload.Decision, text, text))
	}
	return items
}
