package terminal_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"recall/cmd/recall/terminal"
	txt "recall/internal/text"
)

func TestWrap(t *testing.T) {
	got := terminal.Wrap("one two  three\nfour averyveryverylongwordthatstandsalone five", 20)
	want := []string{"one two three four", "averyveryverylongwordthatstandsalone", "five"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := terminal.Wrap("", 20); len(got) != 1 {
		t.Errorf("wrap of nothing is %q, want one empty line", got)
	}
}

func TestOneLineCannotMoveTheCursor(t *testing.T) {
	if got, want := terminal.Line("a\x1b[2Jb\r\nc\u202ed\x00e\t f"), "a[2Jb c\\u202ede f"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSay(t *testing.T) {
	for width, want := range map[int]string{
		100: "Nearest: the retry backoff has jitter now\n",
		30:  "Nearest: the retry backoff has\n  jitter now\n",
	} {
		p := terminal.Page{Width: width}
		if got := p.Say("Nearest: ", "  ", "the retry backoff has jitter now"); got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
}

// On a terminal of 30 columns less than nothing is left beside the rest of a line.
func TestClip(t *testing.T) {
	const text = "Retry storm after the gateway outage"
	for n, want := range map[int]string{36: text, 20: "Retry storm after…", 12: "Retry storm…", 0: "Retry storm…",
		-13: "Retry storm…"} {
		if got := txt.Clip(text, n); got != want {
			t.Errorf("clip to %d: got %q, want %q", n, got, want)
		}
	}
}

// Letters of two columns, and such as are made of several, are clipped by what they take and never within.
func TestClipWide(t *testing.T) {
	const text = "セッションの👨‍👩‍👧‍👦を保存する"
	for n, want := range map[int]string{26: text, 25: text, 17: "セッションの👨‍👩‍👧‍👦を…", 15: "セッションの👨‍👩‍👧‍👦…", 14: "セッションの…"} {
		if got := terminal.Clip(text, n); got != want {
			t.Errorf("clip to %d: got %q of %d columns, want %q", n, got, terminal.Columns(got), want)
		}
	}
}

// Chinese and Japanese have no spaces to break at, and letters two columns wide.
// What is said where there is no answer keeps to a narrow terminal.
func TestNothingIsWrapped(t *testing.T) {
	var b strings.Builder
	p := terminal.Page{W: &b, Width: 40}
	p.Answer(answerOf(""))
	for line := range strings.Lines(b.String()) {
		if utf8.RuneCountInString(strings.TrimSpace(line)) > 40 {
			t.Errorf("%q is wider than 40", line)
		}
	}
	if !strings.Contains(b.String(), "Nothing decided") {
		t.Errorf("got %q", b.String())
	}
}

func TestWrapWide(t *testing.T) {
	text := "検索は全文検索エンジンを使わず、PostgreSQLのpg_trgmで済ませることにした。理由は「運用するサーバーを増やしたくない」からで、 データ量も十万件程度なので十分に速い (so said)"
	lines := terminal.Wrap(text, 40)
	for _, line := range lines {
		if terminal.Columns(line) > 42 { // a closing mark may hang over
			t.Errorf("%d columns: %s", terminal.Columns(line), line)
		}
	}
	if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(text, " ", "") {
		t.Errorf("got %s, want all of %s", got, text)
	}
	if len(lines) < 3 || terminal.Columns(lines[0]) < 30 {
		t.Errorf("got %q, want full lines", lines)
	}
	if got := terminal.Columns("é日ーe\u0301"); got != 6 {
		t.Errorf("columns: got %d, want 6", got)
	}
}
