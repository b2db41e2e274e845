package baseline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

func TestStatements(t *testing.T) {
	got := Statements("# Done\n\nThe queue lives in Postgres. Workers poll `jobs`, e.g. every 2 s. 3 retries!\n- [x] tests pass\n  1. push it\n```go\nfunc main() {}\n```\n| a table | of two |\n---\n> quoted? Yes.\n")
	want := []string{"Done", "The queue lives in Postgres.", "Workers poll `jobs`, e.g. every 2 s.", "3 retries!",
		"tests pass", "push it", "a table   of two", "quoted?", "Yes."}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("statements (-want +got):\n%s", d)
	}
}

func session() *ingest.Session {
	turn := func(id string, role ingest.Role, kind ingest.TurnKind, text string) ingest.Turn {
		return ingest.Turn{ID: ingest.TurnID(id), Role: role, Kind: kind, Text: text}
	}
	s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
		turn("u1", ingest.User, ingest.Prompt, "put the retry limit at five"),
		turn("a1", ingest.Assistant, ingest.Message, "The retry limit is five now."),
		turn("c1", ingest.User, ingest.Summary, "Summary: retries."),
		turn("u2", ingest.User, ingest.Prompt, "and the cache?"),
		turn("a2", ingest.Assistant, ingest.Message, "The cache stays in process."),
		turn("u3", ingest.User, ingest.Prompt, "thanks"),
		turn("a3", ingest.Assistant, ingest.Message, "  "),
		turn("a4", ingest.Assistant, ingest.Message, "on a branch that was left"),
	}}
	s.Turns[7].Abandoned = true
	return s
}

func TestParts(t *testing.T) {
	s := session()
	for name, tt := range map[string]struct{ got, want []Part }{
		"last assistant":      {LastAssistant(s), []Part{{"a2", "The cache stays in process."}}},
		"compaction summary":  {CompactionSummary(s), []Part{{"c1", "Summary: retries."}}},
		"first and last user": {FirstAndLastUser(s), []Part{{"u1", "put the retry limit at five"}, {"u3", "thanks"}}},
		"nothing said":        {LastAssistant(&ingest.Session{}), nil},
	} {
		if d := cmp.Diff(tt.want, tt.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestMessagesRankByRareWords(t *testing.T) {
	m := NewMessages([]*ingest.Session{session()})
	got := m.Search("What is the retry limit?")
	if len(got) < 2 || got[0].Turn != "a1" && got[0].Turn != "u1" {
		t.Errorf("got %+v, want the two messages about retries first", got)
	}
	if got := m.Search("the of and"); len(got) != 0 {
		t.Errorf("a question without a word that says something found %+v", got)
	}
	if got := m.Search("kubernetes"); len(got) != 0 {
		t.Errorf("a word that stands nowhere found %+v", got)
	}
}
