package text

import "testing"

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"short enough", 12, "short enough"},
		{"cut behind a whole word", 20, "cut behind a whole…"},
		{"no comma, left behind", 14, "no comma…"},
		{"onelongwordthatgoeson", 14, "onelongwordth…"},
		{"größer als zwölf Zeichen", 14, "größer als…"},
		{"never less than twelve", 3, "never less…"},
	} {
		if got := Clip(c.in, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestHeadWords(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"whole words", 11, "whole words"}, {"whole words", 9, "whole"}, {"a verylongword", 8, "a verylo"},
		{"zwölf", 3, "zw"}} {
		if got := HeadWords(c.in, c.n); got != c.want {
			t.Errorf("HeadWords(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestHead(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"whole", 5, "whole"}, {"a part", 3, "a p"}, {"zwölf", 3, "zw"}, {"zwölf", 4, "zwö"}} {
		if got := Head(c.in, c.n); got != c.want {
			t.Errorf("Head(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
