package payload

import (
	"strings"
	"testing"
)

// What a goal's sentences say isn't quoted again, though no blank parts them in a passage.
func TestPassageInGoal(t *testing.T) {
	items := []Item{{Kind: Goal, Text: "まず直す？ 次に消す。", State: Stands}, {Kind: Lead, Text: "まず直す？次に消す。"},
		{Kind: Lead, Text: "次に作る。"}}
	if !saidAbove(items, &items[1]) || saidAbove(items, &items[2]) {
		t.Errorf("got %t and %t, want true and false", saidAbove(items, &items[1]), saidAbove(items, &items[2]))
	}
}

// A session's name that its goal begins with isn't said twice; one that a person gave it stands.
func TestNameOfGoal(t *testing.T) {
	p := &Payload{Session: "7f3c", Items: []Item{{Kind: Goal, State: Stands,
		Text: "Find the race that duplicates jobs."}}}
	for name, want := range map[string]string{
		"Find the race…": "# Rehydration payload\n",
		"Night of jobs":  "# Rehydration payload: Night of jobs\n",
	} {
		if p.Title = name; !strings.Contains(pageOf(p), want) {
			t.Errorf("%q: want %q in\n%s", name, want, pageOf(p))
		}
	}
	doc, err := Read("# Rehydration payload\n\n# Mine\n- Ask Ann\n")
	if err != nil || doc.Title != "" || len(doc.Lines) != 1 {
		t.Errorf("a heading of one's own is taken for the title: %+v, %v", doc, err)
	}
}

// A plan whose title is the goal is shown with its steps alone, and neither what was ordered last is quoted again nor
// why a file is off limits.
func TestPlanAndOrderStandOnce(t *testing.T) {
	at := []Evidence{{Turn: "t", N: 7, Quote: "Cache the rates"}}
	p := &Payload{Session: "7f3c", Items: []Item{
		{Kind: Goal, State: Stands, By: ByBoth, Rule: RequestRule, Text: "Cache the rates", Evidence: at},
		{Kind: Lead, State: Stands, By: ByBoth, Rule: "plan", Text: "Cache the rates · Write the LRU · Drop Redis",
			Evidence: at},
		{Kind: Next, State: Stands, By: ByUser, Rule: UnansweredRule, Text: "now the tests", Evidence: at},
		{Kind: Lead, State: Stands, By: ByUser, Rule: RefusalRule, Text: "now the tests", Evidence: at},
		{Kind: File, State: Stands, Path: "mail.rb", Status: FileOffLimits, Text: "“leave mail.rb”", Evidence: at},
		{Kind: Lead, State: Stands, By: ByUser, Rule: RefusalRule, Text: "leave mail.rb", Evidence: at},
	}}
	got := pageOf(p)
	for words, want := range map[string]int{"Cache the rates": 1, "“Write the LRU · Drop Redis”": 1,
		"now the tests": 1, "leave mail.rb": 1} {
		if n := strings.Count(got, words); n != want {
			t.Errorf("%q stands %d times, want %d:\n%s", words, n, want, got)
		}
	}
}
