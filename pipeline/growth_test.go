package pipeline_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"recall/library/calls"
	"recall/pipeline/improve"
)

// A session that grows for thirty nights costs at most 1.3 times what it costs
// to distill the whole of it once, however much it grows a night; and when it is
// quiet for good the model has seen all of it. RECALL_GROWTH=all takes the sizes
// of the table in docs/models.md.
func TestThirtyNightsOfGrowth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	type size struct {
		turns int // a night
		words int // a turn, beside a sentence
	}
	sizes := []size{{4, 60}}
	if os.Getenv("RECALL_LONG") != "" {
		sizes = []size{{4, 0}, {6, 100}}
	}
	if os.Getenv("RECALL_GROWTH") == "all" {
		sizes = []size{{4, 0}, {4, 20}, {16, 0}, {4, 40}, {4, 60}, {16, 20}, {6, 100}, {8, 150}, {8, 500}, {8, 1400},
			{8, 2000}}
	}
	for _, c := range sizes {
		t.Run(fmt.Sprintf("%d turns of %d words", c.turns, c.words), func(t *testing.T) {
			once, onceCost, said := grow(t, c.turns, c.words, false)
			nightly, nightlyCost, _ := grow(t, c.turns, c.words, true)
			ratio, costs := float64(nightly)/float64(once), nightlyCost/onceCost
			t.Logf("%d tokens said; at once %d tokens, $%.4f; nightly %d, $%.4f: %.2f and %.2f", said/4, once, onceCost,
				nightly, nightlyCost, ratio, costs)
			if costs > 1.3 || ratio > 1.3 {
				t.Errorf("thirty nights took %.2f times the tokens and %.2f times the money of the whole, want at most 1.3", ratio,
					costs)
			}
		})
	}
}

// Items that have other words to be found by keep them where a session grew and what is said of it now, by another
// model or before answers held such words, has none.
func TestOtherWordsOutlastGrowth(t *testing.T) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	s := newService(t, 0)
	s.ask(t, p, improve.Caps{})
	k := talk{id: "aaaaaaaa-0000-4000-8000-000000000001", start: day}
	for i := range 6 {
		k.said = append(k.said, fmt.Sprintf("Let's go with variant %d for the importer instead of the old one.", i))
	}
	aliases := func() map[string]int {
		k.write(t, root)
		last := k.at(len(k.said) - 1)
		p.Now = func() time.Time { return last.AddDate(0, 0, 9) }
		improved(t, p, root)
		got, err := p.Library.Payload("aaaaaaaa-0000-4000-8000-000000000001")
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]int{}
		for _, it := range got.Items {
			all[it.Text] = len(it.Aliases)
		}
		return all
	}
	before := aliases()
	s.wordless = true
	k.said = append(k.said, "Let's go with variant 13 for the importer instead of the old one.", "Done.")
	after := aliases()
	kept := 0
	for text, n := range after {
		switch had, ok := before[text]; {
		case ok && n == had && n > 0:
			kept++
		case ok || n > 0:
			t.Errorf("%q has %d other words, had %d", text, n, had)
		}
	}
	if kept == 0 || kept != len(before) {
		t.Errorf("of %v are left %v", before, after)
	}
}

// grow asks about a session of thirty days, each night or at its end, and returns
// what that took and how many bytes were said.
func grow(t *testing.T, turns, words int, nightly bool) (tokens int, cost float64, said int) {
	root := t.TempDir()
	p := open(t, t.TempDir())
	s := newService(t, 0)
	s.ask(t, p, improve.Caps{})
	k := talk{id: "aaaaaaaa-0000-4000-8000-000000000001", start: day, night: turns}
	for night := range 30 {
		for i := range turns {
			text := fmt.Sprintf("Let's go with variant %d of night %d for the importer instead of the old one.", i, night)
			for w := range words {
				text += fmt.Sprintf(" word%d", (night*131+i*31+w*7)%997)
			}
			k.said = append(k.said, text)
			said += len(text)
		}
		if !nightly && night < 29 {
			continue
		}
		k.write(t, root)
		last := k.at(len(k.said) - 1)
		p.Now = func() time.Time { return last.Add(10 * time.Hour) }
		improved(t, p, root)
	}
	last := k.at(len(k.said) - 1)
	for night := range 8 {
		p.Now = func() time.Time { return last.AddDate(0, 0, night+1) }
		improved(t, p, root)
	}
	e, err := p.Library.Session("aaaaaaaa-0000-4000-8000-000000000001")
	if err != nil || e.Distilled.Model.Turns != len(k.said) {
		t.Errorf("the model saw %d of %d turns (%v)", e.Distilled.Model.Turns, len(k.said), err)
	}
	spent, _ := calls.Spending(p.Library)
	for _, line := range spent {
		tokens += line.In + line.Out
		cost += line.Cost
	}
	return tokens, cost, said
}
