package notes

import (
	"strings"
	"testing"
	"time"

	"recall/ingest"
	"recall/payload"
)

// What an agent drafted is kept where the conversation bears it out, by its own
// quote or by one that is found; never by the draft itself.
func TestGroundDraft(t *testing.T) {
	draft := "Here it is:\n\n```markdown\n# Rehydration payload: Queue order\n\n## Current goal\nGive the job queue an order\n\n" +
		"## Decisions made\n- Min-heap instead of the sorted list — because the sorted list was 4x slower above 10k jobs\n" +
		"- The public Queue interface stays as it is\n> don't touch the public Queue interface, billing imports it\n" +
		"- We deploy with Kubernetes on Fridays\n> kubernetes on fridays it is\n\n" +
		"## Hypotheses eliminated\n- Redis streams as the order of jobs\n\n" +
		"## Files in play\n- queue/order.go — DONE — holds the heap\n\n## Mood\n- Good\n\n## Next action\n1. Add a sequence number so that ties keep their order\n```\n"
	at := time.Date(2026, 4, 17, 14, 0, 0, 0, time.UTC)
	said := []struct {
		role ingest.Role
		kind ingest.TurnKind
		text string
	}{
		{ingest.User, ingest.Prompt, "the job queue needs an order. give it one; sorted list?"},
		{ingest.Assistant, ingest.Message, "A sorted list was 4x slower above 10k jobs in the benchmark. I'd use a min-heap in queue/order.go."},
		{ingest.User, ingest.Prompt, "ok do that. and don't touch the public Queue interface,\nbilling imports it"},
		{ingest.Assistant, ingest.Message, "Done. Ties come out in any order now; I can add a sequence number so that ties keep their order."},
		{ingest.User, ingest.Prompt, "write the payload"},
		{ingest.Assistant, ingest.Message, draft},
	}
	s := &ingest.Session{ID: "s1", End: at}
	for i, x := range said {
		id := string(rune('a' + i))
		s.Turns = append(s.Turns, ingest.Turn{ID: ingest.TurnID(id), N: i + 1, Records: []string{id}, Role: x.role, Kind: x.kind, Text: x.text, At: at})
	}
	lines, err := GroundDraft(s, draft, at)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{ // by the beginning of the line: its quote, or "-" and why not
		"Give the job queue":     "job queue needs an order",
		"Min-heap":               "4x slower above 10k jobs",
		"The public Queue":       "billing imports it",
		"We deploy":              "-" + draftNowhere,
		"Redis streams":          "-" + draftNowhere,
		"queue/order.go":         "-" + draftFile,
		"- Good":                 "-" + draftSection,
		"Add a sequence number ": "I can add a sequence number",
	}
	for _, l := range lines {
		for begin, sign := range want {
			if !strings.HasPrefix(l.Text, begin) {
				continue
			}
			delete(want, begin)
			got := "-" + l.Why
			if l.Note != nil {
				got = l.Note.Quote
			}
			if why, dropped := strings.CutPrefix(sign, "-"); dropped && l.Why != why || !dropped && !strings.Contains(got, sign) {
				t.Errorf("%q: got %q, want %q", l.Text, got, sign)
			}
		}
	}
	for begin := range want {
		t.Errorf("no line begins with %q", begin)
	}
	var notes []payload.Note
	for _, l := range lines {
		if l.Note != nil {
			notes = append(notes, *l.Note)
		}
	}
	for _, n := range GroundNotes(s, notes) { // as the next sync will
		if n.Item == nil {
			t.Errorf("%q: %s", n.Note.Text, n.Why)
		}
	}
}
