package text

import "testing"

func TestCuts(t *testing.T) {
	for _, c := range []struct {
		name string
		cut  func(string, int) string
		in   string
		n    int
		want string
	}{
		{"Clip", Clip, "short enough", 12, "short enough"},
		{"Clip", Clip, "cut behind a whole word", 20, "cut behind a whole…"},
		{"Clip", Clip, "no comma, left behind", 14, "no comma…"},
		{"Clip", Clip, "onelongwordthatgoeson", 14, "onelongwordth…"},
		{"Clip", Clip, "größer als zwölf Zeichen", 14, "größer als…"},
		{"Clip", Clip, "never less than twelve", 3, "never less…"},
		{"HeadWords", HeadWords, "whole words", 11, "whole words"},
		{"HeadWords", HeadWords, "whole words", 9, "whole"},
		{"HeadWords", HeadWords, "a verylongword", 8, "a verylo"},
		{"HeadWords", HeadWords, "zwölf", 3, "zw"},
		{"Head", Head, "whole", 5, "whole"},
		{"Head", Head, "a part", 3, "a p"},
		{"Head", Head, "zwölf", 3, "zw"},
		{"Head", Head, "zwölf", 4, "zwö"},
	} {
		if got := c.cut(c.in, c.n); got != c.want {
			t.Errorf("%s(%q, %d) = %q, want %q", c.name, c.in, c.n, got, c.want)
		}
	}
}
