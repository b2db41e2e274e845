package claudecode

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recall/ingest/ingesttest"
)

// outlineOfFile is the outline of a transcript as the client wrote it.
func outlineOfFile(t *testing.T, path string) []string {
	t.Helper()
	found, problems := Reader{}.Find(context.Background(), path, nil)
	if len(found) != 1 || len(problems) != 0 {
		t.Fatalf("found %d sessions and %v, want one", len(found), problems)
	}
	s, err := Reader{}.Parse(context.Background(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.Lines(t, s.Report)
	return outlineOf(s)
}

// Records as 2.1.197 and 2.1.329 wrote them where a person typed while a tool ran:
// the answer before its prompt, and the prompt beside the result.
func TestOrderOfClients(t *testing.T) {
	const decided = "Cache the rates. We decided to use the LRU, not Redis."
	const correction = "No, we don't use Redis, we decided to use the in-process LRU."
	inOrder := []string{"prompt " + decided, "message I do it.", "message", "message Done."}
	for name, turns := range map[string][]string{
		"order-ok":          inOrder,
		"order-late-parent": inOrder,
		"out-of-order-2.1.197": {"prompt Cache the rates.", "message I use Redis for it.", "prompt " + correction,
			"message",
			"message Fine, understood."},
		"queued-esc-min": {"prompt Cache the rates. Go.", "message I do it.", "message", "prompt " + correction,
			"interrupt [Request interrupted by user for tool use]", "message Understood.", "prompt Thanks, next one.",
			"message Fine."},
	} {
		t.Run(name, func(t *testing.T) {
			ingesttest.Equal(t, "turns", outlineOfFile(t, filepath.Join("testdata", "order", name+".jsonl")), turns)
		})
	}
}

// The same records in any order are the same conversation, but that no parent
// comes of a loop.
func TestParentsInAnyOrder(t *testing.T) {
	raw, err := os.ReadFile("testdata/order/order-ok.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	inOrder := outlineOfFile(t, "testdata/order/order-ok.jsonl")
	for shift := range lines {
		turned := append(append([]string{}, lines[shift:]...), lines[:shift]...)
		path := filepath.Join(t.TempDir(), "aaaaaaaa-0000-4000-8000-000000000001.jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(turned, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ingesttest.Equal(t, "turns", outlineOfFile(t, path), inOrder)
	}
}

func TestLoopOfParents(t *testing.T) {
	s := &script{}
	s.user("a", fields{"uuid": "u1", "parentUuid": "u3"})
	s.say("m1", textBlock("ok"), fields{})
	s.user("b", fields{"uuid": "u3"})
	s.user("c", fields{"uuid": "u4", "parentUuid": "u4"})
	got := s.parse(t)
	ingesttest.Equal(t, "turns", len(got.Turns), 4)
}

// What the client notes of its requests to the model is known and holds no turn.
func TestRecordsOfRequests(t *testing.T) {
	s := &script{}
	s.raw(fields{"type": "tools-used", "tools": []string{"Bash"}})
	s.user("a")
	s.addRecord("attachment", fields{"attachment": fields{"type": "prompt_snapshot", "system": "You are."}})
	s.raw(fields{"type": "api-request-shape", "shapeHash": "x", "shape": fields{"system": []any{}}})
	s.raw(fields{"type": "api-request-blob", "hash": "y", "message": fields{"role": "user",
		"content": []any{textBlock("We decided on Redis.")}}})
	s.raw(fields{"type": "api-request", "id": "z", "params": fields{"model": "claude-opus-5-5"}})
	s.raw(fields{"type": "marble-origami-commit", "summary": "We decided on Redis."})
	s.say("m1", textBlock("ok"))
	got := s.parse(t)
	ingesttest.Equal(t, "turns", outlineOf(got), []string{"prompt a", "message ok"})
	ingesttest.Equal(t, "unknown", len(got.Report.Unknown), 0)
}
