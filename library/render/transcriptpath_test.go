package render

import (
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
