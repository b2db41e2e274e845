package payload

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recall/payload/tokens"
)

const designPage = `<!-- recall k3v9t2m8qa b7xw4c5d2e 5hq2n6r3ya w2m7f4k6tc -->
# Rehydration payload: Fix duplicate jobs in ProcessQueue
Session 7f3c1a2b… · project billing · branch fix/queue · 2026-04-17 14:32–16:05 · distilled by offline/1

## Current goal
Find and fix the race that duplicates jobs under high concurrency.

## Decisions made
- Log at acquire() before changing the lock order (not: swap the locks right away) — because the window must be confirmed first.

## Hypotheses eliminated (do not revisit)
- Duplicate DB writes — the write is idempotent; duplicates occur before it.

## Next action
1. Add logging at ProcessQueue.acquire() lines 44–47, then run the load test at 200 workers.
<!-- /recall -->
`

// Several commits stand in one line, and none answers another.

func TestLineOfCommits(t *testing.T) {
	it := Item{Kind: Lead, Rule: CommitRule, By: ByAssistant, Text: "oars: count them · oars: no negative count",
		Evidence: []Evidence{{Turn: "a", N: 4, Quote: "oars: count them"},
			{Turn: "b", N: 9, Quote: "oars: no negative count"}}}
	if got := LineOf(&it); got != "“oars: count them · oars: no negative count” — commits, the last in turn 9" {
		t.Error(got)
	}
}

func TestRenderIsTheDesignsPage(t *testing.T) {
	got := Render(example(), Options{Editable: true})
	if diff := cmp.Diff(designPage, got.Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := []ItemID{"k3v9t2m8qa", "b7xw4c5d2e", "5hq2n6r3ya", "w2m7f4k6tc"}; !slices.Equal(got.Shown, want) {
		t.Errorf("shown: got %v, want %v", got.Shown, want)
	}
	handed := Render(example(), Options{})
	head, rest, _ := strings.Cut(handed.Text, "\n")
	want := "<!-- recall " + string(PageID(example().Session)) + " -->"
	if head != want || !strings.HasSuffix(designPage, rest) {
		t.Errorf("handed on it begins with %s, want %s, and ends\n%s", head, want, rest)
	}
	for _, r := range []Rendered{got, handed} {
		if want := tokens.Count(handed.Text); r.Cut != 0 || r.Tokens != want {
			t.Errorf("got %d cut and %d tokens, want none and %d", r.Cut, r.Tokens, want)
		}
	}
}

// What became of an item since is told of a session that is shown, and isn't taken for its words when it is read back.
func TestShownTellsWhatBecameOfAnItem(t *testing.T) {
	p := example()
	it := &p.Items[1]
	at := it.At.AddDate(1, 0, 0)
	p.Doubted = map[ItemID]Doubt{it.ID: {By: "x", At: at, Relation: Supersedes, Sure: true}}
	page := Render(p, Options{Budget: -1}).Text
	if want := "; superseded, " + at.Format("Jan 2, 2006") + ")\n"; !strings.Contains(page, want) {
		t.Errorf("got\n%s\nwant %q in it", page, want)
	}
	doc, err := Read(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range doc.Lines {
		if strings.Contains(LineOf(&l.Item), "superseded") {
			t.Errorf("read back as %+v", l.Item)
		}
	}
}

// Files that were only read are named where a fault is looked for; they are no items, also in a page read back.
func TestDebugNamesWhatWasRead(t *testing.T) {
	p := example()
	p.Read = []string{"logs/a<!--b.txt", "src/queue.go"}
	page := Render(p, Options{Variant: Debug}).Text
	if !strings.Contains(page, "\nRead, no change seen · logs/a<\\!--b.txt · src/queue.go\n\n## ") {
		t.Errorf("got\n%s", page)
	}
	doc, err := Read(page)
	if err != nil || len(doc.Lines) != len(p.Items) {
		t.Errorf("got %d lines of %d items (%v)", len(doc.Lines), len(p.Items), err)
	}
	if page := Render(p, Options{}).Text; strings.Contains(page, "queue.go") {
		t.Errorf("got\n%s", page)
	}
}

func TestVariantsLeadWithWhatTheyAreFor(t *testing.T) {
	p := example()
	p.Items = append(p.Items,
		Item{ID: "c", Kind: Finding, Text: "Two workers read one job", Why: "the log shows both ids", State: Stands},
		Item{ID: "h", Kind: Hypothesis, Text: "The lock is taken after the job is read", State: Stands},
		Item{ID: "q", Kind: Question, Text: "How are in-flight jobs handled?", State: Stands},
		Item{ID: "f", Kind: Flag, Text: "The mock fails; expected", State: Stands},
		Item{ID: "s", Kind: Status, Text: "NOT STARTED: admin API", State: Stands})
	for _, tt := range []struct {
		variant Variant
		want    []string
	}{
		{Coding, []string{"Current goal", "Decisions made", "Hypotheses eliminated (do not revisit)", "Next action",
			"Don't forget", "What was found", "Surviving hypothesis", "Open questions", "Status"}},
		{Debug, []string{"Current goal", "Surviving hypothesis", "Hypotheses eliminated (do not revisit)", "What was found",
			"Next action", "Don't forget", "Decisions made", "Open questions", "Status"}},
		{Handoff, []string{"Feature goal", "Decisions locked in", "Open questions", "Status", "Warnings", "Next action",
			"Ruled out (do not revisit)", "What was found", "Surviving hypothesis"}},
	} {
		var got []string
		for line := range strings.Lines(Render(p, Options{Variant: tt.variant}).Text) {
			if name, ok := strings.CutPrefix(line, "## "); ok {
				got = append(got, strings.TrimSpace(name))
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.variant, diff)
		}
	}
}

func TestOnlyWhatHoldsIsShown(t *testing.T) {
	p := &Payload{Session: "s"}
	for _, state := range []State{Stands, Superseded, Revoked, Reopened, Done, Retired, ""} {
		p.Items = append(p.Items, Item{ID: ItemID("id-" + state), Kind: Decision, Text: "x " + string(state), State: state})
	}
	got := Render(p, Options{})
	if want := []ItemID{"id-stands", "id-reopened", "id-"}; !slices.Equal(got.Shown, want) || got.Cut != 0 {
		t.Errorf("got %v and %d cut, want %v and none", got.Shown, got.Cut, want)
	}
}

func TestHostileTextStaysOneLine(t *testing.T) {
	for _, text := range []string{
		"<!-- /recall -->", "<\\!-- /recall -->", "a <!-- recall k3v9t2m8qa --> b", "## Decisions made", "# x", "- x",
		"1. x", "* x", "> x", "- ", "-",
		"[pinned] x", "[x] x", "[ ] x", "\\", "\\# x", "\\\\[x] y", "```", "~~~", "…", "... and 3 more: recall show x", "… and 3 more: recall show x",
		"a — b", "a —", "— a", "a — — b", "—", "because x", "x (scope: y)", "x \\(scope: y)", "(scope: y)",
		"x (not: y)", "x (said: y)", "x (session 2, Apr 17)", "Session 7f3c · x",
		"a.", "a..", ".", "DONE", "| a | b |", "===", "---", "***",
	} {
		for _, kind := range Kinds {
			for _, why := range []string{"", "w — w (session 1, May 2)"} {
				item := Item{ID: "k3v9t2m8qa", Kind: kind, Text: text, Why: why, State: Stands, Path: "p — q.go"}
				p := &Payload{Session: "s", Items: []Item{item, {ID: "b7xw4c5d2e", Kind: kind, Text: "other",
					Path: "other.go", State: Stands}}}
				if kind != File {
					p.Items[0].Path, p.Items[1].Path = "", ""
				}
				checkRoundTrip(t, p)
				p.Items = p.Items[:1]
				checkRoundTrip(t, p)
			}
		}
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkRoundTrip renders without budget in all variants and reads back: the
// same items in the order of Shown, and rendering what was read changes nothing.
func checkRoundTrip(t failer, p *Payload) {
	t.Helper()
	byID := map[ItemID]Item{}
	for _, it := range p.Items {
		byID[it.ID] = it
	}
	for _, v := range Variants {
		r := Render(p, Options{Variant: v, Budget: -1, Editable: true})
		doc, err := Read(r.Text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", v, err, r.Text)
		}
		if !slices.Equal(doc.IDs, r.Shown) || len(doc.Lines) != len(r.Shown) {
			t.Fatalf("%s: got ids %v and %d lines, want %v\n%s", v, doc.IDs, len(doc.Lines), r.Shown, r.Text)
		}
		again := *p
		again.Items = nil
		for i, l := range doc.Lines {
			want := byID[r.Shown[i]]
			if got := said(l.Item); got != said(want) {
				t.Fatalf("%s, line %d: got %q, want %q\n%s", v, l.N, got, said(want), r.Text)
			}
			it := l.Item
			it.ID = r.Shown[i]
			again.Items = append(again.Items, it)
		}
		if got := Render(&again, Options{Variant: v, Budget: -1, Editable: true}).Text; got != r.Text {
			t.Fatalf("%s: read and rendered again (-want +got):\n%s", v, cmp.Diff(r.Text, got))
		}
	}
}

// said is what an item says apart from what a line arranges anew: a full stop
// before more, "because", which part is text and which path or reason.
func said(it Item) string {
	var parts []string
	for _, s := range append([]string{string(it.Kind), fmt.Sprint(it.Pinned), it.Path, it.Status, it.Text, it.Why,
		it.Scope}, it.Alternatives...) {
		if s = strings.TrimPrefix(strings.ToLower(oneLine(s)), "because "); s != "" {
			parts = append(parts, strings.TrimRight(s, " ."))
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "|")
}

var (
	anyText = rapid.OneOf(rapid.String(), rapid.StringMatching(`(<!--|-->|#|- |— | — |\(scope: |\(not: |\(said: |`+
		`\(session 2, Apr 17\)|\)|\\|\[x\] |\[pinned\] |because |DONE|;|\n|\r|\.|…|[0-9]\. |a|b| ){0,12}`))
	tameText = rapid.StringMatching(`[A-Z][a-z]{2,8}( [a-z]{2,9}){1,8}`)
)

func TestAnythingReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Payload{Session: anyText.Draw(t, "session"), Title: anyText.Draw(t, "title"),
			Project: anyText.Draw(t, "project"), Branch: anyText.Draw(t, "branch")}
		for range rapid.IntRange(0, 8).Draw(t, "items") {
			kind := rapid.SampledFrom(Kinds).Draw(t, "kind")
			it := Item{Kind: kind, Text: anyText.Draw(t, "text"), Why: anyText.Draw(t, "why"), State: Stands,
				Pinned: rapid.Bool().Draw(t, "pinned")}
			if kind == File {
				it.Path, it.Status = anyText.Draw(t, "path"), rapid.SampledFrom(append(fileStates, "")).Draw(t, "status")
			}
			p.Items = append(p.Items, it)
		}
		Mint("s", p.Items, map[ItemID]bool{})
		for _, v := range Variants {
			r := Render(p, Options{Variant: v, Budget: -1, Editable: true})
			doc, err := Read(r.Text)
			if err != nil {
				t.Fatalf("%v\n%s", err, r.Text)
			}
			if !slices.Equal(doc.IDs, r.Shown) || len(doc.Lines) != len(r.Shown) {
				t.Fatalf("got ids %v and %d lines, want %v\n%s", doc.IDs, len(doc.Lines), r.Shown, r.Text)
			}
			for i, l := range doc.Lines {
				k := slices.IndexFunc(p.Items, func(it Item) bool { return it.ID == r.Shown[i] })
				if got, want := formatItem(&l.Item), formatItem(&p.Items[k]); got != want {
					t.Fatalf("got line %q, want %q", got, want)
				}
			}
		}
	})
}

// Items of plain sentences read back field by field.
func TestPlainItemsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Payload{Session: "7f3c"}
		for range rapid.IntRange(1, 10).Draw(t, "items") {
			it := Item{Kind: rapid.SampledFrom(Kinds).Draw(t, "kind"), State: Stands,
				Text: tameText.Draw(t, "text") + " now", Pinned: rapid.Bool().Draw(t, "pinned")}
			if rapid.Bool().Draw(t, "with why") {
				it.Why = "since " + tameText.Draw(t, "why") + "."
			}
			if it.Kind == File {
				it.Path, it.Status = "src/"+rapid.StringMatching(`[a-z]{1,9}\.go`).Draw(t, "path"), rapid.SampledFrom(fileStates).Draw(t, "status")
			} else {
				it.Scope = rapid.SampledFrom([]string{"", "above 10k jobs"}).Draw(t, "scope")
				it.Alternatives = rapid.SampledFrom([][]string{nil, {"X1"}, {"X1", "Y 2"}}).Draw(t, "alternatives")
			}
			p.Items = append(p.Items, it)
		}
		Mint("s", p.Items, map[ItemID]bool{})
		for _, v := range Variants {
			r := Render(p, Options{Variant: v, Budget: -1, Editable: true})
			doc, err := Read(r.Text)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []Item
			for i, l := range doc.Lines {
				l.Item.ID = doc.IDs[i]
				got = append(got, l.Item)
			}
			for _, id := range r.Shown {
				want = append(want, p.Items[slices.IndexFunc(p.Items, func(it Item) bool { return it.ID == id })])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", v, diff)
			}
		}
	})
}

// many makes n items of each kind, a day apart, newest last.
func many(n int) *Payload {
	p := &Payload{Session: "7f3c", Title: "Many"}
	for _, kind := range Kinds {
		for i := range n {
			it := Item{Kind: kind, Text: fmt.Sprintf("The %s number %d says something of about a dozen words or so", kind, i),
				State: Stands, At: time.Date(2026, 4, 1+i, 0, 0, 0, 0, time.UTC)}
			p.Items = append(p.Items, it)
		}
	}
	Mint("s", p.Items, map[ItemID]bool{})
	return p
}

func TestBudgetHolds(t *testing.T) {
	for _, n := range []int{1, 3, 10, 60} {
		for _, budget := range []int{0, 200, 400, 2000} {
			p := many(n)
			r := Render(p, Options{Budget: budget})
			if budget == 0 {
				budget = DefaultBudget
			}
			if r.Tokens > budget || r.Tokens != tokens.Count(r.Text) {
				t.Errorf("%d a kind: got %d tokens (counted %d), want at most %d", n, r.Tokens, tokens.Count(r.Text), budget)
			}
			if r.Cut+len(r.Shown) != len(p.Items) {
				t.Errorf("%d a kind: got %d cut and %d shown of %d", n, r.Cut, len(r.Shown), len(p.Items))
			}
			if last := fmt.Sprintf("\n… and %d more: recall show 7f3c\n<!-- /recall -->\n", r.Cut); r.Cut > 0 &&
				!strings.HasSuffix(r.Text, last) {
				t.Errorf("%d a kind: the last line doesn't count %d cut items:\n%s", n, r.Cut, r.Text)
			}
		}
	}
}

func TestCutOrder(t *testing.T) {
	p := many(5)
	p.Items[slices.IndexFunc(p.Items, func(it Item) bool { return it.Kind == Status })].Pinned = true
	var got []string
	for _, i := range cutOrder(p.Items) {
		got = append(got, fmt.Sprintf("%s %d", p.Items[i].Kind, p.Items[i].At.Day()-1))
	}
	want := strings.Split("lead 0,lead 1,status 1,file 4,file 3,question 0,question 1,deferred 0,deferred 1,hypothesis 0,hypothesis 1,next 1,flag 0,flag 1,finding 0,finding 1,eliminated 0,eliminated 1,decision 0,decision 1,"+
		"lead 2,lead 3,lead 4,status 2,status 3,status 4,file 2,file 1,file 0,question 2,question 3,question 4,deferred 2,deferred 3,deferred 4,hypothesis 2,hypothesis 3,hypothesis 4,"+
		"next 2,next 3,next 4,flag 2,flag 3,flag 4,finding 2,finding 3,finding 4,eliminated 2,eliminated 3,eliminated 4,decision 2,decision 3,decision 4,goal 0,goal 1,goal 2,goal 3,status 0", ",")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What was cut to make room for more important items comes back if it fits beside them.
// What only an agent says takes no room from what the person said.
func TestClaimsYieldFirst(t *testing.T) {
	p := &Payload{Items: []Item{
		{Kind: Lead, Text: "The mill stays shut until the millrace is dry.", By: ByUser, State: Stands, Confidence: 0.2},
		{Kind: Decision, Text: "The sails turn by hand.", By: ByUser, State: Stands},
		Item{Kind: Decision, Text: "The mill runs on Sundays.", Confidence: 0.9, State: Stands}.AsSaid()}}
	if order := cutOrder(p.Items); order[0] != 2 {
		t.Errorf("got %v, want the agent's line cut first", order)
	}
}

func TestCutItemsComeBack(t *testing.T) {
	long := strings.Repeat("word ", 100)
	items := make([]Item, 5)
	for i, text := range []string{"First.", "Second.", "Third.", long, "Short."} {
		items[i] = Item{ID: ItemID(fmt.Sprint("item", i)), Kind: Lead, Text: text, State: Stands, Rule: "said-typed",
			Confidence: 1 - float64(i)/10, Evidence: []Evidence{{Turn: "t", N: 1, Quote: text}}}
	}
	r := Render(&Payload{Session: "s", Items: items}, Options{Budget: 150})
	if strings.Contains(r.Text, "word word") || !strings.Contains(r.Text, "Short.") || r.Cut != 1 || r.Tokens > 150 {
		t.Errorf("got, want all but the long one (%d tokens, %d cut)\n%s", r.Tokens, r.Cut, r.Text)
	}
}

func TestGoalAndNextActionSurviveAnything(t *testing.T) {
	p := many(3)
	long := strings.Repeat("a sentence that never ends ", 400)
	p.Items = append(p.Items, Item{ID: "goal", Kind: Goal, Text: "GOAL " + long, State: Stands,
		At: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)})
	p.Items = slices.Insert(p.Items, 0, Item{ID: "next", Kind: Next, Text: "NEXT " + long, State: Stands})
	for _, budget := range []int{120, 300, 1000} {
		r := Render(p, Options{Budget: budget})
		if r.Tokens > budget {
			t.Errorf("budget %d: got %d tokens", budget, r.Tokens)
		}
		if !slices.Contains(r.Shown, "goal") || !slices.Contains(r.Shown, "next") ||
			!strings.Contains(r.Text, "GOAL a") || !strings.Contains(r.Text, "1. NEXT a") {
			t.Errorf("budget %d: goal or next action is missing:\n%s", budget, r.Text)
		}
	}
}

func BenchmarkRenderWithinBudget(b *testing.B) {
	p := many(20)
	Render(p, Options{})
	for b.Loop() {
		Render(p, Options{})
	}
}

// A passage is quoted with who said it and where; the least telling go first, and
// read back it is the same passage.
func TestPassagesAreQuoted(t *testing.T) {
	p := &Payload{Session: "7f3c", Made: Provenance{Distiller: "offline/3"}}
	for i := range 11 {
		p.Items = append(p.Items, Item{Kind: Lead,
			Text: fmt.Sprintf("Passage %d — as “it” stands (session 2, Apr 17)", i),
			By:   ByUser, State: Stands, Confidence: float64(i) / 10,
			At: editedAt, Evidence: []Evidence{{Turn: "u", N: 10 + i, Quote: "Passage"}}})
	}
	Mint(p.Session, p.Items, map[ItemID]bool{})
	p.Items[9].Evidence = append(p.Items[9].Evidence, Evidence{Turn: "v", N: 30, Quote: "Yes."})
	p.Items[10].Evidence = append(p.Items[10].Evidence, Evidence{Turn: "a", N: 9, Quote: "Shall — it?"})
	r := Render(p, Options{Budget: 235})
	for _, want := range []string{"user, turn 19; answered “Yes.”\n", "user, turn 20, to “Shall\u00a0— it?”\n"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q is missing:\n%s", want, r.Text)
		}
	}
	if len(r.Shown) != 5 || r.Cut != 6 || strings.Contains(r.Text, "Passage 5 ") ||
		!strings.Contains(r.Text, "”"+dash+"user, turn 17\n") {
		t.Errorf("got %d shown and %d cut:\n%s", len(r.Shown), r.Cut, r.Text)
	}
	if !strings.Contains(r.Text, leadsNotice) {
		t.Errorf("the head doesn't say that these are quotes:\n%s", r.Text)
	}
	doc, err := Read(r.Text)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range doc.Lines {
		at := slices.IndexFunc(p.Items, func(it Item) bool { return it.ID == r.Shown[i] })
		if want := oneLine(p.Items[at].Text); oneLine(l.Item.Text) != want || l.Item.Kind != Lead || l.Item.Why != "" {
			t.Errorf("got %+v, want the passage %q", l.Item, want)
		}
	}
}

func TestARequestIsQuoted(t *testing.T) {
	goal := Item{ID: "k3v9t2m8qa", Kind: Goal, Rule: RequestRule, Maker: ByRule, By: ByUser, State: Stands,
		Text: "is the branch merged?", Evidence: []Evidence{{Turn: "u1", N: 1, Quote: "is the branch merged?"}}}
	p := &Payload{Schema: Schema, Session: "s", Items: []Item{goal}}
	if want := "\n“is the branch merged?” — user, turn 1\n"; !strings.Contains(Render(p, Options{}).Text, want) {
		t.Errorf("a goal that is a request reads %q, want %q in it", Render(p, Options{}).Text, want)
	}
	doc, err := Read(Render(p, Options{}).Text)
	if err != nil || len(doc.Lines) != 1 || doc.Lines[0].Item.Text != goal.Text {
		t.Errorf("read back: %+v, %v, want its text %q", doc, err, goal.Text)
	}
	later := Item{ID: "v6h2n8c4ra", Kind: Lead, Maker: ByRule, By: ByUser, State: Stands, At: time.Unix(60, 0),
		Text: "then write the notes", Evidence: []Evidence{{Turn: "u9", N: 9, Quote: "then write the notes"}}}
	p.Items = append(p.Items, later)
	const asked = "\n## Began with\n“is the branch merged?” — user, turn 1"
	if page, want := Render(p, Options{}).Text, asked+"; the user said more since, up to turn 9\n"; !strings.Contains(
		page, want) {
		t.Errorf("a request after which more was said reads %q, want %q in it", page, want)
	} else if doc, err := Read(page); err != nil || len(doc.Lines) != 2 || doc.Lines[0].Item.Text != goal.Text {
		t.Errorf("read back: %+v, %v, want its text %q", doc, err, goal.Text)
	}
	p.Origins = map[ItemID]Origin{goal.ID: {Session: "s"}, later.ID: {Session: "another"}}
	if page := Render(p, Options{}).Text; strings.Contains(page, "more since") {
		t.Errorf("what was said in another session counts after a request:\n%s", page)
	}
	p.Items, p.Origins = p.Items[:1], nil
	plan := goal
	plan.By = ByBoth
	lead := plan
	lead.Kind, lead.Rule = Lead, "plan"
	for _, it := range []Item{plan, lead} {
		page := Render(&Payload{Schema: Schema, Session: "s", Items: []Item{it}}, Options{}).Text
		if want := "” — the plan that was approved, turn 1\n"; !strings.Contains(page, want) {
			t.Errorf("a plan's title as %s reads %q, want %q in it", it.Kind, page, want)
		}
	}
	long := strings.TrimSpace(strings.Repeat("move the import to a worker, ", 20))
	p.Items[0].Text, p.Items[0].Evidence[0].Quote = long, long[:200]
	if want := "\n“" + long + "” — user, turn 1\n"; !strings.Contains(Render(p, Options{}).Text, want) {
		t.Errorf("a long request, of which evidence is the beginning, reads %q", Render(p, Options{}).Text)
	}
	p.Items = append(p.Items, Item{ID: "p9c4x7h2nd", Kind: Lead, Maker: ByHuman, By: ByUser, State: Stands,
		Text: "no METRICS in here", Evidence: []Evidence{{Turn: "u5", N: 5, Quote: "no metrics in here"}}},
		Item{ID: "r2d8k5m3vb", Kind: Decision, Maker: ByRule, Rule: AnswerRule, By: ByUser, State: Stands,
			Text: "Who may open it? → All of support", Why: "but discarding needs the admin role"})
	if got := Render(p, Options{}).Text; strings.Contains(got, "“no METRICS") || strings.Contains(got, "because") {
		t.Errorf("what was edited by hand is a quote, or a note to an answer its reason:\n%s", got)
	}
	p.Items[0].Maker, p.Items[0].Text = ByHuman, "merge it"
	if got := Render(p, Options{}).Text; !strings.Contains(got, "\nmerge it\n") {
		t.Errorf("a goal that a person wrote reads %q, want it unquoted", got)
	}
}
