package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeywords(t *testing.T) {
	for text, want := range map[string][]string{
		"The validation of MapLibre's tiles, and the tile":          {"libr", "map", "til", "valid"},
		"generations installing settings tries tried readers build": {"build", "gener", "install", "read", "sett", "tri"},
		"HTTPServer fooBar v12 naïveté":                             {"bar", "foo", "httpserv", "naïveté", "v12"},
		"it is the":                                                 {},
		"":                                                          {},
	} {
		if d := cmp.Diff(termsOf(want...), keywords(text)); d != "" {
			t.Errorf("keywords(%q): %s", text, d)
		}
	}
}

func termsOf(words ...string) terms {
	var out []word
	for _, w := range words {
		out = append(out, wordOf(w))
	}
	return sorted(out)
}

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
