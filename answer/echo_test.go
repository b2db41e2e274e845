package answer

import (
	"strings"
	"testing"

	"recall/index"
	"recall/payload"
)

// A passage is shown once: not again as a lead below the turn that says it, nor as a
// turn below the lead. What is claimed is always shown.
func TestEchoes(t *testing.T) {
	said := func(passage string) *Result { return &Result{Result: index.Result{Passage: passage}} }
	turn := said("We looked at both. **Redis** is out: another server to run. The LRU cache stays.")
	quoting := func(k payload.Kind) *Result {
		return &Result{Result: index.Result{Item: &payload.Item{Kind: k, Text: "Redis is out: another server to run.",
			Evidence: []payload.Evidence{{Quote: "**Redis** is out: another server to run."}}}}}
	}
	short := said("**Redis** is out: another server to run")
	for _, c := range []struct {
		name string
		all  []*Result
		want int
	}{
		{"a lead below its turn", []*Result{turn, quoting(payload.Lead)}, 1},
		{"a turn below its lead", []*Result{quoting(payload.Lead), short}, 1},
		{"a turn that says more", []*Result{quoting(payload.Lead), turn}, 2},
		{"a claim below its turn", []*Result{turn, quoting(payload.Eliminated)}, 2},
	} {
		if got := len(withoutEchoes(c.all)); got != c.want {
			t.Errorf("%s: %d results are shown, want %d", c.name, got, c.want)
		}
	}
}

// A passage that only tells that the question was asked stands behind all others.
func TestToldToHaveAsked(t *testing.T) {
	var found index.Answer
	for _, passage := range []string{"I asked recall: which port do we take. It knew nothing.",
		"Which port do we take? 8443.", "Port 8443, then."} {
		found.Ranked = append(found.Ranked, &index.Result{Type: "turn", Role: "assistant", Passage: passage, Brief: passage,
			Place: index.Place{Session: passage[:1]}, Terms: []string{"port"}})
	}
	a := Of(Question{Query: index.Query{Text: "which port do we take?"}, Most: 3}, found)
	for i, want := range []string{"Which port", "Port 8443", "I asked"} {
		if !strings.HasPrefix(a.all[i].Passage, want) {
			t.Errorf("result %d is %q, want %q", i+1, a.all[i].Passage, want)
		}
	}
}

// Below the first result, if that is a passage, stands what its session says next best and is no echo of it: no result
// of its own any more. A claim, and what answers nothing, stands alone. From the third result on passages are brief.
func TestAlso(t *testing.T) {
	said := func(session, turn, passage string) *index.Result {
		return &index.Result{Type: "turn", TurnID: turn, Text: passage + " And more.", Passage: passage, Brief: passage[:4],
			Terms: []string{"retries"}, Place: index.Place{Session: session}}
	}
	claim := &index.Result{Type: "item", Place: index.Place{Session: "a"},
		Item: &payload.Item{Kind: payload.Decision, Text: "Retries wait."}}
	lead := &index.Result{Type: "item", Place: index.Place{Session: "a"}, Item: &payload.Item{Kind: payload.Lead,
		Text: "Retries wait, it is.", Evidence: []payload.Evidence{{Turn: "a0", Quote: "Retries wait, it is."}}}}
	first, other, echo := said("a", "a1", "Retries wait with jitter."), said("b", "b1", "Nothing of retries."),
		said("a", "a2", "wait with jitter")
	empty, next := said("a", "a3", "    "), said("a", "a4", "Ten of them, then it gives up.")
	last := said("c", "c1", "Never at night.")
	for _, c := range []struct {
		name    string
		found   index.Answer
		shown   string // a letter a result, those below one in brackets
		results int
	}{
		{"a passage", index.Answer{Ranked: []*index.Result{first, other, echo, empty, next, last}}, "a1[a4] b1 a3 c1 ", 5},
		{"a lead", index.Answer{Ranked: []*index.Result{lead, other, next}}, "a0[a4] b1 ", 2},
		{"a claim", index.Answer{Ranked: []*index.Result{claim, first, next}}, " a1 a4 ", 3},
		{"its session says no more", index.Answer{Ranked: []*index.Result{other, first, next}}, "b1 a1 a4 ", 3},
		{"no answer", index.Answer{Ranked: []*index.Result{first, next}, Unknown: true}, "a1 ", 2},
		{"hardly an answer", index.Answer{Ranked: []*index.Result{first, next}, Doubtful: true}, "a1[a4] ", 1},
	} {
		a := Of(Question{Most: 10}, c.found)
		shown := ""
		for i, r := range a.Shown {
			shown += nameOf(r)
			for _, also := range r.Also {
				shown += "[" + nameOf(also) + "]"
				if also.Passage != next.Passage {
					t.Errorf("%s: %q stands below the first, want %q", c.name, also.Passage, next.Passage)
				}
			}
			shown += " "
			if brief := r.Item == nil && r.Passage == r.Brief; r.Item == nil && brief != (i >= 2) {
				t.Errorf("%s: result %d is shown as %q", c.name, i+1, r.Passage)
			}
		}
		if shown != c.shown || len(a.Results) != c.results {
			t.Errorf("%s: %q is shown of %d results, want %q of %d", c.name, shown, len(a.Results), c.shown, c.results)
		}
	}
	if next.Passage != "Ten of them, then it gives up." || last.Passage != "Never at night." {
		t.Error("what was found is changed")
	}
}

func nameOf(r *Result) string {
	if r.Item != nil && len(r.Item.Evidence) > 0 {
		return r.Item.Evidence[0].Turn
	}
	return r.TurnID
}
