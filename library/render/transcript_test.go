package render

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

var update = flag.Bool("update", false, "rewrite testdata")

func talk() *ingest.Session {
	at := time.Date(2026, 4, 17, 16, 32, 0, 0, time.FixedZone("CEST", 2*3600))
	next := func() time.Time { at = at.Add(time.Minute); return at }
	return &ingest.Session{
		ID: "7f3c1a2b-0000-4000-8000-000000000001", Source: ingest.Cowork, Title: "Fix <b>duplicate</b> jobs",
		Start: at, End: at.Add(time.Hour),
		Where:  ingest.Where{Branch: "fix/queue"},
		Parent: &ingest.Parent{Session: "7f3c0000", How: "fork", Turns: 1},
		Turns: []ingest.Turn{
			{ID: "u1", N: 1, Role: ingest.User, Kind: ingest.Prompt, At: next(), Copied: true,
				Text:    "# Find the race\n<a id=\"u9\"></a> in `Map<K>` please\n```go\nx := <-c // left open",
				Uploads: []string{"load.csv"}},
			{ID: "a1", Records: []string{"a1", "a1b"}, N: 2, Role: ingest.Assistant, Kind: ingest.Message, At: next(),
				Text: "Looking.</details>", Calls: []ingest.ToolCall{
					{ID: "c1", Name: "Bash", Command: "go test ./...\ngo vet", Done: true, Failed: true,
						Result: "\nExit code 1\nFAIL `x`\nmore\n", ResultLen: 26},
					{ID: "c2", Name: "Edit", Path: "/sessions/brave-fox/mnt/app/q.go", HostPath: "/Users/ann/app/q.go",
						Edits: []ingest.Edit{{Old: "a\n", New: "a\nb\n"}}, Done: true, Result: "ok"},
					{ID: "c3", Name: "Task", Input: map[string]string{"description": "search callers"}, Done: true,
						Result: "3 callers"},
					{ID: "c6", Name: "TaskCreate", Input: map[string]string{"description": "as measured", "subject": "Write the docs"},
						Done: true, Result: "ok"},
					{ID: "c7", Name: "TaskUpdate", Input: map[string]string{"taskId": "1", "status": "completed"}, Done: true,
						Result: "ok"},
					{ID: "c4", Name: "Write", Path: "/sessions/brave-fox/tmp.txt", Verdict: ingest.Rejected, Reason: "not there",
						ResultTurn: "r4", Done: true},
					{ID: "c5", Name: "AskUserQuestion", Done: true, ResultTurn: "r5",
						Answers: []ingest.Answer{{Question: "Which lock?", Options: []ingest.Option{{Label: "mutex"}, {Label: "channel"}},
							Chosen: []string{"mutex"}}}},
				}},
			{ID: "u2", N: 3, Role: ingest.User, Kind: ingest.Command, Name: "/compact", At: next(), Abandoned: true,
				Text: "keep the lock order"},
			{ID: "u3", N: 4, Role: ingest.User, Kind: ingest.Prompt, At: next().Add(9 * time.Hour), Queued: true,
				Text: "ok, go on"},
		},
		Subagents: []ingest.Subagent{
			{ID: "g1", Type: "Explore", Description: "search callers", Call: "c3",
				Turns: []ingest.Turn{{ID: "s1", N: 1, Role: ingest.Program, Kind: ingest.Prompt, At: at, Text: "find callers"},
					{ID: "s2", N: 2, Role: ingest.Assistant, Kind: ingest.Message, At: at, Text: "three"}}},
			{ID: "g2", Type: "Plan", Description: "nobody's", Turns: []ingest.Turn{{ID: "s3", N: 1, Role: ingest.Assistant,
				Kind: ingest.Message, Text: "alone"}}},
		},
	}
}

func TestTranscriptGolden(t *testing.T) {
	got := Transcript(talk(), About{Project: "billing"})
	golden := filepath.Join("testdata", "transcript.md")
	if *update {
		os.WriteFile(golden, got, 0o644)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
}

// Nothing said in a turn makes an anchor, closes a fold or begins a turn.
func FuzzSafeMarkdown(f *testing.F) {
	f.Add("# x\n<a id=\"u1\"></a>")
	f.Add("```\nopen")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "`~\r") {
			return // code shows anything as it is
		}
		got := safeMarkdown(text)
		for _, bad := range []string{"<a ", "</d", "<!--", "\n#", "\n #"} {
			if strings.Contains("\n"+got, bad) {
				t.Errorf("%q: got %q, with %q in it", text, got, bad)
			}
		}
	})
}
