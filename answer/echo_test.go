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
	asked := quoting(payload.Goal)
	asked.Item.Rule = payload.RequestRule
	short := said("**Redis** is out: another server to run")
	for _, c := range []struct {
		name string
		all  []*Result
		want int
	}{
		{"a lead below its turn", []*Result{turn, quoting(payload.Lead)}, 1},
		{"a request below its turn", []*Result{turn, asked}, 1},
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
		if !strings.HasPrefix(a.Results[i].Passage, want) {
			t.Errorf("result %d is %q, want %q", i+1, a.Results[i].Passage, want)
		}
	}
}

// Below a passage stands what was found beside it: no result of its own.
func TestAlso(t *testing.T) {
	said := func(session, turn, passage string, beside bool) *index.Result {
		return &index.Result{Type: "turn", TurnID: turn, Text: passage + " And more.", Passage: passage, Brief: passage[:4],
			Terms: []string{"retries"}, Place: index.Place{Session: session}, Beside: beside}
	}
	claim := &index.Result{Type: "item", Place: index.Place{Session: "a"},
		Item: &payload.Item{Kind: payload.Decision, Text: "Retries wait."}}
	first := said("a", "a1", "Retries wait with jitter.", false)
	next := said("a", "a4", "Ten of them, then it gives up.", true)
	other, last := said("b", "b1", "Nothing of retries.", false), said("c", "c1", "Never at night.", false)
	for _, c := range []struct {
		name  string
		found index.Answer
		shown string // a letter a result, those below one in brackets
	}{
		{"a passage", index.Answer{Ranked: []*index.Result{first, next, other, last}}, "a1[a4] b1 c1 "},
		{"further down", index.Answer{Ranked: []*index.Result{claim, first, next}}, " a1[a4] "},
		{"hardly an answer", index.Answer{Ranked: []*index.Result{first, next}, Doubtful: true}, "a1[a4] "},
	} {
		a := Of(Question{Most: 10}, c.found)
		shown := ""
		for _, r := range a.Results {
			shown += nameOf(r)
			for _, also := range r.Also {
				shown += "[" + nameOf(also) + "]"
			}
			shown += " "
		}
		if shown != c.shown {
			t.Errorf("%s: %q is shown, want %q", c.name, shown, c.shown)
		}
	}
}

func nameOf(r *Result) string {
	if r.Item != nil && len(r.Item.Evidence) > 0 {
		return r.Item.Evidence[0].Turn
	}
	return r.TurnID
}
