package index

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/payload"
)

// A question that asks for a kind of item and names nothing that it is about is
// answered by the newest of that kind: what stands, of the project and the time
// that it names.
func TestListing(t *testing.T) {
	doc := func(project, session string, days int, items ...Item) Doc {
		at := day.AddDate(0, 0, days)
		for i := range items {
			items[i].At, items[i].State, items[i].By, items[i].Maker = at.Add(time.Duration(i)*time.Minute), payload.Stands,
				payload.ByUser, payload.ByRule
		}
		return Doc{Session: session, Project: project, Title: session, Source: "claude-code", Start: at,
			End: at.Add(time.Hour), Items: items}
	}
	item := func(id string, kind payload.Kind, text string) Item {
		return Item{Item: payload.Item{ID: payload.ItemID(id), Kind: kind, Text: text}}
	}
	x := openWith(t,
		doc("kiln", "one", 0, item("oldstep000", payload.Next, "Write the load test"),
			item("oldgoal000", payload.Goal, "Bookings survive a restart"),
			item("sqlite0000", payload.Decision, "Bookings are kept in SQLite"),
			item("graphql000", payload.Eliminated, "GraphQL, nobody here knows it"),
			item("waitlist00", payload.Deferred, "A waitlist waits for the opening")),
		doc("kiln", "two", 7, item("newstep000", payload.Next, "Send the calendar feed to Ines"),
			item("postgres00", payload.Decision, "Bookings are kept in Postgres"),
			item("vat0000000", payload.Question, "Is there VAT on the fee?")),
		doc("heron", "three", 8, item("grdb000000", payload.Decision, "Sightings are kept with GRDB"),
			item("heronstep0", payload.Next, "Ask for an icon"),
			item("progress00", payload.Decision, "A progress bar is shown while photos load")),
		doc("lens", "four", -9, item("lensfirst0", payload.Lead, "we keep the old shutter"), Item{Item: payload.Item{
			ID: "lensring00", Kind: payload.Lead, Hint: payload.Deferred, Text: "the ring has to wait"}},
			Item{Item: payload.Item{ID: "lenslast00", Kind: payload.Lead, Rule: payload.ReportRule,
				Text: "The aperture ring is still loose."}}))
	said := []Item{item("quayflag00", payload.Flag, "The quay's tide table is in local time")}
	for i := range fewDocs { // so often that its name is no rare word
		said = append(said, item(fmt.Sprintf("quaylead%02d", i), payload.Lead, fmt.Sprintf("the quay has berth %d", i)))
	}
	if err := x.Put(t.Context(), doc("quay", "five", -20, said...)); err != nil {
		t.Fatal(err)
	}
	link := payload.Link{From: "postgres00", To: "sqlite0000", Relation: payload.Supersedes, Collapses: true,
		Maker: payload.ByRule, Rule: "r", Precision: 1, At: day.AddDate(0, 0, 7)}
	if err := x.PutLinks(t.Context(), []payload.Link{link}, "made", nil, nil); err != nil {
		t.Fatal(err)
	}
	now := day.AddDate(0, 0, 9)
	for _, c := range []struct {
		q    Query
		want []string
	}{
		{Query{Text: "what did we decide?"}, []string{"progress00", "grdb000000", "postgres00", "graphql000"}},
		{Query{Text: "what did we decide?", Here: "kiln"}, []string{"postgres00", "graphql000", "progress00", "grdb000000"}},
		{Query{Text: "What did we decide on kiln?"}, []string{"postgres00", "graphql000"}},
		{Query{Text: "decisions in project heron"}, []string{"progress00", "grdb000000"}},
		// which stands in place of what was decided then
		{Query{Text: "what did we decide last week", Now: now}, []string{"graphql000", "postgres00"}},
		{Query{Text: "what did we do", Since: day, Until: day.AddDate(0, 0, 1)},
			[]string{"waitlist00", "graphql000", "postgres00", "oldgoal000"}},
		{Query{Text: "what happened", Since: day.AddDate(0, 0, -9), Until: day}, []string{"lenslast00", "lensring00"}},
		{Query{Text: "what did we decide", Since: day.AddDate(0, 0, 1), Until: day.AddDate(0, 0, 8)}, []string{"postgres00"}},
		{Query{Text: "what did we decide?", AsOf: day.AddDate(0, 0, 1)}, []string{"graphql000", "sqlite0000"}},
		{Query{Text: "what happened", Project: "heron"}, []string{"progress00", "grdb000000"}},
		{Query{Text: "what's next?"}, []string{"heronstep0", "newstep000", "oldstep000"}}, // each thread's last word
		{Query{Text: "what's left on kiln"}, []string{"vat0000000", "newstep000", "waitlist00", "oldstep000"}},
		{Query{Text: "Where did we leave off on kiln?"}, []string{"newstep000"}},
		{Query{Text: "What did I ask you to do on kiln?"}, []string{"oldgoal000"}},
		{Query{Text: "What did we decide on kiln last time?"}, []string{"postgres00", "graphql000"}},
		{Query{Text: "any warnings on quay?"}, []string{"quayflag00"}},
		{Query{Text: "¿Dónde nos quedamos? kiln"}, []string{"newstep000"}},
		// Nobody noted anything in lens; what was said looks like it, or tells where it ended.
		{Query{Text: "where were we?", Project: "lens"}, []string{"lenslast00"}},
		{Query{Text: "what did we postpone?", Project: "lens"}, []string{"lensring00"}},
		{Query{Text: "what's left to do?", Project: "lens"}, []string{"lensring00"}},
		{Query{Text: "anything new?", Project: "heron"}, []string{"progress00", "grdb000000"}},
		{Query{Text: "open questions"}, []string{"vat0000000", "waitlist00"}},
		{Query{Text: "what did we rule out so far?"}, []string{"graphql000"}},
		{Query{Text: "Was haben wir bei kiln beschlossen?"}, []string{"postgres00", "graphql000"}},
		{Query{Text: "Was kommt als nächstes?", Here: "kiln"}, []string{"newstep000", "oldstep000", "heronstep0"}},
		{Query{Text: "Wo stehen wir bei kiln?"}, []string{"newstep000"}},
		{Query{Text: "offene Fragen"}, []string{"vat0000000", "waitlist00"}},
		{Query{Text: "dead ends"}, []string{"graphql000"}},
		{Query{Text: "what did I forbid on kiln?"}, []string{"graphql000"}},
		{Query{Text: "What mustn't we do on kiln, what did I refuse?"}, []string{"graphql000"}},
		{Query{Text: "Was habe ich bei kiln verboten?"}, []string{"graphql000"}},
		{Query{Text: "What is still open on kiln?"}, []string{"vat0000000", "newstep000", "waitlist00", "oldstep000"}},
		{Query{Text: "which of these", Kinds: []payload.Kind{payload.Deferred}, Project: "kiln"}, []string{"waitlist00"}},
	} {
		a := search(t, x, c.q)
		if diff := cmp.Diff(c.want, itemsOf(a)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.q.Text, diff)
		}
		if len(a.Listed) == 0 || a.Unknown || a.Doubtful {
			t.Errorf("%q: listed %v, unknown %v, doubtful %v, want a list that answers", c.q.Text, a.Listed, a.Unknown,
				a.Doubtful)
		}
	}
	for _, q := range []Query{
		{Text: "what did we decide about bookings?"}, {Text: "progress"}, {Text: "the"}, {Text: "???"},
		{Text: "any warnings about the quay?"}, {Text: "what's left", Also: []string{"calendar"}},
		{Text: "what are the hypotheses?"}, // there are none
	} {
		if a := search(t, x, q); len(a.Listed) > 0 {
			t.Errorf("%q: %v are listed, want what its words find", q.Text, a.Listed)
		}
	}
	a := search(t, x, Query{Text: "what did we decide", Limit: 2})
	if len(a.Ranked) != 2 || a.More != 2 {
		t.Errorf("of 4 with limit 2: got %d and %d more", len(a.Ranked), a.More)
	}
	var since []Item // the only one that says how it stands
	for i := range 2 * listedAtOnce {
		since = append(since, item(fmt.Sprintf("dune%06d", i), payload.Lead, fmt.Sprintf("sand %d of the dune", i)))
	}
	x = openWith(t, doc("dune", "six", 0, item("dunestands", payload.Status, "The fence is up")),
		doc("dune", "seven", 1, since...))
	got := itemsOf(search(t, x, Query{Text: "where do we stand?", Project: "dune"}))
	if !slices.Equal(got, []string{"dunestands"}) {
		t.Errorf("after 800 leads: got %q", got)
	}
	beside := doc("path", "eight", 2, item("pathstands", payload.Status, "The gate is open"))
	beside.Also = []string{"dune"} // so it has the last word there, and not on the path
	x = openWith(t, beside, doc("path", "nine", 3, item("paththere0", payload.Status, "The steps are cut")),
		doc("dune", "six", 0, item("dunestands", payload.Status, "The fence is up")))
	want := []string{"pathstands", "paththere0"}
	if got = itemsOf(search(t, x, Query{Text: "where do we stand?", Here: "dune"})); !slices.Equal(got, want) {
		t.Errorf("from a project that another's session worked in: got %q, want %q", got, want)
	}
}

// What was only told to come next waits a week, unless a later session spoke of it, a task until one completes it; what
// is of the project that one is in comes first, also if the session belongs to another.
func TestWaiting(t *testing.T) {
	doc := func(id string, days int, rule, said string, also ...string) Doc {
		at := day.AddDate(0, 0, days)
		return Doc{Session: id, Project: "app", Title: id, Start: at, End: at, Also: also,
			Thread: ThreadEntry{ThreadInfo: payload.ThreadInfo{Start: at, End: at}},
			Items: []Item{{Item: payload.Item{ID: payload.ItemID(id), Kind: payload.Lead, Rule: rule,
				Hint: payload.Next, Text: said, At: at, State: payload.Stands}}}}
	}
	x := openWith(t, doc("cart", 0, payload.ToldNextRule, "next the cart, tomorrow"),
		doc("label", 1, payload.ToldNextRule, "the label needs a larger font, next time", "printer"),
		doc("filter", 2, payload.ToldNextRule, "next the filter of the order list"),
		doc("built", 3, "said-typed", "the order list has its filter now"),
		doc("sort", 4, payload.ToldNextRule, "sorting on monday"),
		doc("totals", 0, payload.TaskRule, "Totals per day"), doc("export", 0, payload.TaskRule, "Export as CSV"),
		Doc{Session: "totalled", Project: "app", Deeds: []payload.Deed{{Text: "totals per day", Task: true,
			At: day.AddDate(0, 0, 1)}}})
	for _, c := range []struct {
		here string
		days int
		want []string
	}{{"app", 5, []string{"sort", "label", "cart", "export"}},
		{"printer", 5, []string{"label", "sort", "cart", "export"}}, {"app", 20, []string{"sort", "export"}}} {
		a := search(t, x, Query{Text: "what's next?", Here: c.here, Now: day.AddDate(0, 0, c.days)})
		if diff := cmp.Diff(c.want, itemsOf(a)); diff != "" {
			t.Errorf("in %s after %d days (-want +got):\n%s", c.here, c.days, diff)
		}
	}
}
