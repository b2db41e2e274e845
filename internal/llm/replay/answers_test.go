package replay_test

import (
	"encoding/json"
	"errors"
	"testing"

	"recall/internal/llm"
	"recall/internal/llm/replay"
)

// Answers are found by what was asked about; what isn't recorded is refused and counted.
func TestAnswers(t *testing.T) {
	a := replay.NewAnswers(map[string]json.RawMessage{"extract-1": json.RawMessage(`{"text":"yes"}`)}, "recorded")
	if data, ok, err := a.Answer("extract-1"); string(data) != `{"text":"yes"}` || !ok || err != nil || a.Missing() != 0 {
		t.Errorf("got %s, %v, %v and %d missing", data, ok, err, a.Missing())
	}
	if _, ok, _ := a.Answer("extract-2"); ok {
		t.Error("an answer that nobody gave")
	}
	var e *llm.Error
	_, err := a.Complete(t.Context(), llm.Request{Task: "extract", Prompt: "p"})
	if !errors.As(err, &e) || e.Passing() || e.Ends() || a.Missing() != 1 || a.Name() != "replay/recorded" {
		t.Errorf("got %v and %d missing: one request without an answer ends no others", err, a.Missing())
	}
	if err := a.KeepAnswer("extract-2", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := a.Answer("extract-2"); !ok {
		t.Error("what was kept is gone")
	}
}
