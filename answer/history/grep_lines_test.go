package history

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Small letters are those of ASCII, whatever stands beside them.
func TestLower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		var want []byte
		for _, c := range text {
			want = append(want, byte(map[bool]int{true: int(c) | 0x20, false: int(c)}['A' <= c && c <= 'Z']))
		}
		if got := lower(text); !bytes.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}

// What stands between matches is passed over whole: the lines, their numbers and turns are those of one who reads each.
func TestGrepReadsEveryLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := []string{"needle", "a Needſe and ſkip", "SKIP \u212a skip", "", "### 9 · no turn",
			"</a>\n### 3 · You · 13:47", "<a id=\"x\"></a>\n### 12 · Assistant", "hay", "hay hay"}
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(some), 0, 30).Draw(t, "lines"), "\n")
		pattern := rapid.SampledFrom([]string{"needle", "skip", "s[a-z]+ ", "hay$"}).Draw(t, "pattern")
		fold, around := rapid.Bool().Draw(t, "fold"), rapid.IntRange(0, 3).Draw(t, "context")
		g, err := NewGrep(pattern, false, fold, false)
		if err != nil {
			t.Fatal(err)
		}
		g.Context = around
		re := regexp.MustCompile(map[bool]string{true: "(?i)", false: ""}[fold] + pattern)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		var want, got []string
		turn := 4
		for i, line := range lines {
			before := i > 0 && strings.HasSuffix(lines[i-1], "</a>")
			head, isHead := strings.CutPrefix(line, "### ")
			if n, _, ok := strings.Cut(head, " · "); ok && before && isHead {
				fmt.Sscan(n, &turn)
			}
			near := lines[max(0, i-around):min(len(lines), i+around+1)]
			if slices.ContainsFunc(near, func(l string) bool { return re.MatchString(plain([]byte(l))) }) {
				want = append(want, fmt.Sprintf("%d in %d: %s", i+1, turn, plain([]byte(line))))
			}
		}

		for _, l := range g.file("transcript.md", []byte(text), 4) {
			got = append(got, fmt.Sprintf("%d in %d: %s", l.Line, l.Turn, l.Text))
		}
		if text != "" && !slices.Equal(got, want) {
			t.Fatalf("%q in %q:\ngot  %q\nwant %q", pattern, text, got, want)
		}
	})
}
