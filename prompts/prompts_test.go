package prompts

import (
	"strings"
	"testing"
)

func TestConfirmIsOneLine(t *testing.T) {
	if c := Confirm.Text(); c == "" || strings.ContainsAny(c, "\r\n") || !strings.HasSuffix(c, "?") {
		t.Errorf("Confirm.Text() = %q, want one line that asks", c)
	}
}

func TestVersionFollowsTheText(t *testing.T) {
	a, b := Version(Confirm.Text()), Version(Confirm.Text()+" ")
	if a == b || len(a) != 12 {
		t.Errorf("versions %q and %q of two texts, want two of 12 digits", a, b)
	}
}
