package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeywords(t *testing.T) {
	for text, want := range map[string]terms{
		"The validation of MapLibre's tiles, and the tile":          {"libr", "map", "til", "valid"},
		"generations installing settings tries tried readers build": {"build", "gener", "install", "read", "sett", "tri"},
		"HTTPServer fooBar v12 naïveté":                             {"bar", "foo", "httpserv", "naïveté", "v12"},
		"it is the":                                                 {},
		"":                                                          {},
	} {
		if d := cmp.Diff(want, keywords(text)); d != "" {
			t.Errorf("keywords(%q): %s", text, d)
		}
	}
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
