package cowork

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

// The files of a session go below a root as they were below the one that they
// come from, of whatever system; the account's list of spaces beside them.
func TestPlaces(t *testing.T) {
	file := func(name string, role ingest.FileRole, path string) ingest.File {
		return ingest.File{Name: name, Role: role, Path: path}
	}
	for _, c := range []struct {
		name, base string
		id         ingest.SessionID
		files      []ingest.File
		want       map[string]string
	}{
		{"macOS", "/Users/ann/Library/Application Support/Claude/local-agent-mode-sessions", "local_c1", []ingest.File{
			file("record.json", ingest.Record,
				"/Users/ann/Library/Application Support/Claude/local-agent-mode-sessions/acc/org/local_c1.json"),
			file("transcripts/t.jsonl", ingest.Transcript,
				"/Users/ann/Library/Application Support/Claude/local-agent-mode-sessions/acc/org/local_c1/.claude/projects/-s/"+
					"t.jsonl"),
			file("spaces.json", SpacesFile,
				"/Users/ann/Library/Application Support/Claude/local-agent-mode-sessions/acc/org/local_c1/../spaces.json"),
		}, map[string]string{
			"record.json": "acc/org/local_c1.json", "transcripts/t.jsonl": "acc/org/local_c1/.claude/projects/-s/t.jsonl",
			"spaces.json": "acc/org/spaces.json",
		}},
		{"Windows", "C:/Users/Ann/AppData/Roaming/Claude/local-agent-mode-sessions", "local_c1", []ingest.File{
			file("audit.jsonl", ingest.AuditLog,
				`C:\Users\Ann\AppData\Roaming\Claude\local-agent-mode-sessions\acc\org\local_c1\audit.jsonl`),
		}, map[string]string{"audit.jsonl": "acc/org/local_c1/audit.jsonl"}},
		{"an agent of the app", "/r", "local_ditto_1", []ingest.File{
			file("outputs/a.md", ingest.OutputFile, "/r/acc/org/agent/local_ditto_1/outputs/a.md"),
			file("spaces.json", SpacesFile, "/r/acc/org/agent/local_ditto_1/../../spaces.json"),
		}, map[string]string{"outputs/a.md": "acc/org/agent/local_ditto_1/outputs/a.md",
			"spaces.json": "acc/org/spaces.json"}},
	} {
		f := ingest.Found{ID: c.id, Files: c.files}
		got, err := ingest.PlacesOf(Reader{}, f, "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if got := filepath.ToSlash(ingest.BaseOf(Reader{}, f)); got != c.base {
			t.Errorf("%s: base %q, want %q", c.name, got, c.base)
		}
	}
	_, err := ingest.PlacesOf(Reader{}, ingest.Found{ID: "local_c1", Files: []ingest.File{
		file("audit.jsonl", ingest.AuditLog, "")}}, "")
	if !errors.Is(err, ingest.ErrNoPlace) {
		t.Errorf("a file of no known path: %v, want ErrNoPlace", err)
	}
}
