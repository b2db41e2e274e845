package offline

import "testing"

// A rule that is right in less than three cases of five is to be off; one that
// fired too seldom to tell is judged with all rules of its kind.
func TestNoRuleIsWorseThanItsBar(t *testing.T) {
	const bar = 0.6
	for kind, rules := range measured() {
		for rule, m := range rules {
			if m.Right+m.Wrong >= enough && m.Precision() < bar {
				t.Errorf("%s by %q: right %d, wrong %d: under %.1f, it should be off or have a higher cut", kind, rule, m.Right, m.Wrong, bar)
			}
			if c := confidence(kind, rule); c < bar {
				t.Errorf("%s by %q: confidence %.2f is under %.1f", kind, rule, c, bar)
			}
		}
	}
}
