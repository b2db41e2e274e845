package index

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"recall/internal/text"
)

var nasty = []string{
	``, ` `, `"`, `'`, `""`, `what's "this`, `a.b-c`, `foo AND`, `foo OR`, `NEAR(a b)`, `body: x`, `-x`, `^x`, `x*`,
	`{a b}: c`, `(((`, `)))`,
	`'; DROP TABLE item; --`, `%s %d`, "nul\x00byte", "bad \xff\xfe utf8", "\u202e right to left",
	"tab\tnew\nline\r\x1b[31m", `\`, `/`, `._-`, `-----`, `?1`,
	"数", "データベース", "데이터베이스 선택", "ข้อมูล", "👩‍👩‍👧", "é è ñ İ ß ǅ",
	"AND OR NOT NEAR", "a", strings.Repeat("x", 70_000),
}

func FuzzSearch(f *testing.F) {
	for _, s := range nasty {
		f.Add(s, s)
	}
	f.Add(strings.Repeat("retry backoff ", 8000), "jitter")
	x := openWith(f, billing()...)
	f.Fuzz(func(t *testing.T, text, also string) {
		a, err := x.Search(context.Background(), Query{Text: text, Also: []string{also}, Limit: 5})
		if err != nil {
			t.Fatalf("Search(%q): %v", text, err)
		}
		if len(a.Ranked) > 5 {
			t.Errorf("got %d results, want 5 at most", len(a.Ranked))
		}
		if a.Coverage < 0 || a.Coverage > 1.000001 {
			t.Errorf("got coverage %v, want 0 to 1", a.Coverage)
		}
	})
}

// Whatever the text, its words are of letters and digits, in lower case, not
// longer than a word may be: that is what makes quoting them enough.
func FuzzWords(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		for _, w := range text.Split(said) {
			if w == "" || len(w) > 64 || strings.ContainsAny(w, "\"'*^:(){} \x00") || utf8.ValidString(said) &&
				!utf8.ValidString(w) {
				t.Errorf("Split(%q) gave %q", said, w)
			}
			text.Stem(w)
		}
	})
}

func TestLongQuestion(t *testing.T) {
	x := openWith(t, billing()...)
	a := search(t, x, Query{Text: "why exponential backoff? " + strings.Repeat("lorem ipsum dolor ", 6000)})
	if got := ids(a); len(got) == 0 || got[0] != "cccccccccc" {
		t.Errorf("got %v, want cccccccccc first", got)
	}
}
