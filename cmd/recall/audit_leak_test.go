package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// No secret is in what tells of a session's doings: what was called with what,
// what came of it, what was made.
func TestNoSecretLeaksFromDoings(t *testing.T) {
	library, _ := demoLibrary(t)
	printed := 0
	check := func(what string, out []byte) {
		printed += len(out)
		for _, secret := range demoSecrets {
			if bytes.Contains(bytes.ToLower(out), []byte(strings.ToLower(secret))) {
				t.Errorf("%s prints %s", what, secret)
			}
		}
	}
	say := func(args ...string) []byte {
		out := mustRun(t, append([]string{"--library", library}, args...)...)
		check("recall "+strings.Join(args, " "), out)
		return out
	}
	var sessions []listed
	if err := json.Unmarshal(say("list", "--json"), &sessions); err != nil || len(sessions) == 0 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	placeholders := 0
	for _, s := range sessions {
		say("show", "--actions", string(s.ID))
		placeholders += bytes.Count(say("show", "--actions", string(s.ID), "--json"), []byte("‹"))
		say("manifest", string(s.ID))
		say("manifest", string(s.ID), "--json")
	}
	if placeholders == 0 {
		t.Error("no call held a secret: this test proves nothing")
	}
	say("grep", "two workers took job 3")
	say("why", "--file", "internal/queue/backoff.go")
	if printed < 10_000 {
		t.Errorf("%d bytes printed in all: too little to have looked at anything", printed)
	}
}
