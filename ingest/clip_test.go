package ingest

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A long text is cut between characters, and says how much is left out.
func TestClipMiddle(t *testing.T) {
	text := strings.Repeat("aé\n😀", 500)
	for n := 80; n < 140; n++ {
		got := clipMiddle(text, n)
		if !utf8.ValidString(got) || !strings.Contains(got, LeftOut) || len(got) > n+len("\n… 4000"+LeftOut) {
			t.Fatalf("%d: got %d bytes %q, want about %d and a mark", n, len(got), got, n)
		}
	}
	if got := clipMiddle("short", 10); got != "short" {
		t.Errorf("got %q, want it as it was", got)
	}
}
