package llm

import "testing"

func TestThinks(t *testing.T) {
	for model, want := range map[string]bool{
		"claude-haiku-5-5": true, "claude-opus-5": true, "anthropic/claude-sonnet-5.5": true,
		"claude-haiku-5-5-20261007": true, "claude-haiku-4-5": false, "claude-3-5-haiku-20241022": false,
		"gpt-5.6-luna": true, "gpt-5-mini": true, "openai/gpt-5": true, "gpt-6-luna": true, "o3-mini": true,
		"gpt-4.1-mini": false, "gpt-oss-20b": false, "gpt-50x": false, "qwen3:8b": false, "": false,
	} {
		if got := Thinks(model); got != want {
			t.Errorf("Thinks(%q) = %v, want %v", model, got, want)
		}
	}
}
