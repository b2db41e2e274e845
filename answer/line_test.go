package answer

import (
	"testing"

	"recall/payload"
)

// What is said of a dead end never turns into its opposite.
func TestLineOfDeadEnds(t *testing.T) {
	for text, want := range map[string]string{
		"No Redis for the cache": "RULED OUT: Redis for the cache",
		"A lock doesn't help":    "DEAD END: A lock doesn't help",
		"the sorted list":        "RULED OUT: the sorted list",
	} {
		if got := (Voice{Agent: true}).Line(payload.Item{Kind: payload.Eliminated, Text: text}); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
