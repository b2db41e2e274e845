package eval

import (
	"fmt"
	"strings"
)

// gated reports whether a figure may not drop. Precision and recall may, so that one can be traded for the
// other where F1 gains.
func gated(name string) bool {
	return strings.HasSuffix(name, " F1") || !strings.HasSuffix(name, " precision") && !strings.HasSuffix(name, " recall")
}

// Gate is the comparison of a run with a baseline.
type Gate struct {
	Comparison *Comparison
	Dropped    []Difference // figures that are significantly worse, without kinds that have too few items
}

// Holds reports whether nothing dropped.
func (g *Gate) Holds() bool { return len(g.Dropped) == 0 }

// NewGate compares a run with a baseline session by session, or question by question. A figure has dropped if
// the paired bootstrap interval of its change lies below zero; grounding, which is a promise, if it is lower at
// all. The error says that the two can't be compared as a whole because the gold set or the judge differs: then
// there is no gate until a new baseline is written.
func NewGate(baseline, now *Run) (*Gate, error) {
	c, err := Compare(baseline, now)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"judge", "threshold"} {
		if a, b := baseline.Config[key], now.Config[key]; a != b {
			return nil, fmt.Errorf("the baseline was measured with another %s (%s, now %s)", key, a, b)
		}
	}
	g := &Gate{Comparison: c}
	before, after := baseline.Systems[0], now.Systems[0]
	if n := sampleCount(before); c.Shared < n {
		return nil, fmt.Errorf("only %d of the baseline's %d %ss can be compared (%s)", c.Shared, n, c.Of(),
			strings.Join(c.Notes, "; "))
	}
	for _, d := range c.Figures {
		if d.Verdict == Worse && !d.Few && gated(d.Name) {
			g.Dropped = append(g.Dropped, d)
		}
	}
	if before.Payloads != nil {
		was, is := before.Payloads.Grounding.Value, after.Payloads.Grounding.Value
		if is < was-1e-4 { // baselines are rounded
			d := Difference{Name: "grounding", Before: was, After: is, Change: Interval{Value: is - was, Low: is - was,
				High: is - was}, Verdict: Worse}
			c.Figures = append(c.Figures, d)
			g.Dropped = append(g.Dropped, d)
		}
	}
	return g, nil
}

// sampleCount counts the sessions or questions behind a system's figures.
func sampleCount(s System) int {
	if s.Payloads != nil {
		return len(s.Payloads.Sessions)
	}
	if s.Pages != nil {
		return len(s.Pages.Sessions)
	}
	return len(s.Questions.Questions)
}
