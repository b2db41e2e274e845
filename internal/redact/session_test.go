package redact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"recall/ingest"
	"recall/internal/redact"
)

// A canary in every text of a session is gone after the session's texts went
// through the redactor; each field has a secret of its own kind of place.
func TestSessionHoldsNoSecretAfterMapText(t *testing.T) {
	var planted []string
	plant := func(format string) string {
		secret := fmt.Sprintf("q%dRk2mXz9LpT4vBn8WsY%d", len(planted), len(planted)*7)
		planted = append(planted, secret)
		return fmt.Sprintf(format, secret)
	}
	turn := func() ingest.Turn {
		return ingest.Turn{
			Text:    plant("here you are: API_TOKEN=%s, use it") + "\n" + plant("or https://me:%s@git.corp.io/x"),
			Uploads: []string{plant("token=%s.txt")},
			Calls: []ingest.ToolCall{{
				Name: "Bash",
				Input: map[string]string{"command": plant("curl -H 'Authorization: Bearer %s' " +
					"https://x.io"), "env": plant(`{"api_key": "%s"}`)},
				Command:       plant("mysql --password %s -h db"),
				Result:        plant("DB_PASSWORD=%s\nDB_HOST=x"),
				Reason:        plant("no, the password is %s"),
				CommitMessage: plant("remove secret: %s"),
				Answers: []ingest.Answer{{
					Question: plant("Is client_secret=%s right?"), Chosen: []string{plant("yes, token: %s")},
					Notes:   plant("api_key=%s"),
					Options: []ingest.Option{{Label: plant("token=%s"), Description: plant("token: '%s'")}},
				}},
				Plan:  &ingest.Plan{Text: plant("1. set ACCESS_KEY=%s")},
				Edits: []ingest.Edit{{Old: plant(`password := "%s"`), New: plant(`secret := "%s"`)}},
			}},
		}
	}
	s := &ingest.Session{
		Title:     plant("rotate token=%s"),
		Turns:     []ingest.Turn{turn(), turn()},
		Subagents: []ingest.Subagent{{Description: plant("check token=%s"), Turns: []ingest.Turn{turn()}}},
		Tasks:     []ingest.Task{{Subject: plant("revoke token=%s")}},
	}
	text := s.Turns[0].Text
	s.Turns[0].Foreign = []ingest.Foreign{{From: 0, To: strings.Index(text, "\n"), Label: "CLAUDE.md"}}

	r := redact.New()
	s.MapText(r.Text)

	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, secret := range planted {
		if strings.Contains(string(data), secret) {
			t.Errorf("secret %d of %d, %q, is left in the session", i+1, len(planted), secret)
		}
	}
	n := 0
	for _, c := range r.Counts() {
		n += c
	}
	if n != len(planted) {
		t.Errorf("different secrets: got %d, want %d", n, len(planted))
	}
	lines := []string{"-----BEGIN PGP PRIVATE KEY BLOCK-----", "",
		"lQOYBGBqKd4BCADLq7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQ9f3c1b7ae04d",
		"5682c1f79ab3d0e46258Qx7Rk2mXz9LpT4vBn8WsYc3HdJ6fGt5KuE1aQ9f3c1b7", "x7Kp2mQ9vLt4WzRt",
		"-----END PGP PRIVATE KEY BLOCK-----"}
	whole := "decrypt with this:\n" + strings.Join(lines, "\n")
	pasted := ingest.Session{Turns: []ingest.Turn{{Text: whole,
		Foreign: []ingest.Foreign{{From: strings.Index(whole, lines[2]), To: strings.Index(whole, lines[3])}}}}}
	pasted.MapText(redact.New().Text)
	for _, line := range lines[2:5] {
		if got := pasted.Turns[0].Text; strings.Contains(got, line) {
			t.Errorf("a line of a key is left: %q", got)
		}
	}
	if f := s.Turns[0].Foreign[0]; !strings.HasSuffix(s.Turns[0].Text[f.From:f.To], "use it") {
		t.Errorf("foreign part: got %q, want it to end as before", s.Turns[0].Text[f.From:f.To])
	}
}
