package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"recall/eval"
	"recall/payload"
)

// hostile is text that must come out harmless.
const hostile = "\x1b[2J\x1b]0;title\x07 \u202etxt.exe"

var session = eval.SessionScore{
	Session: "7f3c1a2b-0000-4000-8000-000000000001", Title: "Retry policy", Project: "billing",
	Gold: []eval.GoldItem{
		{ID: "d1", Kind: payload.Decision, Text: "Retries back off exponentially with jitter.", Must: true,
			Quote: "five tries, and put jitter on it"},
		{ID: "d2", Kind: payload.Decision, Text: "Dead jobs are kept.", Must: true, Quote: "keep them a month"},
		{ID: "f1", Kind: payload.Flag, Text: "The mock does not reflect the new interface.", Must: true},
		{ID: "s1", Kind: payload.Status, Text: "All tests pass."},
		{ID: "x1", Kind: payload.File, Text: "src/queue.go", Must: true},
	},
	Predicted: []eval.Predicted{
		{ID: "aaaaaaaaaa", Claim: eval.Claim{Kind: payload.Decision, Text: "Backoff with jitter, at most five tries."},
			Quote: "five tries, and put jitter on it", Grounded: true},
		{ID: "bbbbbbbbbb", Claim: eval.Claim{Kind: payload.Hypothesis, Text: "The mock may not reflect it."}},
		{ID: "cccccccccc", Claim: eval.Claim{Kind: payload.Decision, Text: hostile}, Quote: hostile + "!",
			FalseClaim: "Asynq is used as the queue."},
		{ID: "dddddddddd", Claim: eval.Claim{Kind: payload.File, Text: "retry queue", Path: "src/queue.go"}},
	},
	Pairs: []eval.MatchedPair{{Predicted: "aaaaaaaaaa", Gold: "d1", Similarity: 0.71},
		{Predicted: "dddddddddd", Gold: "x1", Similarity: 1}},
	Lenient: []eval.MatchedPair{{Predicted: "aaaaaaaaaa", Gold: "d1", Similarity: 0.71},
		{Predicted: "bbbbbbbbbb", Gold: "f1", Similarity: 0.6}},
}

// Every gold and every found item stands once, with what became of it, and hostile text does nothing.
func TestItems(t *testing.T) {
	got := map[string]int{}
	for _, r := range sideBySide(&session) {
		got[r.State+" "+r.Kind]++
		if signs[r.State] == "" {
			t.Errorf("%s has no sign", r.State)
		}
	}
	want := []string{"matched decision", "missed decision", "wrong decision", "matched file", "other kind flag",
		"fair status"}
	for _, k := range want {
		if got[k] != 1 {
			t.Errorf("%q: got %d rows, want one (all: %v)", k, got[k], got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	text := printed(eval.System{Payloads: &eval.PayloadScore{Sessions: []eval.SessionScore{session}}})
	for _, want := range []string{"billing, Retry policy: F1 0.50",
		"✓ decision matched\n  gold d1: Retries", "✗ decision wrong",
		"≈ flag other kind\n  gold f1: The mock does not", "found as hypothesis: The mock",
		"like a false claim: Asynq"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %q in it", text, want)
		}
	}
	if strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Errorf("got %q, want nothing that moves a terminal", text)
	}
}

// Each question is told with what came of it.
func TestQuestionByQuestion(t *testing.T) {
	expect := []string{"7f3c#d1"}
	text := printed(eval.System{Questions: &eval.QuestionScore{Questions: []eval.QuestionsMade{
		{ID: "q1", Q: "retries?", Expect: expect, Ranks: []int{1}},
		{ID: "q2", Q: "limit?", Expect: expect, Ranks: []int{4}},
		{ID: "q3", Q: "dead jobs?", Expect: expect, Ranks: []int{0}}, {ID: "q4", Q: "which font?", Refused: true},
		{ID: "q5", Q: "kubernetes?"}, {ID: "q6", Expect: expect, Ranks: []int{2}, StaleFirst: true},
		{ID: "q7", Q: "queue?", Expect: expect, Ranks: []int{0}, Refused: true}}}})
	want := []string{"✓ retries?: first", "≈ limit?: at rank 4", "○ dead jobs?: not among the first 20",
		"✓ which font?: no answer, and said so", "✗ kubernetes?: no answer, and one was given",
		"✗ q6: a superseded item came first", "○ queue?: answered “nothing”"}
	if got := strings.Split(strings.TrimSpace(text), "\n")[1:]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Each line of a page is shown with the items that it says.
func TestLineByLine(t *testing.T) {
	text := printed(eval.System{Pages: &eval.PageScore{Sessions: []eval.PageMeasured{{Project: "billing",
		Title: "Retry policy", Must: 3, Covered: 1, Missed: []string{"d2", "x1"}, Lines: []eval.PageLine{
			{Text: "- Five retries.", Says: []string{"d1"}}, {Text: "- Asynq it is.", Misleading: "asynq"}, {Text: "- Hm."}}}}}})
	want := "\nbilling, Retry policy: 1 of 3 must-know items\n✓ - Five retries.\n  says d1\n✗ - Asynq it is.\n" +
		"· - Hm.\n  not said: d2, x1\n"
	if text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func printed(s eval.System) string {
	var b bytes.Buffer
	Tables{W: &b}.Print("items", &eval.Run{Systems: []eval.System{s}})
	return b.String()
}
