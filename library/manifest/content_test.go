package manifest

import (
	"io"
	"strings"
	"testing"

	"recall/ingest"
)

// What was written and edited comes back byte for byte, however long; what was
// edited in a way that doesn't fit doesn't come back at all.
func TestContents(t *testing.T) {
	long := strings.Repeat("0123456789\n", 3000)
	text := strings.Join([]string{
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"w1","name":"Write","input":{"file_path":"/a",` +
			`"content":"` + strings.ReplaceAll(long, "\n", `\n`) + `<end>"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"e1","name":"Edit","input":{"file_path":"/a",` +
			`"old_string":"<end>","new_string":"«ende»"}}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"w2","name":"Write","input":{"content":"x x"}},{"type":"tool_use","id":"e2","name":"Edit","input":{"old_string":"x","new_string":"y"}},
`, // torn
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"w3","name":"Write","input":{"content":"x x"}},` +
			`{"type":"tool_use","id":"e3","name":"Edit","input":{"old_string":"x","new_string":"y"}},` +
			`{"type":"tool_use","id":"e4","name":"Edit","input":{"old_string":"x","new_string":"y","replace_all":true}},` +
			`{"type":"tool_use","id":"m1","name":"MultiEdit","input":{"edits":[{"old_string":"y y","new_string":"z"},` +
			`{"old_string":"z","new_string":"zz"}]}}]}}`,
		`not JSON "tool_use"`,
	}, "\n")
	found := ingest.Found{Files: []ingest.File{{Name: "transcript.jsonl", Role: ingest.Transcript,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }},
		{Name: "outputs/x", Role: ingest.OutputFile, Open: func() (io.ReadCloser,
			error) {
			t.Error("an output was read")
			return nil, io.EOF
		}}}}
	m := Manifest{Outputs: []Made{
		{Path: "/long", Calls: []string{"w1", "e1"}},
		{Path: "/torn", Calls: []string{"w2"}},
		{Path: "/ambiguous", Calls: []string{"w3", "e3"}},
		{Path: "/all", Calls: []string{"w3", "e4", "m1"}},
		{Path: "/editonly", Calls: []string{"e1"}},
		{Path: "/missing", Calls: []string{"w3", "nowhere"}},
	}}
	got, err := m.Contents(t.Context(), found)
	if err != nil {
		t.Fatal(err)
	}
	if string(got["/long"]) != long+"«ende»" || string(got["/all"]) != "zz" {
		t.Errorf("got %d bytes and %q", len(got["/long"]), got["/all"])
	}
	if len(got) != 2 {
		t.Errorf("got %d files, want 2", len(got))
	}
}
