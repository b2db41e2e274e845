package offline

import (
	"fmt"
	"testing"

	"recall/ingest"
)

// The index of words has to give what comparing a statement with every
// sentence of the other speeches gives.
func TestEchoesAreTheBestOfAllSentences(t *testing.T) {
	tk := listen(session(
		user("Please move the parser into its own package and keep the old flags."),
		says("I'll look at the parser first."),
		says("The parser is in its own package. The old flags are kept, the new flag is called depth."),
		user("Fine. Call the flag levels instead of depth."),
		says("Renamed the flag to levels."),
		says("The flag is called levels now. Tests of the parser pass."),
		user("Release the package with the levels flag."),
		says("Released. The parser package has the levels flag."),
	))
	all := candidates(tk)
	if len(all) < 6 {
		t.Fatalf("got %d candidates, want some to compare", len(all))
	}
	heard := 0
	for _, c := range all {
		var want echo
		for _, sp := range tk.speeches {
			if sp == c.sp {
				continue
			}
			when, by := beside, midway
			if sp.exchange < c.sp.exchange {
				when = before
			} else if sp.exchange > c.sp.exchange {
				when = after
			}
			if sp.user {
				by = typing
			} else if sp.closing {
				by = closes
			}
			for i := range sp.parts {
				want[when][by] = max(want[when][by], weighed(c.keys(), sp.parts[i].keys(), tk.echoes.words))
			}
		}
		got := tk.echoes.of(c.sp, c.keys())
		if got != want {
			t.Errorf("%q: got %v, want %v", c.Text, got, want)
		}
		if got != (echo{}) {
			heard++
		}
	}
	if heard == 0 {
		t.Error("no statement has an echo")
	}
}

// In a talk of very many turns only what is said within reach is heard.
func TestEchoesHaveAReach(t *testing.T) {
	for far, want := range map[int]bool{reach - 10: true, reach + 10: false} {
		turns := []ingest.Turn{user("Should the parser keep the levels flag?")}
		for range far {
			turns = append(turns, says("Something else."))
		}
		turns = append(turns, says("The parser keeps the levels flag."))
		tk := listen(session(turns...))
		last := tk.speeches[len(tk.speeches)-1]
		got := tk.echoes.of(last, last.parts[0].keys())[beside][typing] > 0
		if got != want {
			t.Errorf("said %d sentences before: heard %v, want %v", far, got, want)
		}
	}
}

// BenchmarkDistillLong distills talks of many turns: what a turn costs must not
// grow with their number.
func BenchmarkDistillLong(b *testing.B) {
	for _, n := range []int{10_000, 40_000, 160_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var turns []ingest.Turn
			for i := range n / 2 {
				turns = append(turns, user(fmt.Sprintf("Please change part %d of the walker, not part %d.", i, i/7)), says(fmt.Sprintf("Part %d of the walker is changed now, the tests pass.", i)))
			}
			s := session(turns...)
			for b.Loop() {
				if _, err := (Distiller{}).Distill(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/turn")
		})
	}
}

func TestFilesAreHeardOfByName(t *testing.T) {
	for text, want := range map[string]int{
		"I changed `parse/walk_test.go` and walk_test.go.": 1,
		"my_walk_test.go stays, walk_test.gox is gone.":    0,
		"See other/walk_test.go for that.":                 0,
	} {
		tk := listen(session(user("Please change the walker of the parser."), ingest.Turn{Role: ingest.Assistant, Kind: ingest.Message, Text: text}))
		f := &touched{path: "parse/walk_test.go"}
		hearOf(tk, []*touched{f})
		if f.mentions != want {
			t.Errorf("%q: got %d mentions, want %d", text, f.mentions, want)
		}
	}
}
