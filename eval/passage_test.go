package eval

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/answer"
	"recall/ingest"
	"recall/payload"
)

// A passage holds what people quoted from it, and what the judge takes one of its
// sentences for; not what only stands near, nor another's item.
func TestPassageHolds(t *testing.T) {
	s := &ingest.Session{ID: "s", Start: time.Unix(0, 0), Turns: []ingest.Turn{
		{ID: "t1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "x"},
		{ID: "t2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "y"}}}
	c := NewCase(s, &Gold{Session: "s", Items: []GoldItem{
		{ID: "d1", Kind: payload.Decision, Text: "Retries wait with jitter.", Turns: []string{"t1"},
			Quote: "no fixed delays, please"},
		{ID: "d2", Kind: payload.Decision, Text: "The job queue lives in Postgres.", Turns: []string{"t2"},
			Quote: "so it is"},
	}})
	asked := []string{"s#d1", "s#d2"}
	for _, tt := range []struct {
		name, turn, said string
		names, want      []string
	}{
		{"the quote", "t1", "Fine, but no fixed\ndelays, please, and no new server.", asked, []string{"s#d1"}},
		{"a sentence in other words", "t2", "All green now. The queue of jobs lives in Postgres. Next I look at the log.",
			asked, []string{"s#d2"}},
		{"both", "t1", "no fixed delays, please. The job queue lives in Postgres, as of today.", asked, asked},
		{"not asked about", "t1", "no fixed delays, please", asked[1:], nil},
		{"words of the matter only", "t2", "Postgres took the new settings without a restart. The log page is next.", asked,
			nil},
		{"nothing", "t1", "", asked, nil},
	} {
		got, err := c.holds(t.Context(), Words{}, tt.turn, tt.said, tt.names)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, d)
		}
	}
}

// Passages drawn at random are of the sessions that are asked about, the same again for
// the same question, about as long as what is printed, and hold the answer now and then at most.
func TestDrawnPassages(t *testing.T) {
	set, err := LoadSet()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Gather(t.Context(), set, Options{From: demoSessions(t)})
	if err != nil {
		t.Fatal(err)
	}
	x := c.Indexed(Source{}, Options{Vectors: KeptVectors()})
	defer x.Close()
	n, held, drawn, printed := 0, 0, 0, 0
	for _, q := range set.Questions {
		a, err := x.drawn(t.Context(), q)
		again, _ := x.drawn(t.Context(), q)
		like, _ := x.answer(t.Context(), q)
		if err != nil || len(a.shown) != len(again.shown) || len(q.Expect) > 0 && len(a.shown) != len(like.shown) {
			t.Fatalf("%q: drew %d and %d results: %v", q.Q, len(a.shown), len(again.shown), err)
		}
		for i, r := range a.shown {
			n++
			held += int(indicator(holdsAny(r, q.Expect)))
			drawn, printed = drawn+len(r.text), printed+len(like.shown[i].text)
			if r.text != again.shown[i].text || r.text != "" && !holdsSession(q, r.session) {
				t.Errorf("%q: drew %q of session %s", q.Q, r.text, r.session)
			}
		}
	}
	if n == 0 || held*2 > n || max(drawn, printed)*3 > 4*min(drawn, printed) {
		t.Errorf("of %d results %d bytes are drawn where %d are printed, and hold the answer for %d", n, drawn, printed, held)
	}
}

// What is credited is what is printed: of the first result both passages, of those further down what is shown of them.
func TestWhatIsPrintedIsCredited(t *testing.T) {
	set, err := LoadSet()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Gather(t.Context(), set, Options{From: demoSessions(t)})
	if err != nil {
		t.Fatal(err)
	}
	x := c.Indexed(Source{}, Options{Vectors: KeptVectors()})
	defer x.Close()
	below := 0 // questions that what stands below the first answers
	for _, q := range set.Questions {
		a, err := x.answer(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		ix, as, err := x.at(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		found, err := answer.Ask(t.Context(), ix, nil, answer.Question{Query: as, Most: depth})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range a.shown {
			said := ""
			for _, one := range answer.Numbered(found.Results[i : i+1]) {
				said += answer.Voice{}.Passage(one) + "\n"
				held, err := x.Holds(t.Context(), q, one)
				if err != nil {
					t.Fatal(err)
				}
				if !holdsAny(result{holds: held}, q.Expect) {
					continue
				}
				if one != found.Results[i] {
					below++
				}
				if !holdsAny(r, q.Expect) {
					t.Errorf("%q: result %d isn't credited with %q", q.Q, i+1, one.Passage)
				}
			}
			if strings.TrimSpace(said) != r.text {
				t.Errorf("%q: for result %d stands %q, and %q is printed", q.Q, i+1, r.text, said)
			}
		}
	}
	if below == 0 {
		t.Error("nothing below a first result answers")
	}
}

func holdsSession(q Question, session string) bool {
	for _, name := range q.Expect {
		if sessionOf(name) == session {
			return true
		}
	}
	return false
}

// A file is told by its path, which stands at the beginning of its text or in its quote; where neither names one, by
// what is said of it.
func TestFilesOfPages(t *testing.T) {
	c := NewCase(&ingest.Session{ID: "s"}, &Gold{Session: "s", Items: []GoldItem{
		{ID: "begins", Kind: payload.File, Text: "queue/heap.go — the new queue.", Quote: "as in list.go"},
		{ID: "quoted", Kind: payload.File, Text: "New workflow that runs the linters.", Quote: "Made `.github/lint.yml`."},
		{ID: "untold", Kind: payload.File, Text: "The guide warns of a wrong clock.", Quote: "said so in the guide"},
	}})
	for line, want := range map[string]string{
		"- internal/queue/heap.go — New.":             "begins",
		"- .github/lint.yml — Edited.":                "quoted",
		"- list.go — New.":                            "",
		"- “The guide warns of wrong clocks.” — user": "untold",
	} {
		m, err := c.page(t.Context(), Words{}, line)
		if err != nil || len(m.Lines) != 1 {
			t.Fatalf("%q: %+v, %v", line, m, err)
		}
		if says := strings.Join(m.Lines[0].Says, " "); says != want {
			t.Errorf("%q says %q, want %q", line, says, want)
		}
	}
}
