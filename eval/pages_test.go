package eval_test

import (
	"testing"

	"recall/eval"
)

// A page's figures count what its lines say: each must-know item at most once, however many lines say it, and each
// line at most once, however many items it says.
func TestPages(t *testing.T) {
	r := measure(t, eval.Pages, eval.Options{From: samples(t)})
	for _, s := range r.Systems {
		if s.Pages.Covered.Value <= 0 || s.Pages.Covered.Value > 1 {
			t.Errorf("%s covers %v", s.Name, s.Pages.Covered)
		}
		for _, m := range s.Pages.Sessions {
			must := 0
			for _, l := range m.Lines {
				must = max(must, len(l.Says))
			}
			if m.Covered+len(m.Missed) != m.Must || m.Useful > m.Printed || m.Printed != len(m.Lines) || must > 12 {
				t.Errorf("%s, session %s: %d covered, %d missed of %d; %d useful lines of %d", s.Name, m.Session, m.Covered,
					len(m.Missed), m.Must, m.Useful, m.Printed)
			}
		}
	}
	if ours, drawn := r.Systems[0].Pages.Useful.Value, r.Systems[2].Pages.Useful.Value; ours <= drawn {
		t.Errorf("a share of %.2f of the lines is useful, of lines drawn at random %.2f", ours, drawn)
	}
}
