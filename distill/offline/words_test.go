package offline

import (
	"testing"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"as it is":                       "as it is",
		" two  blanks\tand\r\n\flines\n": "two blanks and lines",
		"**Bold** and *soft* [link](x)":  "Bold and soft link",
		"✅ done":                         "done",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q): got %q, want %q", text, got, want)
		}
	}
}
