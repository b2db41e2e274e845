package redact

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type standing struct {
	Text string
	At   int
}

// Property: literals are found as searching for each alone finds them.
func TestEveryLiteralIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab_:]{3,9}`), 1, 12, rapid.ID).Draw(t, "literals")
		text := rapid.StringMatching(`[abAB_:x]{0,60}`).Draw(t, "text")
		all := &literals{}
		var want, got []standing
		for _, l := range texts {
			all.add(l, nil)
			for at := 0; at+len(l) <= len(text); at++ {
				if strings.EqualFold(text[at:at+len(l)], l) {
					want = append(want, standing{l, at})
				}
			}
		}
		all.each(text, func(one *literal, at int) { got = append(got, standing{one.text, at}) })
		if !slices.IsSortedFunc(got, func(a, b standing) int { return a.At - b.At }) {
			t.Errorf("literals %q in %q: not in order: %v", texts, text, got)
		}
		order := func(a, b standing) int { return cmp.Or(a.At-b.At, strings.Compare(a.Text, b.Text)) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("literals %q in %q (-want +got):\n%s", texts, text, diff)
		}
	})
}

// Property: whatever stands between, each run of twenty letters and digits or more is met, once.
func TestEveryLongRunIsMet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.StringMatching(
			`[a1_-]{1,30}|[ ."/:]{1,3}|key|token|aa1|é`)).Draw(t, "pieces"), "")
		var want, got [][2]int
		for at := 0; at < len(text); at++ {
			end := skip(text, at, word, len(text))
			if end-at >= runLeast {
				want = append(want, [2]int{at, end})
			}
			at = max(at, end)
		}
		for from, to := range longRuns(text) {
			got = append(got, [2]int{from, to})
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}
