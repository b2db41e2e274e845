package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/payload"
)

// madeUp is a system that finds the first hits of four decisions in each of n
// sessions, and as many wrong ones besides.
func madeUp(n, hits, wrong int) System {
	var sessions []SessionScore
	for i := range n {
		s := SessionScore{Session: fmt.Sprintf("s%d", i), Title: "secret title"}
		for k := range 4 {
			s.Gold = append(s.Gold, GoldItem{ID: fmt.Sprintf("d%d", k), Kind: payload.Decision, Must: true, Text: "secret",
				Quote: "secret"})
		}
		for k := range hits + wrong {
			id := payload.ItemID(fmt.Sprintf("i%d", k))
			s.Predicted = append(s.Predicted, Predicted{ID: id, Claim: Claim{Kind: payload.Decision, Text: "secret"}})
			if k < hits {
				s.Pairs = append(s.Pairs, MatchedPair{id, fmt.Sprintf("d%d", k), 1})
			}
		}
		s.Lenient = s.Pairs
		sessions = append(sessions, s)
	}
	return System{Name: "made up", Payloads: summarizePayloads(sessions)}
}

func runOf(s System) *Run { return &Run{What: "payloads", Systems: []System{s}} }

// Figure is the difference of that name; nil if there is none.
func (c *Comparison) Figure(name string) *Difference {
	for i := range c.Figures {
		if c.Figures[i].Name == name {
			return &c.Figures[i]
		}
	}
	return nil
}

func TestCompareVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after System
		want          Verdict
	}{
		{"the same", madeUp(8, 2, 1), madeUp(8, 2, 1), CantTell},
		{"more found everywhere", madeUp(8, 2, 1), madeUp(8, 4, 1), Better},
		{"less found everywhere", madeUp(8, 4, 1), madeUp(8, 2, 1), Worse},
		{"more wrong", madeUp(8, 2, 0), madeUp(8, 2, 3), Worse},
		{"too few to tell", madeUp(4, 1, 1), madeUp(4, 4, 1), CantTell},
	} {
		c, err := Compare(runOf(tt.before), runOf(tt.after))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"micro F1", "decision F1"} {
			if d := c.Figure(name); d == nil || d.Verdict != tt.want {
				t.Errorf("%s: %s is %+v, want %s", tt.name, name, d, tt.want)
			}
		}
	}
}

func TestOneSessionIsNoProof(t *testing.T) {
	before, after := madeUp(12, 2, 1), madeUp(12, 2, 1)
	after.Payloads.Sessions[3] = madeUp(12, 4, 0).Payloads.Sessions[3]
	c, err := Compare(runOf(before), runOf(after))
	if err != nil {
		t.Fatal(err)
	}
	if d := c.Figure("micro F1"); d.Verdict != CantTell || d.Change.Value <= 0 {
		t.Errorf("one better session of 12: got %+v, want a rise that tells nothing", d)
	}
}

// Runs over other gold sets are compared on what both have, and say so.
func TestCompareSharedSessionsOnly(t *testing.T) {
	before, after := madeUp(9, 2, 1), madeUp(10, 4, 1)
	after.Payloads.Sessions[0].Session = "another"
	after.Payloads.Sessions[1].Gold[0].Must = false
	c, err := Compare(runOf(before), runOf(after))
	if err != nil {
		t.Fatal(err)
	}
	if c.Shared != 7 {
		t.Errorf("got %d sessions compared, want 7", c.Shared)
	}
	notes := strings.Join(c.Notes, "\n")
	for _, want := range []string{"1 session left out: only in the run before",
		"2 sessions left out: only in the run after", "1 session left out: its gold answers"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q don't say %q", notes, want)
		}
	}
	if _, err := Compare(runOf(before), &Run{What: "questions"}); err == nil {
		t.Error("payloads were compared with questions")
	}
}

func TestCompareQuestions(t *testing.T) {
	asked := func(rank int, stale bool) *Run {
		var made []QuestionsMade
		for i := range 10 {
			made = append(made, QuestionsMade{ID: fmt.Sprint(i), Q: "secret", Expect: []string{"s#d1"}, Stale: []string{"s#d0"},
				Ranks: []int{rank}, StaleFirst: stale})
		}
		return &Run{What: "questions", Systems: []System{{Name: "x", Questions: SummedUp(made)}}}
	}
	c, err := Compare(asked(6, true), asked(1, false))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Verdict{"hit@1": Better, "hit@5": Better, "hit@20": CantTell, "MRR": Better,
		"stale@1": Better, "refused": CantTell} {
		if d := c.Figure(name); d == nil || d.Verdict != want {
			t.Errorf("%s: got %+v, want %s", name, d, want)
		}
	}
	if c.Figure("abstained") != nil {
		t.Error("there is a figure about questions without an answer, and no such question")
	}
}

// A baseline says nothing that anybody wrote, and compares like the whole run.
func TestBaselineHoldsNoText(t *testing.T) {
	payloads, asked := runOf(madeUp(8, 3, 1)), runOf(System{})
	asked.What, asked.Systems = "questions", []System{{Name: "asked", Questions: SummedUp([]QuestionsMade{{ID: "1",
		Q: "secret?", First: "secret", Expect: []string{"s#d1"}, Ranks: []int{1}}})}}
	for _, whole := range []*Run{payloads, asked} {
		whole.Schema = RunSchema
		whole.Agreement = &Agreement{Wrong: []DisagreedOnPair{{A: "secret"}}}
		whole.Problems = []Problem{{What: "secret"}}
		b, err := EncodeBaseline(whole)
		if err != nil || strings.Contains(string(b), "secret") {
			t.Fatalf("got %v, text in %s", err, b)
		}
		if whole.Problems[0].What != "secret" {
			t.Error("the run itself lost its text")
		}
		file := filepath.Join(t.TempDir(), "baseline.json")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		bare, err := ReadRun(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Compare(bare, whole)
		if err != nil || c.Shared == 0 {
			t.Fatalf("got %+v, %v; want all in common", c, err)
		}
		for _, d := range c.Figures {
			if d.Change.Value != 0 {
				t.Errorf("%s: got %+v, want no change", d.Name, d)
			}
		}
	}
}
