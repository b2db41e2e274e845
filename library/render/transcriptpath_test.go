package render

import (
	"slices"
	"strings"
	"testing"

	"recall/ingest"
)

// Each path says where it is, in sentences, code, links and blocks; what may be
// on either side says nothing, and so does a source that knows one side only.
func TestPathsAreMarked(t *testing.T) {
	s := &ingest.Session{Source: ingest.Cowork, Where: ingest.Where{Folders: []string{"/Users/ann/My Docs", "/srv",
		"/srv/app",
		`C:\Users\Ann\app`}, Storage: "/Users/ann/Claude/acc/org/local_1"}}
	tr := transcript{session: s, sides: sidesOf(s)}
	for text, want := range map[string]string{
		"it is in /sessions/brave-fox/mnt/a.md.": "it is in /sessions/brave-fox/mnt/a.md **VM**.",
		"`/sessions/x/a` and `/Users/ann/My Docs/b.txt`": "`/sessions/x/a` **VM** and `/Users/ann/My Docs/b.txt` " +
			"**host**",
		"[it](computer:///sessions/x/mnt/outputs/a.md)": "[it](computer:///sessions/x/mnt/outputs/a.md) **VM**",
		"/Users/ann/My Docs":                            "/Users/ann/My Docs **host**",
		"/Users/ann/My Docsets/x":                       "/Users/ann/My Docsets/x",
		`C:\Users\Ann\app\q.go, `:                       `C:\Users\Ann\app\q.go **host**, `,
		"/srv/app2/x /srv/app/y /srv/app":               "/srv/app2/x **host** /srv/app/y **host** /srv/app **host**",
		"/etc/hosts and a/sessions/x":                   "/etc/hosts and a/sessions/x",
		"```\ncat /sessions/x/a\n```\nso": "```\ncat /sessions/x/a\n```\n\n*paths above:* **VM**\n" +
			"\nso",
		"```\ncat /sessions/x/a /Users/ann/My Docs/b\n```": "```\ncat /sessions/x/a /Users/ann/My Docs/b\n```\n\n" +
			"*paths above:* **VM** **host**\n\n",
		"/sessions/x/a /Users/ann/Claude/acc/org/local_1/outputs": "/sessions/x/a **VM** /Users/ann/Claude/acc/org/local_1/" +
			"outputs **host**",
	} {
		if got := tr.markPaths(text); got != want {
			t.Errorf("markPaths(%q)\n got %q\nwant %q", text, got, want)
		}
	}
	plain := transcript{session: &ingest.Session{Source: ingest.ClaudeCode}}
	if got := plain.markPaths("/sessions/x/a"); got != "/sessions/x/a" {
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
