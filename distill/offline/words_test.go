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
	out := terms{}
	for _, w := range words {
		out = append(out, wordOf(w))
	}
	return out
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

// Words of up to eight bytes are told apart whatever they are, and all are in
// order by their beginnings.
func TestWordsAsNumbers(t *testing.T) {
	inOrder := []string{"a", "a1", "ab", "abc", "abcdefgh", "b", "gem", "generators", "settings", "sz", "é"}
	for i, w := range inOrder {
		for j, x := range inOrder {
			if (wordOf(w) < wordOf(x)) != (i < j) || (wordOf(w) == wordOf(x)) != (i == j) {
				t.Errorf("%q and %q: got %x and %x", w, x, wordOf(w), wordOf(x))
			}
		}
	}
	if wordOf("authentic") == wordOf("authority") {
		t.Error("authentic is authority")
	}
}
