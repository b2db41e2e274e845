package claudecode

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

// TestSharedTranscripts holds what is read from real transcripts against the
// counts that another program made of them.
func TestSharedTranscripts(t *testing.T) {
	shared := os.Getenv("RECALL_SHARED")
	if shared == "" {
		t.Skip("RECALL_SHARED is not set")
	}
	dir := filepath.Join(shared, "transcripts", "dev")
	for _, row := range manifest(t, filepath.Join(dir, "MANIFEST.tsv")) {
		if strings.Contains(row["file"], "/subagents/") {
			continue
		}
		t.Run(row["file"], func(t *testing.T) {
			checkShared(t, filepath.Join(dir, row["file"]), row)
		})
	}
}

func checkShared(t *testing.T, path string, row map[string]string) {
	found, problems := Reader{}.Find(context.Background(), path, nil)
	if len(found) != 1 || len(problems) != 0 {
		t.Fatalf("found %d sessions and %v, want one", len(found), problems)
	}
	s, err := Reader{}.Parse(context.Background(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.Lines(t, s.Report)
	ingesttest.Turns(t, s)
	typed, queued, messages, refused, abandoned := 0, 0, 0, 0, 0
	summaries := 0
	for _, turn := range s.Turns {
		switch {
		case turn.Kind == ingest.Prompt && turn.Queued:
			queued++
		case turn.Kind == ingest.Prompt, turn.Kind == ingest.PlanTurn:
			typed++
		case turn.Kind == ingest.Summary:
			summaries++
		case turn.Kind == ingest.Message, turn.Name == "api-error":
			messages++
		}
		if turn.Abandoned && (turn.Kind == ingest.Prompt || turn.Kind == ingest.Command) {
			abandoned++
		}
		for _, c := range turn.Calls {
			if c.Verdict == ingest.Rejected || c.Verdict == ingest.Clarify || c.ReasonTurn != "" {
				refused++
			}
		}
	}
	n := func(name string) int {
		n, err := strconv.Atoi(row[name])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	ingesttest.Equal(t, "compactions", summaries, n("compactions"))
	ingesttest.Equal(t, "refused calls", refused, n("user_rejections"))
	ingesttest.Equal(t, "rewound", abandoned, n("rewind_branches"))
	// The manifest leaves out prompts that were only queued, and counts a line
	// with two records as broken.
	if w := n("user_turns"); typed > w || typed+queued < w {
		t.Errorf("prompts: got %d and %d queued, want %d", typed, queued, w)
	}
	if w := n("malformed_lines"); s.Report.SkippedTotal > w || s.Report.SkippedTotal < w-1 {
		t.Errorf("skipped: got %d, want %d", s.Report.SkippedTotal, w)
	}
	if w := n("assistant_turns"); messages > w+3 || messages < w-3 {
		t.Errorf("messages: got %d, want about %d", messages, w)
	}
	if u := s.Report.Unknown; len(u) > 0 {
		t.Errorf("unknown records: got %v, want none", u)
	}
}

func manifest(t *testing.T, path string) []map[string]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	head := strings.Split(lines[0], "\t")
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range strings.Split(line, "\t") {
			row[head[i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}
