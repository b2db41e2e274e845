package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/distill"
	"recall/distill/relate"
	"recall/ingest"
	"recall/internal/llm"
	"recall/payload"
)

func must(t *testing.T, m *Improver, s *ingest.Session, rules *payload.Payload) *payload.Payload {
	t.Helper()
	p, err := m.Improve(t.Context(), s, rules)
	if err != nil {
		t.Fatal(err)
	}
	if dropped := distill.Ground(s, p); len(dropped) > 0 {
		t.Fatalf("Ground dropped %v of what Improve returned", dropped)
	}
	return p
}

func texts(p *payload.Payload) []string {
	var out []string
	for _, it := range p.Items {
		line := string(it.Kind) + " " + it.Text
		if !it.Current() {
			line += " (" + string(it.State) + ")"
		}
		out = append(out, line)
	}
	return out
}

// A request says where it is from, which part of the whole it shows, and whether the session goes on after it.
func TestRequestsSayWhatTheyShow(t *testing.T) {
	for parts, want := range map[int][]string{
		1: {"The whole transcript: the session ends where it ends."},
		3: {"Part 1 of 3 of the transcript: the session goes on after it.",
			"Part 2 of 3 of the transcript: the session goes on after it.",
			"Part 3 of 3 of the transcript, the last: the session ends where it ends."},
	} {
		s := session()
		s.Where = ingest.Where{Branch: "fix/order", Cwds: []ingest.CwdCount{{Dir: "/home/ann/queue", Turns: 9}}}
		for range parts {
			say(s, "u: goal! Order the jobs "+strings.Repeat("by their age ", 100))
		}
		m := &scripted{}
		must(t, improver(t, m, newMemory(), func(o *Options) { o.Window = 500 }), s, nil)
		var got []string
		for _, r := range m.of("extract") {
			head, _, _ := strings.Cut(r.Prompt, "\n<transcript>")
			head, _, _ = strings.Cut(head, "\nKnown so far")
			if r.Max < minAnswer+300 || r.Max > minAnswer+500 {
				t.Errorf("an answer may have %d tokens, want some more than are shown", r.Max)
			}
			got = append(got, strings.TrimSpace(head))
		}
		for i := range want {
			want[i] = "Session, as its client titled it: \"Order of jobs\"\n" +
				"Project folder: queue; paths are told from it.\nBranch: fix/order\n" + want[i]
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d parts (-want +got):\n%s", parts, d)
		}
	}
}

func TestImprove(t *testing.T) {
	m := &scripted{}
	store := newMemory()
	s := session("u: goal! Find out why jobs come twice",
		"a: I looked.\ndecision! Log at acquire before the lock order is changed", "u: ok")
	p := must(t, improver(t, m, store, nil), s, &payload.Payload{})
	want := []string{"goal Find out why jobs come twice", "decision Log at acquire before the lock order is changed"}
	if d := cmp.Diff(want, texts(p)); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
	d := p.Items[1]
	if d.ID != "" || d.Maker != payload.ByModel || d.By != payload.ByAssistant ||
		!strings.HasPrefix(d.Rule, "extract/") || d.Confidence != 0.9 {
		t.Errorf("got %+v, want a model's item without id, its by put right for want of a person's quote", d)
	}
	if d := cmp.Diff([]payload.Evidence{{Turn: "r2", N: 2, Quote: "Log at acquire before the lock order is changed"}},
		d.Evidence); d != "" {
		t.Errorf("evidence (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"other words 2", "What was it about?"}, d.Aliases); d != "" {
		t.Errorf("aliases (-want +got):\n%s", d)
	}
	if p.Made.Distiller != "model/scripted/1" || len(p.Made.Prompt) != 12 || p.Session != "s1" {
		t.Errorf("got payload %+v", p.Made)
	}
	if len(m.asked) != 1 {
		t.Errorf("got %d requests, want one", len(m.asked))
	}
}

func TestNothingIsAskedTwice(t *testing.T) {
	m, store := &scripted{}, newMemory()
	s := session("u: goal! Order the jobs by age", "a: decision! Use a heap for the jobs")
	first := must(t, improver(t, m, store, nil), s, nil)
	m.forget()
	for name, o := range map[string]func(*Options){"again": nil,
		"another model": func(o *Options) { o.Model = &scripted{name: "other/2", answer: fail(llm.Refused)} }} {
		p := must(t, improver(t, m, store, o), s, nil)
		if d := cmp.Diff(texts(first), texts(p)); d != "" || len(m.asked) > 0 {
			t.Errorf("%s: asked %d times, items (-first +got):\n%s", name, len(m.asked), d)
		}
	}
	other := &scripted{name: "other/2"}
	anew := improver(t, other, store, func(o *Options) { o.Anew = true })
	must(t, anew, s, nil)
	if len(other.asked) != 1 {
		t.Errorf("anew with another model: asked %d times, want once", len(other.asked))
	}
	other.forget()
	must(t, anew, s, nil)
	if len(other.asked) != 0 {
		t.Errorf("anew once more: asked %d times, want 0", len(other.asked))
	}
}

func fail(f llm.Fault) func(llm.Request) (string, error) {
	return func(llm.Request) (string, error) { return "", &llm.Error{Fault: f, Model: "scripted"} }
}

// A session that grew is asked about from where it ended, and its earlier
// windows stay, byte for byte.
func TestGrowthAsksAboutTheLastWindowOnly(t *testing.T) {
	m, store := &scripted{}, newMemory()
	s := session("u: goal! Order the jobs by age")
	grow := func(n int) {
		for range n {
			k := len(s.Turns)
			say(s, fmt.Sprintf("u: decision! Choice number %d of many. %s", k, filler(k, 60)))
			say(s, "a: "+filler(k+1, 60))
		}
	}
	grow(20)
	im := improver(t, m, store, func(o *Options) { o.Window = 2000 })
	must(t, im, s, nil)
	before := m.of("extract")
	if len(before) < 3 {
		t.Fatalf("got %d windows, want several", len(before))
	}
	m.forget()
	grow(3)
	p := must(t, im, s, nil)
	if after := m.of("extract"); len(after) != 1 {
		t.Errorf("asked about %d windows after growth, want 1", len(after))
	}
	if n := len(p.Items); n != 24 {
		t.Errorf("got %d items, want 24", n)
	}
	fresh := &scripted{}
	must(t, improver(t, fresh, newMemory(), func(o *Options) { o.Window = 2000 }), s, nil)
	for i, r := range before[:len(before)-1] {
		if r.Prompt != fresh.of("extract")[i].Prompt {
			t.Errorf("window %d is another one after growth", i+1)
		}
	}
}

func TestTwoThousandTurnsInASmallModel(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	m := &scripted{window: 8192}
	s := session("u: goal! Order the jobs by age")
	for i := range 1000 {
		say(s, fmt.Sprintf("u: %s", filler(i, 8)))
		said := "a: "
		if i%10 == 0 {
			said += "decision! "
		}
		say(s, said+fmt.Sprintf("Setting %d is named after its colour %s", i, filler(i, 8)))
	}
	say(s, "u: "+filler(1, 20_000)) // one turn larger than the window
	p := must(t, improver(t, m, newMemory(), nil), s, nil)
	if got := len(p.Items); got != 101 {
		t.Errorf("got %d items, want 101", got)
	}
	for i, r := range m.asked {
		if n := tokens(r.System) + tokens(r.Prompt) + tokens(string(r.Schema.JSON)) + r.Max; n > 8192 {
			t.Fatalf("request %d (%s) may take %d tokens, the model has 8192", i, r.Task, n)
		}
	}
	if _, err := improver(t, &scripted{window: 2000}, newMemory(), nil).Improve(t.Context(), s, nil); !faultIs(err,
		llm.TooLong) {
		t.Errorf("a model of 2,000 tokens: got error %v, want that it is too small", err)
	}
}

func faultIs(err error, f llm.Fault) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Fault == f
}

// What a model may do wrong, and what comes of it.
func TestFaults(t *testing.T) {
	good := func(r llm.Request) (string, error) { return obey(r) }
	nth := func(n int, bad func(llm.Request) (string, error)) func(llm.Request) (string, error) {
		i := 0
		return func(r llm.Request) (string, error) {
			if r.Task == "extract" {
				if i++; i <= n {
					return bad(r)
				}
			}
			return good(r)
		}
	}
	text := func(s string) func(llm.Request) (string, error) {
		return func(llm.Request) (string, error) { return s, nil }
	}
	german := `{"items":[{"kind":"decision","text":"Die Aufträge werden nach dem Alter geordnet und nicht nach der Größe, weil das für die Arbeiter besser ist und sich auch mit der Liste verträgt, die nicht mehr gebraucht wird, und das ist für eine Woche so.","evidence":[],"why":""}],"closed":[]}`
	tests := []struct {
		name  string
		model func(llm.Request) (string, error)
		fault llm.Fault // "" if it comes out right
		asks  int       // to extract
	}{
		{"truncated once", nth(1, text(`{"items":[{"kind":"goal","te`)), "", 2},
		{"truncated always", nth(9, text(`{"items":[{"kind":"goal","te`)), llm.Nonsense, 2},
		{"another schema", nth(9, text(`{"decisions":[]}`)), llm.Nonsense, 2},
		{"a list of words for items", nth(9, text(`{"items":["x"]}`)), llm.Nonsense, 2},
		{"prose", nth(9, text("I can't see a transcript.")), llm.Nonsense, 2},
		{"another language once", nth(1, text(german)), "", 2},
		{"in a code fence", func(r llm.Request) (string, error) {
			s, err := obey(r)
			return "Here it is:\n```json\n" + s + "\n```", err
		}, "", 1},
		{"cut once", nth(1, fail(llm.Cut)), "", 2},
		{"cut until asked in halves", nth(2, fail(llm.Cut)), "", 5},
		{"too long until asked in halves", nth(1, fail(llm.TooLong)), "", 4},
		{"refused", nth(9, fail(llm.Refused)), llm.Refused, 1},
		{"overloaded", nth(9, fail(llm.Overloaded)), llm.Overloaded, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := session("u: goal! Order the jobs by age and not by the size", "a: decision! Use a heap for the jobs")
			for i := range 10 {
				say(s, "u: that is what it should be and the rest is for later with this one "+filler(i, 40))
			}
			m := &scripted{answer: tt.model}
			p, err := improver(t, m, newMemory(), func(o *Options) { o.Window = 1500 }).Improve(t.Context(), s, nil)
			if n := len(m.of("extract")); n != tt.asks {
				t.Errorf("asked %d times, want %d", n, tt.asks)
			}
			switch {
			case tt.fault != "" && !faultIs(err, tt.fault):
				t.Errorf("got error %v, want %q", err, tt.fault)
			case tt.name == "prose" && !strings.Contains(err.Error(), "I can't see a transcript."):
				t.Errorf("got error %v, which doesn't tell what came", err)
			case tt.fault == "" && err != nil:
				t.Errorf("got error %v", err)
			case tt.fault == "" && len(p.Items) != 2:
				t.Errorf("got %v, want two items", texts(p))
			}
		})
	}
}

// What is too much for a model isn't asked again as it was: a short session has no
// halves. Nor does a model that runs away keep recall busy.
func TestTooMuch(t *testing.T) {
	short := session("u: goal! Order the jobs by age", "a: decision! Use a heap for the jobs")
	for fault, want := range map[llm.Fault]int{llm.TooLong: 1, llm.Cut: 2} { // a cut answer may be longer
		m := &scripted{answer: func(llm.Request) (string, error) { return "", &llm.Error{Fault: fault} }}
		if _, err := improver(t, m, newMemory(), nil).Improve(t.Context(), short, nil); !faultIs(err, fault) ||
			len(m.asked) != want {
			t.Errorf("%s: got %v after %d requests, want %d", fault, err, len(m.asked), want)
		}
	}
	m := &scripted{answer: func(r llm.Request) (string, error) {
		return `{"items":[],"closed":[],"more":"` + strings.Repeat("x", maxAnswerBytes) + `"}`, nil
	}}
	if _, err := improver(t, m, newMemory(), nil).Improve(t.Context(), short, nil); !faultIs(err, llm.Nonsense) ||
		len(m.asked) != 2 {
		t.Errorf("got %v after %d requests, want nonsense after two", err, len(m.asked))
	}
}

// A long beginning has a goal at least: an answer without any item is asked for
// once more.
func TestNothingFound(t *testing.T) {
	s := session("u: goal! Order the jobs by age", "a: "+filler(1, 1100), "u: "+filler(2, 1100))
	for empty, want := range map[int]llm.Fault{1: "", 2: llm.Nonsense} {
		n := 0
		m := &scripted{answer: func(r llm.Request) (string, error) {
			if n++; n <= empty {
				return `{"items":[],"closed":[]}`, nil
			}
			return obey(r)
		}}
		p, err := improver(t, m, newMemory(), nil).Improve(t.Context(), s, nil)
		if want == "" && (err != nil || len(p.Items) != 1) || want != "" && !faultIs(err, want) || len(m.of("extract")) != 2 {
			t.Errorf("%d empty answers: got %v after %d requests", empty, err, len(m.asked))
		}
	}
	m := &scripted{answer: func(llm.Request) (string, error) { return `{"items":[],"closed":[]}`, nil }}
	if p := must(t, improver(t, m, newMemory(), nil), session("u: what time is it?", "a: Noon."),
		nil); len(p.Items) > 0 || len(m.asked) != 1 {
		t.Errorf("a short talk: got %v after %d requests, want nothing after one", texts(p), len(m.asked))
	}
}

// An answer of which nothing stands is an answer, but retires nothing that rules found.
func TestNothingStands(t *testing.T) {
	s := session("u: Use a heap for the jobs", "a: Done.", "u: Never delete the raw recordings", "a: Understood.")
	next := payload.Item{Kind: payload.Next, Text: "Use a heap for the jobs", Maker: payload.ByRule, State: payload.Stands,
		Evidence: []payload.Evidence{{Turn: string(s.Turns[0].ID), Quote: "Use a heap for the jobs"}}}
	for name, answer := range map[string]string{
		"empty": `{"items":[],"closed":[]}`,
		"the opposite": `{"items":[{"kind":"decision","text":"Delete the raw recordings","evidence":[{"turn":"t3",` +
			`"quote":"Never delete the raw recordings"}]}],"closed":[]}`,
	} {
		m := &scripted{answer: func(llm.Request) (string, error) { return answer, nil }}
		p := must(t, improver(t, m, newMemory(), nil), s, &payload.Payload{Items: []payload.Item{next}})
		if len(p.Items) != 1 || p.Items[0].Text != next.Text || p.Items[0].Maker != payload.ByRule || len(m.asked) != 1 {
			t.Errorf("%s: got %+v after %d requests, want what rules found after one", name, p.Items, len(m.asked))
		}
	}
}

// A session that fails halfway goes on where it stopped.
func TestGoesOnWhereItStopped(t *testing.T) {
	s := session("u: goal! Order the jobs by age")
	for i := range 30 {
		say(s, fmt.Sprintf("u: decision! Choice number %d of many. %s", i, filler(i, 80)))
	}
	n := 0
	store := newMemory()
	m := &scripted{answer: func(r llm.Request) (string, error) {
		if n++; n == 3 {
			return "", &llm.Error{Fault: llm.Overloaded}
		}
		return obey(r)
	}}
	im := improver(t, m, store, func(o *Options) { o.Window = 1500 })
	if _, err := im.Improve(t.Context(), s, nil); !faultIs(err, llm.Overloaded) {
		t.Fatalf("got error %v, want overloaded", err)
	}
	asked := map[string]int{}
	must(t, im, s, nil)
	for _, r := range m.of("extract") {
		asked[r.Prompt]++
	}
	for p, n := range asked {
		if n > 2 || n == 2 && p != m.of("extract")[2].Prompt {
			t.Errorf("asked %d times: %.80s", n, p)
		}
	}
}

func TestImproveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := &scripted{}
	if _, err := improver(t, m, newMemory(), nil).Improve(ctx, session("u: goal! Order the jobs"), nil); !errors.Is(err,
		context.Canceled) || len(m.asked) > 0 {
		t.Errorf("got error %v after %d requests, want none and that it was cancelled", err, len(m.asked))
	}
}

func TestRipe(t *testing.T) {
	im := improver(t, &scripted{}, newMemory(), nil)
	long := "a: " + strings.Repeat("a word of it ", 200)
	answers := session("u: one", "a: two questions and a plan")
	answers.Turns[1].Calls = []ingest.ToolCall{{Name: "AskUserQuestion",
		Answers: []ingest.Answer{{Chosen: []string{"poll"}}}},
		{Name: "ExitPlanMode", Plan: &ingest.Plan{Text: "the queue"}, Verdict: ingest.Approved}}
	for name, tt := range map[string]struct {
		s    *ingest.Session
		want bool
	}{
		"three typed":           {session("u: one", "u: two", "u: three"), true},
		"two typed":             {session("u: one", "a: yes", "u: two"), false},
		"long answer":           {session("u: one", long), true},
		"answers to questions":  {answers, true},
		"nobody typed":          {session(long), false},
		"what recall put there": {session("u: <!-- recall k3v9t2m8qa -->\n"+long+"\n<!-- /recall -->", "a: fine"), false},
	} {
		if got := im.Ripe(tt.s); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

func TestEstimate(t *testing.T) {
	m, store := &scripted{}, newMemory()
	s := session("u: goal! Order the jobs by age", "a: decision! Use a heap for the jobs", "u: "+filler(1, 3000))
	im := improver(t, m, store, func(o *Options) { o.Window = 2000 })
	before, err := im.Estimate(t.Context(), s)
	if err != nil || len(m.asked) > 0 {
		t.Fatalf("got error %v and %d requests, want none", err, len(m.asked))
	}
	must(t, im, s, nil)
	in := 0
	for _, r := range m.asked {
		in += tokens(r.System) + tokens(r.Prompt) + tokens(string(r.Schema.JSON))
	}
	if before.Requests != len(m.asked) || float64(before.In) < 0.8*float64(in) || float64(before.In) > 1.4*float64(in) ||
		before.Out == 0 {
		t.Errorf("estimated %+v, took %d requests and %d tokens", before, len(m.asked), in)
	}
	if after, err := im.Estimate(t.Context(), s); err != nil || after != (distill.Estimate{}) {
		t.Errorf("with all at hand: got %+v, %v, want nothing", after, err)
	}
}

// Whatever is asked of a small model fits into it, also where all texts are as
// long as they may be.
func TestEverythingFitsASmallModel(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short, and a long walk of one goroutine")
	}
	wide := strings.Repeat("wörter über wörter ", 40)
	m := &scripted{window: 8192, answer: func(r llm.Request) (string, error) {
		if r.Task != "extract" {
			return "", &llm.Error{Fault: llm.Refused}
		}
		var a answer
		for i := range 120 {
			quote := fmt.Sprintf("never said %d %s", i, strings.Repeat("zähler ohne zahlen ", 40))
			if i%2 == 0 {
				quote = "Order the jobs by age"
			}
			a.Items = append(a.Items, found{Kind: "decision", Text: word(fmt.Sprintf("Order the jobs by age %d %s", i, wide)),
				Why: word(wide), Scope: word(wide), Evidence: many[cited]{{"t1", word(quote)}, {"t1", word(quote)}}})
		}
		data, err := json.Marshal(a)
		return string(data), err
	}}
	s := session("u: Order the jobs by age. " + wide)
	im := improver(t, m, newMemory(), nil)
	p := must(t, im, s, nil)
	var pairs []Pair
	for i := range 20 {
		it := relate.Item{Item: p.Items[i%len(p.Items)]}
		pairs = append(pairs, Pair{Later: it, Earlier: it})
	}
	if _, err := im.Reconcile(t.Context(), pairs); !faultIs(err, llm.Refused) {
		t.Errorf("got %v, want that it was refused", err)
	}
	tasks := map[string]bool{}
	for _, r := range m.asked {
		tasks[r.Task] = true
		if n := tokens(r.System) + tokens(r.Prompt) + tokens(string(r.Schema.JSON)) + r.Max; n > 8192 {
			t.Errorf("%s may take %d tokens, the model has 8192", r.Task, n)
		}
	}
	if len(tasks) != 2 {
		t.Errorf("asked only %v", tasks)
	}
}
