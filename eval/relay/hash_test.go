package relay

import (
	"encoding/json"
	"testing"

	"recall/internal/llm"
)

func TestHash(t *testing.T) {
	base := llm.Request{Task: "extract", System: "ab", Prompt: "c", Max: 10}
	same := base
	same.Task = "judge"
	if idOf(base) != idOf(same) {
		t.Error("the task shapes the hash")
	}
	seen := map[string]bool{idOf(base): true}
	for _, r := range []llm.Request{
		{System: "a", Prompt: "bc", Max: 10},
		{System: "ab", Prompt: "c", Max: 11},
		{System: "ab", Prompt: "c", Max: 10, Schema: &llm.Schema{Name: "x", JSON: json.RawMessage(`{}`)}},
		{System: "ab", Prompt: "c", Max: 10, Schema: &llm.Schema{Name: "y", JSON: json.RawMessage(`{}`)}},
	} {
		if h := idOf(r); seen[h] || len(h) != 32 {
			t.Errorf("%+v: got %s, which another has or is no hash", r, h)
		} else {
			seen[h] = true
		}
	}
}
