package offline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/internal/text"
	"recall/payload"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"# Head\nOne thing. Another, e.g. this one.\n- [x] **done** it\n\n```\ncode\n```\n| a | b |": {"One thing.",
			"Another, e.g. this one.", "[x] done it", "a · b"},
		"校正は人がやる。自動では直さない！本当に？（はい。そうです。）終わり": {"校正は人がやる。",
			"自動では直さない！", "本当に？", "（はい。そうです。）終わり"},
		"不要用 Redis。改用 SQLite，因为只有一个文件。": {"不要用 Redis。",
			"改用 SQLite，因为只有一个文件。"},
	} {
		var got []string
		for _, s := range sentences(text, false, false, nil) {
			got = append(got, s.text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// What a language's file says of a class shows in a sentence of that language.
func TestCues(t *testing.T) {
	for text, class := range map[string]string{
		"I'd like it shorter.": "want", "Das ist noch nicht gemacht": "skip", "Add a flag": "order",
		"不是这个问题": "ruled", "先確認します。": "narrate", "Ce n'est pas la bibliothèque": "ruled", "Ojo: los lunes": "warn",
		"fazemos isso mais tarde": "later", "그건 나중에 하죠": "later", "라이브러리 때문이 아니었습니다": "ruled",
	} {
		if !cuesIn(text).has(cueOf(class)) {
			t.Errorf("%q doesn't show %s", text, class)
		}
	}
	if cuesIn("we add a flag").has(cueOrder) || cuesIn("我会把它加上").has(cueOrder) || cuesIn("그것 때문이 맞습니다").has(cueRuled) {
		t.Error("what opens no sentence is taken for its opening")
	}
}

// answeredSession has questions that were answered, the person's own words last.
// An answer that asks back is on record, and decides nothing.
func TestAnswersThatAsk(t *testing.T) {
	asked := ingest.Answer{Question: "Which fixes matter most to you?", Free: true,
		Chosen: []string{"It prints so fast that nobody can read it, could it be something to page through?"}}
	p, err := Distiller{}.Distill(t.Context(), answeredSession(asked))
	if err != nil {
		t.Fatal(err)
	}
	quoted := false
	for _, it := range p.Items {
		if it.Kind == payload.Decision {
			t.Errorf("decided: %q", it.Text)
		}
		quoted = quoted || it.Kind == payload.Lead && it.Text == asked.Chosen[0]
	}
	if !quoted {
		t.Errorf("it isn't quoted: %+v", p.Items)
	}
}

func answeredSession(answers ...ingest.Answer) *ingest.Session {
	s := &ingest.Session{ID: "s", Start: time.Date(2026, 4, 1, 9, 0, 0, 0, time.UTC)}
	s.Turns = []ingest.Turn{
		{ID: "u1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "Find a place for the workers of the job queue."},
		{ID: "a1", N: 2, Role: ingest.Assistant, Kind: ingest.Message,
			Calls: []ingest.ToolCall{{ID: "c", Name: "AskUserQuestion", Done: true, Answers: answers}}},
	}
	return s
}

// An answer is on record as question and choice; what stands between recall's own marks isn't.
func TestAnswers(t *testing.T) {
	two := []ingest.Option{{Label: "Inside the server", Description: "one binary"}, {Label: "Apart"}}
	for _, c := range []struct {
		a    ingest.Answer
		want string
	}{
		{ingest.Answer{Question: "Where do the workers run?", Options: two, Chosen: []string{"Inside the server"}},
			"Where do the workers run? → Inside the server (not: Apart)"},
		{ingest.Answer{Question: "Where?", Options: append(two, ingest.Option{Label: "Both of them"}),
			Chosen: []string{"Both of them"}}, "Where? → Both of them"},
		{ingest.Answer{Question: "Where?", Options: two,
			Chosen: []string{"in the server, since one binary is easier to ship"}, Free: true},
			"Where? → in the server, since one binary is easier to ship"},
		{ingest.Answer{Question: "Well?", Chosen: []string{"<!-- recall abcde12345 -->\n- run it first\n<!-- /recall -->"},
			Free: true}, ""},
	} {
		got := ""
		for _, it := range answers(answeredSession(c.a)) {
			got = it.Text
			if len(it.Alternatives) > 0 {
				got += " (not: " + strings.Join(it.Alternatives, "; ") + ")"
			}
		}
		if got != c.want {
			t.Errorf("%q, %q: got %q, want %q", c.a.Question, c.a.Chosen, got, c.want)
		}
	}
}

// An option isn't claimed any more once the person takes another.
func TestAnotherOptionLater(t *testing.T) {
	two := []ingest.Option{{Label: "Sidebar"}, {Label: "Tabs"}}
	for said, claimed := range map[string]bool{
		"The sidebar is too wide. Tabs then.": false, "no sidebar, we take tabs": false,
		"I changed my mind: tabs": false, "the sidebar is fine, no tabs": true, "the tabs of the browser flicker": true,
		"would tabs be wider than the sidebar?": true,
	} {
		s := answeredSession(ingest.Answer{Question: "Sidebar or tabs?", Options: two, Chosen: []string{"Sidebar"}})
		s.Turns = append(s.Turns, ingest.Turn{ID: "u2", N: 3, Role: ingest.User, Kind: ingest.Prompt, Text: said})
		made, _ := Distiller{}.Distill(t.Context(), s)
		got := slices.ContainsFunc(made.Items, func(it payload.Item) bool {
			return it.Kind == payload.Decision && it.State == payload.Stands
		})
		if got != claimed {
			t.Errorf("%q: %+v, claimed %v", said, made.Items, claimed)
		}
	}
}

// The goal is what was asked for last, not what the session began with.
func TestGoal(t *testing.T) {
	s := answeredSession()
	s.Turns = append(s.Turns, ingest.Turn{ID: "u2", N: 3, Role: ingest.User, Kind: ingest.Prompt,
		Text: "Yes, do that with two workers."},
		ingest.Turn{ID: "u3", N: 4, Role: ingest.User, Kind: ingest.Prompt,
			Text: "Next task: the audit log needs an export to CSV."})
	if got := goal(listen(s)); len(got) != 1 || !strings.Contains(got[0].Text, "export to CSV") ||
		got[0].Evidence[0].Turn != "u3" {
		t.Errorf("got %+v, want the last request", got)
	}
}

// Whatever is said of real sessions stands in them word for word, is claimed only
// where its class is sure, and is the same a second time.
func TestQuotesOnly(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED isn't set: no real sessions")
	}
	found, _ := claudecode.Reader{}.Find(t.Context(), filepath.Join(shared, "transcripts", "dev", "entireio-git-sync"),
		nil)
	leads := 0
	for _, f := range found {
		s, err := claudecode.Reader{}.Parse(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Distiller{}.Distill(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Distiller{}.Distill(t.Context(), s)
		if diff := cmp.Diff(p, again); diff != "" {
			t.Errorf("%s: the second time (-first +second)\n%s", s.ID, diff)
		}
		if n := p.Dropped["ungrounded"]; n > 0 {
			t.Errorf("%s: %d items quote what isn't there", s.ID, n)
		}
		for _, it := range p.Items {
			switch {
			case it.Rule == "said-typed" || it.Rule == payload.ReportRule:
				leads++
				quote := it.Evidence[0].Quote
				head, said, listed := strings.Cut(it.Text, ": … ") // of a list that is told from its middle
				if !listed {
					head, said = "", it.Text
				}
				of := slices.IndexFunc(s.Turns, func(t ingest.Turn) bool { return string(t.ID) == it.Evidence[0].Turn })
				// a longer one is cut, within a link it may be much
				long := len(said) >= 240 && strings.HasPrefix(said, plain(quote)) || strings.Contains(quote, "](")
				if text.Words(said).In(text.Words(quote)) < 1 && !long ||
					head != "" && !strings.Contains(plain(s.Turns[of].Text), head) {
					t.Errorf("%s: a passage is worded anew: %q of %q", s.ID, it.Text, quote)
				}
			case it.Kind == payload.Decision && it.Rule != payload.PointRule && claimed[it.Rule] == 0,
				it.Kind == payload.Eliminated:
				t.Errorf("%s: %s %q is claimed", s.ID, it.Kind, it.Text)
			}
		}
	}
	if leads < 20 {
		t.Errorf("%d passages in %d sessions, want more", leads, len(found))
	}
}

// What nobody turned from German or Japanese into a rule is quoted all the same, as a
// passage or within the goal, without a blank between its sentences.
func TestOtherLanguages(t *testing.T) {
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
		{ID: "u1", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "本文の校正をお願いします。自動では直さず、必ず指摘だけにしてください。"},
		{ID: "a1", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Text: "分かりました。指摘だけにします。"},
	}}
	found := false
	all, _ := items(s)
	for _, it := range all {
		quoted := it.Kind == payload.Lead || it.Kind == payload.Goal
		found = found || quoted && strings.Contains(it.Text, "指摘だけ")
		if strings.Contains(it.Text, "。 ") {
			t.Errorf("got %q, want it as it was said", it.Text)
		}
	}
	if diff := cmp.Diff([]string{"SQLite", "cache.go"}, about("缓存使用 SQLite。见cache.go，不要用别的。")); diff != "" {
		t.Errorf("names between letters of another script (-want +got):\n%s", diff)
	}
	if !found {
		t.Error("no passage of a Japanese session")
	}
}

func BenchmarkDistill(b *testing.B) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		b.Skip("RECALL_SHARED isn't set: no real sessions")
	}
	found, _ := claudecode.Reader{}.Find(b.Context(), filepath.Join(shared, "transcripts", "dev"), nil)
	var all []*ingest.Session
	for _, f := range found {
		s, err := claudecode.Reader{}.Parse(b.Context(), f)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, s)
	}
	for b.Loop() {
		for _, s := range all {
			if _, err := (Distiller{}).Distill(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// A list is quoted with the heading right above it, not with what announces all lists of a message; what a quote has no
// room for says what it is a list of too.
func TestListsKeepTheirHeading(t *testing.T) {
	asked := "How do we ask for numbers? Please list them:\n" +
		"- A list of " + strings.Repeat("old ", 70) + "numbers\n- A table"
	sp := talkOf([]string{asked, "To keep it plain, here are the options:\n\n" +
		"## Option 1: Ask once\n\n- Ask if it is not set\n- Never ask again\n\n" +
		"## Option 2: Tell it\n\n- Show one line\n- Block nobody\n\n" +
		"Both need four things:\n- A list of " + strings.Repeat("old ", 20) + "numbers\n- A list of " +
		strings.Repeat("new ", 40) + "numbers\n- A table of numbers\n" +
		"- A sheet of answers"}, nil)
	var got []string
	for _, of := range listen(sp).speeches {
		for _, p := range of.passages() {
			got = append(got, p.text())
		}
	}
	want := []string{"How do we ask for numbers? Please list them …", "A list of old", "Please list them: … A table",
		"Option 1: Ask once: Ask if it is not set · Never ask again",
		"Option 2: Tell it: Show one line · Block nobody", "Both need four things: A list of old",
		"Both need four things: … A sheet of answers"}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got %q, want %q", got, want)
	}
}
