package offline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	text := strings.Join([]string{
		"## Summary",
		"I moved the cache, e.g. `lru.go`, out of `main`. It is faster now! See v1.2 for more.",
		"",
		"1. **Cache**: in memory, not Redis. Another server to run.",
		"   It holds 10,000 prices.",
		"2. **Tests**",
		"",
		"```go",
		"func f() {} // Not a sentence. Really.",
		"```",
		"| a | b |",
		"> quoted words of somebody",
		"**Next steps:**",
		"- [ ] Write the [docs](https://example.org/x_y)",
	}, "\n")
	type line struct{ Heading, Label, Lead, Text, More string }
	var got []line
	for _, s := range sentences(text) {
		if text[s.From:s.To] != s.Raw {
			t.Errorf("bytes %d–%d are %q, want %q", s.From, s.To, text[s.From:s.To], s.Raw)
		}
		got = append(got, line{s.Heading, s.Label, s.Lead, s.Text, s.More})
	}
	want := []line{
		{"Summary", "", "", "I moved the cache, e.g. `lru.go`, out of `main`.", ""},
		{"Summary", "", "", "It is faster now!", ""},
		{"Summary", "", "", "See v1.2 for more.", ""},
		{"Summary", "1", "Cache", "Cache: in memory, not Redis.", "Another server to run. It holds 10,000 prices."},
		{"Summary", "2", "Tests", "Tests", ""},
		{"Summary", "", "", "quoted words of somebody", ""},
		{"Next steps", "", "", "Write the docs", ""},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("sentences (-want +got):\n%s", d)
	}
}

func TestTidyAndSplitWhy(t *testing.T) {
	tests := []struct{ in, text, why string }{
		{"ok, let's use sqlite because it needs no server", "Let's use sqlite.", "It needs no server"},
		{"yes, and keep the old API", "Keep the old API.", ""},
		{"go.mod stays as it is", "go.mod stays as it is.", ""},
		{"It was slow so we cached it.", "It was slow so we cached it.", ""},
		{"Retry five times to avoid a thundering herd at noon", "Retry five times to avoid a thundering herd at noon.", ""},
	}
	for _, tt := range tests {
		text, why := splitWhy(strings.TrimRight(tidy(tt.in), ". "))
		if got := tidy(text); got != tt.text || why != tt.why {
			t.Errorf("%q: got %q, why %q, want %q, why %q", tt.in, got, why, tt.text, tt.why)
		}
	}
}

func TestChosenLabel(t *testing.T) {
	for reply, want := range map[string]string{
		"2": "2", "let's do 2": "2", "b": "b", "option c please": "c", "or no, do c": "c", "(a)": "a", "can we have C in the same repo?": "c",
		"I'd go with option 1 but smaller": "1", "a different one": "", "yes": "", "do the first thing": "", "10 is too many": "",
	} {
		if got := chosenLabel(reply); got != want {
			t.Errorf("%q: got %q, want %q", reply, got, want)
		}
	}
}

func TestShortenKeepsSentencesWhole(t *testing.T) {
	long := strings.Repeat("the cache keeps what was read last, ", 12)
	got := shorten(long)
	if len(got) > maxText || !strings.HasSuffix(got, "last.") {
		t.Errorf("got %q (%d bytes), want it cut at a clause", got, len(got))
	}
}

func TestLooksLikePath(t *testing.T) {
	for in, want := range map[string]bool{"cmd/main.go": true, "`go.mod`,": true, "README.md": true, "v1.2": false, "e.g": false, "https://x.org/a.html": false, "os.Exit": false} {
		if got := looksLikePath(in); got != want {
			t.Errorf("looksLikePath(%q) = %v, want %v", in, got, want)
		}
	}
}

// What the explanatory style teaches beside the work is none of it.
func TestInsightsAreNoSentences(t *testing.T) {
	text := "Added the valve.\n\n`★ Insight ─────────────────────────────────────`\n- Ball valves are always used instead of gates for gas\n- Brass keeps its shape\n`─────────────────────────────────────────────────`\n\nThe pipe is next.\n\n`★ Insight ───`\nNo end of it."
	var got []string
	for _, s := range sentences(text) {
		got = append(got, s.Text)
	}
	if d := cmp.Diff([]string{"Added the valve.", "The pipe is next.", "No end of it."}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
