package redact

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// hitsOf lists "literal at end" for every literal met.
func hitsOf(a *automaton, text string) [][2]int {
	var got [][2]int
	a.walk(text, func(literals []uint16, end int) {
		for _, l := range literals {
			got = append(got, [2]int{int(l), end})
		}
	}, nil)
	return got
}

// Property: the automaton finds what searching each literal alone finds.
func TestAutomatonFindsEveryLiteral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literals := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab_:]{3,9}`), 1, 12, rapid.ID).Draw(t, "literals")
		text := rapid.StringMatching(`[abAB_:x]{0,60}`).Draw(t, "text")
		a, err := newAutomaton(literals)
		if err != nil {
			t.Fatal(err)
		}
		got := hitsOf(a, text)
		var want [][2]int
		for l, literal := range literals {
			for end := len(literal); end <= len(text); end++ {
				if strings.EqualFold(text[end-len(literal):end], literal) {
					want = append(want, [2]int{l, end})
				}
			}
		}
		order := func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("literals %q in %q (-want +got):\n%s", literals, text, diff)
		}
	})
}

// Property: whatever stands between, each run of twenty letters and digits or more is
// met while literals are looked for.
func TestWalkMeetsEveryLongRun(t *testing.T) {
	a, err := newAutomaton([]string{"key", "token", "aa1", "-----begin"})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.StringMatching(
			`[a1_-]{1,30}|[ ."/:]{1,3}|key|token|aa1|é`)).Draw(t, "pieces"), "")
		met := map[int]bool{}
		a.walk(text, func([]uint16, int) {}, func(at int) int {
			end := skip(text, at, word, len(text))
			for at > 0 && is(text[at-1], word) {
				at--
			}
			met[at] = true
			return end
		})
		for at := 0; at < len(text); at++ {
			if end := skip(text, at, word, len(text)); end > at {
				if end-at >= runLeast && !met[at] {
					t.Fatalf("the run at %d of %q isn't met", at, text)
				}
				at = end
			}
		}
	})
}
