package offline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

// A folder that goes, or gets another name, takes along what lies below it; what a file
// tool names counts also where nobody knows the working directory.
func TestFilesThroughFolders(t *testing.T) {
	file := func(path string) ingest.ToolCall {
		return ingest.ToolCall{Name: "Write", Path: path, Done: true, Input: map[string]string{"content": "x\n"}}
	}
	shell := func(line string) ingest.ToolCall { return ingest.ToolCall{Name: "Bash", Command: line, Done: true} }
	for name, c := range map[string]struct {
		dir   string
		calls []ingest.ToolCall
		want  map[string]string
	}{
		"deleted": {"/w", []ingest.ToolCall{file("/w/old/a.go"), file("/w/older.go"), shell("rm -rf old")},
			map[string]string{"old/a.go": "Deleted.", "older.go": "New."}},
		"made again": {"/w", []ingest.ToolCall{file("/w/old/a.go"), shell("rm -rf old"), file("/w/old/a.go")},
			map[string]string{"old/a.go": "New, then edited."}},
		"renamed": {"/w", []ingest.ToolCall{file("/w/old/a.go"), shell("git mv old new")},
			map[string]string{"new/a.go": "Renamed from old/a.go."}},
		"no directory": {"", []ingest.ToolCall{file("docs/a.md")}, map[string]string{"docs/a.md": "New."}},
	} {
		s := &ingest.Session{ID: "s", Turns: []ingest.Turn{
			{ID: "u", N: 1, Role: ingest.User, Kind: ingest.Prompt, Text: "Tidy up.", Dir: c.dir},
			{ID: "a", N: 2, Role: ingest.Assistant, Kind: ingest.Message, Dir: c.dir, Calls: c.calls}}}
		s.Where.Cwds = []ingest.CwdCount{{Dir: c.dir, Turns: 2}}
		got := map[string]string{}
		for _, f := range touchedFiles(s) {
			got[f.path] = f.did()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
