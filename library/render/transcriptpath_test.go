package render

import (
	"slices"
	"strings"
	"testing"

	"recall/ingest"
)

// A text says where the paths in it are; what may be on either side says nothing, and so does a source that knows one
// side only.
func TestSidesOfPaths(t *testing.T) {
	s := &ingest.Session{Source: ingest.Cowork, Where: ingest.Where{Folders: []string{"/Users/ann/My Docs", "/srv/app",
		`C:\Users\Ann\app`}, Storage: "/Users/ann/Claude/acc/org/local_1"}}
	tr := transcript{session: s, sides: sidesOf(s)}
	for text, want := range map[string]string{
		"/sessions/x/a": "VM",
		"cat /sessions/x/a '/Users/ann/My Docs/b'":              "VM host",
		"computer:///sessions/x/mnt/outputs/a.md":               "VM",
		"/Users/ann/My Docs":                                    "host",
		`C:\Users\Ann\app\q.go, `:                               "host",
		"/srv/app /srv/app/b":                                   "host",
		"/etc/hosts and a/sessions/x":                           "",
		"/Users/ann/Claude/acc/org/local_1/outputs /sessions/x": "VM host",
	} {
		if got := strings.Join(tr.sidesIn(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := (&transcript{session: &ingest.Session{Source: ingest.ClaudeCode}}).sidesIn("/sessions/x/a"); got != nil {
		t.Errorf("of Claude Code: %q", got)
	}
}

// A sub-agent that goes on and on is split like any other, and no part leaves
// its fold open.
func TestLongSubagentIsSplit(t *testing.T) {
	s := talk()
	for range 8 {
		turn := s.Subagents[0].Turns[1]
		turn.Text = strings.Repeat("long ", partSize/10)
		s.Subagents[0].Turns = append(s.Subagents[0].Turns, turn)
	}
	parts := slices.Collect(Transcript(s, About{}))
	if len(parts) < 4 {
		t.Fatalf("%d parts, want 4 or more", len(parts))
	}
	for i, p := range parts {
		if len(p) > 2*partSize {
			t.Errorf("part %d has %d bytes", i+1, len(p))
		}
		if a, b := strings.Count(string(p), "<details"), strings.Count(string(p), "</details>"); a != b {
			t.Errorf("part %d opens %d folds and closes %d", i+1, a, b)
		}
	}
	if whole := WholeTranscript(s, About{}); strings.Contains(string(whole), "continued") || len(whole) < 4*partSize {
		t.Errorf("the whole one is split: %d bytes", len(whole))
	}
}
