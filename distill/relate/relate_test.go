package relate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
		item("limit3", "s1", 1, payload.Decision, "At most 3 retries a job.", "three retries"),
		item("limit5", "s3", 9, payload.Decision, "At most 5 retries a job.", "five retries"),
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
		"limit5 supersedes limit3 by new-value, sure true",
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

// Neither the order of the items nor what is due at a time matters: the links of
// each session's turn come together to the same.
func TestLinksHaveNoOrder(t *testing.T) {
	want := Links(billing())
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		items := billing()
		rng.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		if diff := cmp.Diff(want, Links(items)); diff != "" {
			t.Fatalf("shuffled (-want +got)\n%s", diff)
		}
		var have []Item
		var got []payload.Link
		for _, session := range []string{"s3", "s1", "s2"} { // as they arrive
			for _, it := range items {
				if it.Session == session {
					have = append(have, it)
				}
			}
			due, _ := LinksOfDue(t.Context(), have, func(it *Item) bool { return it.Session == session })
			got = append(got, due...)
		}
		if diff := cmp.Diff(want, payload.StandingLinks(got)); diff != "" {
			t.Fatalf("session by session (-want +got)\n%s", diff)
		}
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

// What is read twice from the very same words doesn't contradict itself.
func TestSameWordsAreNotLater(t *testing.T) {
	text := "Glue won't hold the rail; thirty more screws will."
	decided := item("a", "s", 1, payload.Decision, text, "then screws.")
	ruledOut := item("b", "s", 3, payload.Eliminated, text, "glue or screws?")
	if links := Links([]Item{ruledOut, decided}); len(links) == 0 {
		t.Fatal("these two are linked by no rule: the test tells nothing")
	}
	both := payload.Evidence{Turn: "t2", N: 2, Quote: text}
	ruledOut.Evidence = append(ruledOut.Evidence, both)
	decided.Evidence = append(decided.Evidence, both)
	if links := Links([]Item{ruledOut, decided}); len(links) > 0 {
		t.Errorf("linked: %v", short(links))
	}
}

// Of many items those are compared that share most.
func TestNear(t *testing.T) {
	items := []Item{item("postgres", "s0", 1, payload.Decision, "Jobs are stored in Postgres.", "")}
	for i := range 2 * maxNear {
		text := fmt.Sprintf("Postgres backs up tenant%d shard%d every night to bucket%d, and jobs retry.", i, i, i)
		items = append(items, item(fmt.Sprint("n", i), fmt.Sprint("s", 1+i), 2, payload.Decision, text, ""))
	}
	items = append(items, item("kafka", "s9", 20, payload.Decision, "Jobs are stored in Kafka instead of Postgres.", ""))
	p := newProject(items, func(it *Item) bool { return it.ID == "kafka" })
	if near := p.near(len(items) - 1); len(near) != maxNear || near[0] != 0 {
		t.Errorf("%d are near, first %v", len(near), near[:1])
	}
	if err := p.relate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := short(p.links); len(got) != 1 || !strings.HasPrefix(got[0], "kafka supersedes postgres") {
		t.Errorf("linked: %v", got)
	}
}

// What people write doesn't make the rules fall over.
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
			last := items[len(items)-1].Session
			b.Run("all", func(b *testing.B) {
				for b.Loop() {
					Links(items)
				}
			})
			b.Run("one session", func(b *testing.B) {
				for b.Loop() {
					_, _ = LinksOfDue(b.Context(), items, func(it *Item) bool { return it.Session == last })
				}
			})
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

// What a later decision says in the words of a question answers it, not for sure.
func TestLinksSettle(t *testing.T) {
	items := []Item{
		item("ask", "s1", 1, payload.Question, "Who may discard a job?", "who?"),
		item("long", "s1", 1, payload.Question, "How long are download counts kept?", "how long?"),
		item("leads", "s2", 5, payload.Decision, "Support leads may discard a job.", "support leads"),
		item("grouped", "s2", 5, payload.Decision, "Download counts are kept by country.", "by country"),
	}
	want := []string{"leads supersedes ask by answers, sure false"}
	if diff := cmp.Diff(want, short(Links(items))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A later warning outdates what was decided, a later decision what was warned of,
// and what is ruled out what was supposed; a warning about something else doesn't.
func TestLinksOfWarnings(t *testing.T) {
	items := []Item{
		item("soap", "s1", 1, payload.Decision, "Manifests go to the port by SOAP.", "soap"),
		item("limit", "s1", 1, payload.Flag, "At most 16 crates fit on one pallet.", "16 a pallet"),
		item("hand", "s1", 1, payload.Flag, "The timetable is typed in by hand.", "by hand"),
		item("agents", "s1", 1, payload.Hypothesis, "Overbooked cars come from two agents holding one seat.", "two agents?"),
		item("dropped", "s2", 5, payload.Flag, "The port dropped SOAP for manifests.", "they dropped soap"),
		item("sandbox", "s2", 5, payload.Flag, "The port's sandbox drops every tenth manifest.", "every tenth"),
		item("twelve", "s2", 5, payload.Flag, "At most 12 crates fit on one pallet.", "12 now"),
		item("import", "s2", 5, payload.Decision, "The timetable is imported instead of typed in by hand.", "import it"),
		item("unique", "s2", 5, payload.Eliminated, "Overbooked cars come from two agents holding one seat.",
			"holds are unique"),
	}
	want := []string{
		"dropped supersedes soap by outdates, sure false",
		"import supersedes hand by outdates, sure false",
		"twelve supersedes limit by new-value, sure true",
		"unique supersedes agents by ruled-out, sure false",
	}
	if diff := cmp.Diff(want, short(Links(items))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A share is one value, however its unit is written: another number is a new value, another spelling isn't.
func TestLinksOfShares(t *testing.T) {
	later := func(text string) []string {
		return short(Links([]Item{
			item("earlier", "s1", 1, payload.Decision, "Alert when the disk is 80% full.", "80%"),
			item("later", "s2", 5, payload.Decision, text, text)}))
	}
	for text, want := range map[string][]string{
		"Alert when the disk is 90 percent full.": {"later supersedes earlier by new-value, sure true"},
		"Alert when the disk is 90% full.":        {"later supersedes earlier by new-value, sure true"},
		"Alert when the disk is 80 % full.":       nil,
		"Alert when the disk is 80 percent full.": nil,
	} {
		if diff := cmp.Diff(want, later(text)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", text, diff)
		}
	}
}
