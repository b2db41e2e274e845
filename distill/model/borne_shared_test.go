package model

import (
	"os"
	"testing"

	"recall/distill"
	"recall/payload"
)

// What people, and a large model, wrote in their own words of sessions is hardly ever taken for the opposite of its
// quotes, and seldom for more than they say.
func TestGoldIsBorneOut(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED not set")
	}
	for _, set := range []string{peoples, models} {
		all, why, took := 0, map[string]int{}, 0
		for _, c := range goldCases(t, shared, set) {
			judge := distill.NewJudge(c.session)
			for _, g := range c.gold.Items {
				it := payload.Item{Kind: g.Kind, Text: g.Text, Why: g.Why}
				for i, turn := range g.Turns {
					quote := g.Quote
					if i < len(g.Quotes) {
						quote = g.Quotes[i]
					}
					it.Evidence = append(it.Evidence, payload.Evidence{Turn: turn, Quote: quote})
				}
				all++
				fault, n := judge.Judge(&it)
				if took += n; fault != "" {
					why[fault]++
					t.Logf("%s: %s %s | %q", fault, g.Kind, g.Text, it.Quotes())
				}
			}
		}
		t.Logf("%s: of %d items %v, %d details", set, all, why, took)
		refused := why[distill.DropOpposite] + why[distill.DropOrder] + why[distill.DropQuoted] + why[distill.DropUnrelated]
		if all < 300 || refused*100 > 5*all || why[distill.MendSaid]*100 > 10*all {
			t.Errorf("%s: of %d items %v", set, all, why)
		}
	}
}
