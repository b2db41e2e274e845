package offline

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/payload"
)

// longSession has so many exchanges of four turns, each about things of its own.
func longSession(exchanges int) *ingest.Session {
	s := &ingest.Session{ID: "s"}
	add := func(t ingest.Turn) *ingest.Turn {
		t.N = len(s.Turns) + 1
		t.ID = ingest.TurnID(fmt.Sprint("t", t.N))
		s.Turns = append(s.Turns, t)
		return &s.Turns[t.N-1]
	}
	for n := range exchanges {
		add(ingest.Turn{Role: ingest.User, Kind: ingest.Prompt,
			Text: fmt.Sprintf("Let's look at importer%d and its tide%d gauge, please.", n, n%7)})
		for range 2 {
			add(ingest.Turn{Role: ingest.Assistant, Kind: ingest.Message,
				Calls: []ingest.ToolCall{{Name: "Read", Path: fmt.Sprintf("src/importer%d.go", n), Done: true}}})
		}
		add(ingest.Turn{Role: ingest.Assistant, Kind: ingest.Message,
			Text: fmt.Sprintf("We use queue%d instead of the polling%d loop because lock%d was held too long.", n, n, n)})
	}
	return s
}

func distilled(t *testing.T, s *ingest.Session) []payload.Item {
	t.Helper()
	p, err := Distiller{}.Distill(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return p.Items
}

// A session of usual length is one stretch; a longer one is cut where a person
// speaks, nothing left out.
func TestStretches(t *testing.T) {
	for exchanges, want := range map[int]int{0: 1, 1: 1, minStretch / 4: 1, minStretch/4 + 1: 2, minStretch: 4} {
		parts := stretches(longSession(exchanges))
		if len(parts) != want {
			t.Errorf("%d exchanges: %d stretches, want %d", exchanges, len(parts), want)
		}
		n := 0
		for _, p := range parts {
			if len(p.Turns) > 0 && p.Turns[0].Kind != ingest.Prompt {
				t.Errorf("%d exchanges: a stretch begins with %+v", exchanges, p.Turns[0])
			}
			n += len(p.Turns)
		}
		if n != 4*exchanges {
			t.Errorf("%d exchanges: %d turns in the stretches, want %d", exchanges, n, 4*exchanges)
		}
	}
	if parts := stretches(&ingest.Session{Turns: make([]ingest.Turn, 5*minStretch)}); len(parts) != 3 {
		t.Errorf("where nobody speaks: %d stretches, want 3", len(parts))
	}
}

// Of a long session the goal is the one asked for first, until somebody turns to
// something else in any stretch; a file written early and read late is one that was
// written; what was said early is kept beside what was said late, and the session
// yields no more passages than its length allows; twice it is the same.
func TestLongSession(t *testing.T) {
	s := longSession(2 * minStretch)
	s.Turns[1].Calls[0] = ingest.ToolCall{Name: "Write", Path: "/home/ann/app/src/early.go",
		Input: map[string]string{"content": "x\n"}, Done: true}
	last := &s.Turns[len(s.Turns)-2]
	last.Calls[0].Path = "/home/ann/app/src/early.go"
	items := distilled(t, s)
	if diff := cmp.Diff(items, distilled(t, s)); diff != "" {
		t.Errorf("the second time (-first +second)\n%s", diff)
	}
	leads, early, late, wrote := 0, false, false, ""
	for _, it := range items {
		switch it.Kind {
		case payload.Goal:
			if it.Evidence[0].N != 1 {
				t.Errorf("the goal is of turn %d, want the first", it.Evidence[0].N)
			}
		case payload.Lead:
			leads++
			early = early || it.Evidence[0].N < minStretch
			late = late || it.Evidence[0].N > len(s.Turns)-minStretch
		case payload.File:
			if it.Path == "/home/ann/app/src/early.go" {
				wrote = it.Status + it.Text
			}
		}
	}
	most := shipped().quota(2*minStretch+len(stretches(s))) + 1 // what can be read in the goal takes no place
	if leads == 0 || leads > most || !early || !late {
		t.Errorf("%d passages (at most %d), early %v, late %v", leads, most, early, late)
	}
	if wrote != "New." {
		t.Errorf("of the file written in the first stretch it is said %q", wrote)
	}
	turn := &s.Turns[len(s.Turns)-4*minStretch]
	turn.Text = "Next task: the audit log needs an export to CSV."
	for _, it := range distilled(t, s) {
		if it.Kind == payload.Goal && it.Evidence[0].Turn != string(turn.ID) {
			t.Errorf("the goal is %q of %s", it.Text, it.Evidence[0].Turn)
		}
	}
}
