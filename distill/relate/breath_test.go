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
