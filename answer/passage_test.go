package answer

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet(t *testing.T) {
	text := strings.Repeat("filler words stand here ", 40) + "the retry backoff has jitter now " + strings.Repeat("more of the same ", 40)
	got := snippet(text, []string{"retry", "jitter"}, 80)
	if !strings.Contains(got, "retry backoff has jitter") || utf8.RuneCountInString(got) > 82 {
		t.Errorf("snippet = %q", got)
	}
	if got := snippet("short", []string{"x"}, 80); got != "short" {
		t.Errorf("got %q, want the whole text", got)
	}
}
