package tokens_test

import (
	"strings"
	"testing"

	"recall/payload/tokens"
)

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello", 1},
		{"hello world", 2},
		{"## Decisions made\n", 4},
		{"ProcessQueue.acquire()", 4},
	} {
		if got := tokens.Count(tt.text); got != tt.want {
			t.Errorf("Count(%q): got %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestCountTakesAnything(t *testing.T) {
	if got := tokens.Count("\xff\xfe\x00"); got == 0 {
		t.Error("broken UTF-8: got 0 tokens, want some")
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("- Log at acquire() before changing the lock order — because the window must be confirmed first.\n", 40)
	tokens.Count(text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Count(text)
	}
}
