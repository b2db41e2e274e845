package relate

import (
	"testing"

	"recall/payload"
)

// What is read twice from the very same words doesn't contradict itself.
func TestSameWordsAreNotLater(t *testing.T) {
	text := "Glue won't hold the rail; thirty more screws will."
	ruledOut := item("a", "s", 1, payload.Eliminated, text, "glue or screws?")
	decided := item("b", "s", 3, payload.Decision, text, "then screws.")
	if links := Links([]Item{ruledOut, decided}); len(links) == 0 {
		t.Fatal("these two are linked by no rule: the test tells nothing")
	}
	both := payload.Evidence{Turn: "t2", N: 2, Quote: text}
	ruledOut.Evidence = append(ruledOut.Evidence, both)
	decided.Evidence = append(decided.Evidence, both)
	if links := Links([]Item{ruledOut, decided}); len(links) > 0 {
		t.Errorf("linked: %v", short(links))
	}
}

// A decision that names among its losers what was ruled out doesn't take that up again.
func TestWhatLostIsntTakenUp(t *testing.T) {
	ruledOut := item("a", "s", 1, payload.Eliminated, "Tidemark as the tide data provider.", "its licence forbids storage")
	decided := item("b", "s", 3, payload.Decision,
		"Norrsken is the tide data provider; that replaces the decision for Tidemark of September.", "go with norrsken")
	if links := Links([]Item{ruledOut, decided}); len(links) == 0 {
		t.Fatal("these two are linked by no rule: the test tells nothing")
	}
	decided.Alternatives = []string{"Tidemark"}
	if links := Links([]Item{ruledOut, decided}); len(links) > 0 {
		t.Errorf("linked: %v", short(links))
	}
}
