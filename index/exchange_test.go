package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/index/rank"
	"recall/ingest"
	"recall/payload"
)

func said(n, exchange int, role, text string) Turn {
	return Turn{ID: fmt.Sprintf("t%d", n), N: n, Exchange: exchange, Role: role, Text: text}
}

// What is asked and what answers it are found together, whichever of them has the words, and are one result: the turn
// that says most of the question, and one beside it.
func TestAnExchangeIsFoundAsAWhole(t *testing.T) {
	x := openWith(t, Doc{Session: "s", Project: "p", Turns: []Turn{
		said(1, 1, "user", "the invoices come out empty"),
		said(2, 1, "assistant", "The template is missing."),
		said(3, 2, "user", "how long may the retries of the queue take?"),
		said(4, 2, "assistant", "Reading it."),
		said(5, 2, "assistant", "Ten minutes: five tries with jitter, and the retries never wait longer than two.")},
	}, Doc{Session: "s2", Project: "p", Turns: []Turn{said(1, 1, "user", "the queue"), said(2, 1, "assistant", "jitter")}})
	a := search(t, x, Query{Text: "queue retries jitter"})
	if got, want := ids(a)[:2], []string{"s/t5", "s/t3"}; !cmp.Equal(got, want) || a.Ranked[0].Exchange != 2 {
		t.Errorf("got %v of exchange %d first, want %v of 2", got, a.Ranked[0].Exchange, want)
	}
	of := map[string]int{}
	for _, r := range a.Ranked {
		if at := fmt.Sprint(r.Session, r.Exchange); !r.Beside {
			if of[at]++; of[at] > 1 {
				t.Errorf("exchange %d of %s is shown twice", r.Exchange, r.Session)
			}
		}
	}
}

// A file of which only the name is on the subject stands back behind what was said of it, unless it is asked for.
func TestFilesStandBack(t *testing.T) {
	file := Item{Item: payload.Item{ID: "f", Kind: payload.File, Path: "queue/retries_wait.go", Text: "Edited.",
		At: day, State: payload.Stands,
		Evidence: []payload.Evidence{{Turn: "t2", N: 2, Quote: "/src/queue/retries_wait.go"}}}}
	x := openWith(t, Doc{Session: "s", Project: "p", Items: []Item{file}, Turns: []Turn{
		said(1, 1, "user", "retries of the queue should wait longer"),
		said(2, 1, "assistant", "They wait two minutes now.")}})
	findsFirst(t, x, map[string]string{
		"how long do retries of the queue wait?":       "s/t2",
		"which files are about the queue retries?":     "f",
		"what became of retries_wait.go in the queue?": "f",
	})
}

// A long exchange is cut so that each stretch of a few sentences stands in one window as a whole.
func TestWindowsOverlap(t *testing.T) {
	var words []string
	for i := range 3*windowStep + 5 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	turns := []Turn{said(1, 1, "user", strings.Join(words[:150], " ")),
		said(2, 1, "assistant", strings.Join(words[150:], " "))}
	s := stemmer{map[string]string{}}
	all := s.cutWindows(turns, exchangesOf(turns)[0])
	var lengths []int
	for i, w := range all {
		held := strings.Fields(w.words)
		lengths = append(lengths, len(held))
		if want := words[i*windowStep]; held[0] != want {
			t.Errorf("window %d begins with %s, want %s", i, held[0], want)
		}
	}
	if want := []int{100, 100, 85}; !cmp.Equal(lengths, want) {
		t.Errorf("windows of %v words, want %v", lengths, want)
	}
	if got := [][2]int{{all[0].from, all[0].to}, {all[1].from, all[1].to}, {all[2].from, all[2].to}}; !cmp.Equal(got,
		[][2]int{{0, 0}, {0, 1}, {1, 1}}) {
		t.Errorf("they hold turns %v", got)
	}
}

// Turns without numbers of their exchanges are divided at what is asked.
func TestExchangesWithoutNumbers(t *testing.T) {
	got := exchangesOf([]Turn{said(1, 0, "assistant", "a"), said(2, 0, "user", "b"), said(3, 0, Both, "c"),
		said(4, 0, "user", "d")})
	if want := []exchange{{1, 0, 1}, {2, 1, 3}, {3, 3, 4}}; !cmp.Equal(got, want, cmp.AllowUnexported(exchange{})) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// What a person answered to a call comes before what the call proposes.
func TestAnswerBeforeItsProposal(t *testing.T) {
	x := openWith(t, Doc{Session: "s", Project: "billing", Source: "claude-code", Start: day, End: day, Turns: []Turn{
		{Exchange: 1, ID: "1", N: 1, Role: "user", At: day, Text: "plan the job queue"},
		{Exchange: 1, ID: "2", N: 2, Role: assistant, At: day, Text: "Jobs wait in Redis, with asynq as the queue. Why " +
			"Redis: it is fast, and asynq has a page for operations."},
		{Exchange: 1, ID: "2", N: 2, Role: "user", At: day, Text: "no redis for this, nobody here runs it"},
	}})
	a := search(t, x, Query{Text: "why is redis not the queue?"})
	if len(a.Ranked) != 2 || a.Ranked[0].Role != "user" || !a.Ranked[1].Beside || a.Ranked[1].Role != assistant {
		t.Errorf("got %+v", a.Ranked)
	}
}

// Below what a person asked stands what they replied to the question that came back, with that question.
func TestReplyBelowWhatWasAsked(t *testing.T) {
	x := openWith(t, Doc{Session: "s", Project: "p", Turns: []Turn{
		said(1, 1, "user", "move the search to sphinx as soon as the host offers it"),
		said(2, 1, assistant, "They have it as a beta. Shall I switch?"),
		said(3, 2, "user", "a beta is no offer"),
		said(4, 3, "user", "mend the menu")}})
	a := search(t, x, Query{Text: "do we search with sphinx"})
	if len(a.Ranked) < 2 || !strings.HasSuffix(a.Ranked[1].Passage, "Shall I switch? → a beta is no offer") {
		t.Errorf("got %+v", a.Ranked)
	}
}

// What a sub-agent found is shown where the assistant says it in fewer words, not where it says more of the question.
func TestReportInPlaceOfItsSummary(t *testing.T) {
	x := openWith(t, Doc{Session: "s", Project: "p", Turns: []Turn{
		said(1, 1, "user", "find out why the build is slow"),
		said(2, 1, SubAgent, "The linker takes 80 percent; mold in place of ld cuts it to a tenth."),
		said(3, 1, assistant, "It is the linker."),
		said(4, 2, "user", "and why do the tests take so long?"),
		said(5, 2, SubAgent, "A container is started anew for every package, with an empty cache."),
		said(6, 2, assistant, "The tests take long because every package starts a container.")}})
	for question, want := range map[string][]string{
		"why is the build slow":         {"s/t1", "s/t2"},
		"why do the tests take so long": {"s/t6", "s/t4"},
	} {
		if got := ids(search(t, x, Query{Text: question}))[:2]; !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", question, got, want)
		}
	}
}

// What a person says later, after they asked back, answers the question: it comes before the question alone.
func TestReplyToAnEarlierQuestion(t *testing.T) {
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
		{ID: "t1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "set up the storage"},
		{ID: "t2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "Which database should the app use, SQLite or " +
			"Postgres?"},
		{ID: "t3", N: 3, Role: ingest.User, Kind: ingest.Prompt, Text: "how big may it get?"},
		{ID: "t4", N: 4, Role: ingest.Assistant, Kind: ingest.Message, Text: "Terabytes."},
		{ID: "t5", N: 5, Role: ingest.User, Kind: ingest.Prompt, Text: "then the first"}}}
	p := &payload.Payload{Items: []payload.Item{{ID: "aaaaaaaaaa", Kind: payload.Lead, By: payload.ByUser,
		State: payload.Stands, Text: "then the first", Evidence: []payload.Evidence{
			{Turn: "t5", N: 5, Quote: "then the first"},
			{Turn: "t2", N: 2, Quote: "Which database should the app use, SQLite or Postgres?"}}}}}
	x := openWith(t, DocOf(s, p, "p"))
	for _, question := range []string{"which database should the app use", "sqlite or postgres"} {
		a := search(t, x, Query{Text: question})
		if got := a.Ranked[0]; got.TurnID != "t5" || !strings.HasSuffix(got.Passage, "→ then the first") {
			t.Errorf("%s: got %s %q first", question, got.TurnID, got.Passage)
		}
	}
}

// A question of few words that asks what was decided is answered by what a person chose or refused, not by what was
// announced; what they say to another question isn't taken for it, nor is a question back shown below.
func TestDecisionBeforeAnnouncement(t *testing.T) {
	chose := Doc{Session: "chose", Project: "p", Turns: []Turn{
		said(1, 1, "user", "boats book a berth by mail today, build a form for it"),
		said(2, 1, assistant, "Bookings could be paid at once or held for a day."),
		said(3, 2, "user", "hold bookings for a day, the harbour master calls them"),
		said(4, 2, assistant, "The berth is held for a day now. Bookings expire at noon. Who gets the mail?"),
		said(5, 3, "user", "the harbour master, and leave the council out of it")}}
	announced := Doc{Session: "announced", Project: "p", Turns: []Turn{
		said(1, 1, "user", "add a calendar to the page of the office"),
		said(2, 1, assistant, "The calendar shows weeks."),
		said(3, 1, assistant, "Next I'll add bookings, with a colour for the bookings of guests.")}}
	x := openWith(t, chose, announced)
	findsFirst(t, x, map[string]string{
		"what did we decide about bookings": "chose/t3",
		"bookings of guests":                "announced/t3",
	})
	x = openWith(t, Doc{Session: "s", Project: "p", Turns: []Turn{
		said(1, 1, "user", "codes by mail, nobody remembers a password"),
		said(2, 1, assistant, "The sign-in works with a code."),
		said(3, 2, "user", "good. and who may do it from the office?"),
		said(4, 2, assistant, "Everybody.")}})
	if got := ids(search(t, x, Query{Text: "sign-in"})); !cmp.Equal(got[:2], []string{"s/t2", "s/t1"}) {
		t.Errorf("got %v, want what the person wanted below", got)
	}
}

// What an approved plan chose stays before the message of its exchange that says more of the question's words, but not
// before one of another exchange.
func TestPlanBeforeItsReport(t *testing.T) {
	for x, first := range map[int64]int{1: items, 2: turns} {
		point := &ranked{table: items, session: 1, x: 1, score: 1, item: payload.Item{Kind: payload.Decision,
			Text: "a dump each night, encrypted, to the council's storage"}}
		report := &ranked{table: turns, session: 1, x: x, score: 1}
		report.passage = "The backups run at 3:00."
		list := []*ranked{point, report}
		preferBearing(list, rank.Ask("what have we agreed on backups", []rank.Term{{Stem: "backup", IDF: 1}}, nil))
		if list[0].table != first {
			t.Errorf("of exchange %d: got table %d first", x, list[0].table)
		}
	}
}
