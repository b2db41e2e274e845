package eval

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"recall/payload"
)

// TestFloor holds the judge's leniency: sentences drawn at random must reach next
// to nothing. Where every eighth sentence states a decision, as in what was
// invented, those drawn are now and then right; there they are drawn from turns
// on which nothing rests that is wanted.
func TestFloor(t *testing.T) {
	if testing.Short() { // figures, which the race detector makes no others of, and slowly
		t.Skip("skipped: -short")
	}
	const most = 0.05
	for _, set := range []struct{ name, gold, from string }{
		{"invented", "testdata/asked", ""}, {"people's", "eval/gold", "transcripts"}, {"a model's", "silver", "."},
	} {
		t.Run(set.name, func(t *testing.T) {
			shared := os.Getenv("RECALL_SHARED")
			if set.from != "" {
				if shared == "" {
					t.Skip("RECALL_SHARED isn't set: no gold sets")
				}
				set.gold, set.from = filepath.Join(shared, set.gold), filepath.Join(shared, set.from)
			}
			read, err := LoadSet(set.gold)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Gather(t.Context(), read, Options{From: set.from})
			if err != nil {
				t.Fatal(err)
			}
			anywhere, without := floor(t, c, false), floor(t, c, true)
			t.Logf("%d sessions: decisions F1 %.3f, any kind %.3f; from turns without an item %.3f, %.3f", len(c.Cases),
				anywhere.Kinds[payload.Decision].F1(), anywhere.Lenient.F1(), without.Kinds[payload.Decision].F1(),
				without.Lenient.F1())
			if f := without.Kinds[payload.Decision].F1(); f > most {
				t.Errorf("drawn from turns without an item, decisions reach F1 %.3f, want at most %.2f", f, most)
			}
			if f := anywhere.Kinds[payload.Decision].F1(); f > most && set.from != "" {
				t.Errorf("drawn at random, decisions reach F1 %.3f, want at most %.2f", f, most)
			}
		})
	}
}

// floor sums several draws.
func floor(t *testing.T, c *Corpus, without bool) (sum Score) {
	t.Helper()
	sum.Kinds = map[payload.Kind]Count{}
	for _, k := range c.Cases {
		var in func(string) bool
		if without {
			in = func(turn string) bool {
				return !slices.ContainsFunc(k.wanted(), func(w Claim) bool { return slices.Contains(w.Turns, turn) })
			}
		}
		for number := range uint64(10) {
			m := k.draw(number, in)
			strict, lenient, err := k.matchBy(t.Context(), Words{}, m.claims())
			if err != nil {
				t.Fatal(err)
			}
			var kinds []payload.Kind
			for _, one := range m.Predicted {
				kinds = append(kinds, one.Kind)
			}
			one := scoreOf(kinds, k.Gold.Items, strict, lenient)
			for kind, n := range one.Kinds {
				sum.Kinds[kind] = sum.Kinds[kind].Plus(n)
			}
			sum.Micro, sum.Lenient = sum.Micro.Plus(one.Micro), sum.Lenient.Plus(one.Lenient)
		}
	}
	return sum
}
