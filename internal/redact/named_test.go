package redact_test

import (
	"testing"

	"recall/ingest"
	"recall/internal/redact"
)

// A tool's input holds names and values apart; the name tells that the value
// is a secret.
func TestSecretNamedByItsInput(t *testing.T) {
	s := &ingest.Session{Turns: []ingest.Turn{{Calls: []ingest.ToolCall{{Name: "mcp__vault__set",
		Input: map[string]string{"password": "tangerine-9Kettle", "path": "app/db"}}}}}}
	s.MapText(redact.New().Text)
	got := s.Turns[0].Calls[0].Input
	if got["password"] == "tangerine-9Kettle" || got["path"] != "app/db" {
		t.Errorf("input is %q, want the password masked and the path as it was", got)
	}
}
