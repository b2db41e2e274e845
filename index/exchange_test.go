package index

import (
	"testing"

	"recall/index/rank"
)

// A short answer is seen with what it answers; the assistant's last word before it as such.
func TestPassagesOfAnExchange(t *testing.T) {
	turn := func(n int, role, said string) Turn {
		return Turn{ID: string(rune('a' + n)), N: n, Role: role, Text: said}
	}
	x := openWith(t, Doc{Session: "s", Project: "p", Turns: []Turn{
		turn(1, "user", "let's look at the queue, always from the beginning"),
		turn(2, "assistant", "Reading the queue's retries."),
		turn(3, "assistant", "Should retries wait with jitter?"),
		turn(4, "user", "always, five times at most")}})
	got := map[int]rank.Features{}
	for _, h := range turnsOf(search(t, x, Query{Text: "do the queue's retries wait with jitter always?"})) {
		got[h.Turn] = h.Look
	}
	if before := got[4][rank.PassageBefore]; before <= got[3][rank.PassageBefore] || before >= 1 {
		t.Errorf("of what the answer answers %.2f of the question, of the turn before that %.2f", before,
			got[3][rank.PassageBefore])
	}
	for n, want := range map[int]float64{1: 0, 2: 0, 3: 1, 4: 0} {
		if f, ok := got[n]; !ok || f[rank.PassageClosing] != want {
			t.Errorf("turn %d: found %v, closing %v, want %v", n, ok, f[rank.PassageClosing], want)
		}
	}
}
