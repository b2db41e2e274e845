package answer

import (
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
