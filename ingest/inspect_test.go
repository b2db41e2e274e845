package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/claudecode"
	"recall/ingest/codex"
	"recall/ingest/cowork"
	"recall/ingest/gemini"
	"recall/ingest/opencode"
	"recall/ingest/opencode/opencodetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The samples, as inspect shows them. After a change on purpose:
// go test ./ingest -run Describe -update, and read the diff.
func TestDescribeSamples(t *testing.T) {
	samples, err := filepath.Glob("testdata/samples/[01]*")
	if err != nil || len(samples) != 11 {
		t.Fatalf("%d samples, %v; want 11", len(samples), err)
	}
	for _, dir := range samples {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			golden := filepath.Join("testdata", "inspect", filepath.Base(dir)+".txt")
			if rows, err := os.ReadFile(filepath.Join(dir, "rows.sql")); err == nil { // of a database
				t.Setenv("XDG_CACHE_HOME", t.TempDir())
				dir = t.TempDir()
				if err := opencodetest.Exec(filepath.Join(dir, "opencode.db"), string(rows)); err != nil {
					t.Fatal(err)
				}
			}
			got := describeAll(t, dir)
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// describeAll finds, parses and describes all sessions under dir.
func describeAll(t *testing.T, dir string) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, r := range []ingest.Reader{claudecode.Reader{}, cowork.Reader{}, codex.Reader{}, gemini.Reader{},
		opencode.Reader{}} {
		found, problems := r.Find(context.Background(), dir, nil)
		for _, p := range problems {
			t.Errorf("%s: %s", p.Path, p.Reason)
		}
		var sessions []*ingest.Session
		for _, f := range found {
			s, err := r.Parse(context.Background(), f)
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, s)
		}
		ingest.Own(sessions)
		for _, s := range sessions {
			if out.Len() > 0 {
				out.WriteString("\n")
			}
			if err := ingest.Inspect(s).Write(&out); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out.Bytes()
}

func TestInspectionOfAnything(t *testing.T) {
	s := &ingest.Session{ID: "x", Source: ingest.ClaudeCode, Title: "a\x1b[31m\nb", TitleFrom: "prompt"}
	for _, kind := range []ingest.TurnKind{ingest.Prompt, ingest.Message, ingest.Message, ingest.Command,
		ingest.Interrupt} {
		s.Turns = append(s.Turns, ingest.Turn{N: len(s.Turns) + 1, Kind: kind, Text: strings.Repeat("word ", 99),
			At: time.Unix(0, 0)})
	}
	s.Turns[1].Abandoned = true
	s.Turns[2].Calls = []ingest.ToolCall{
		{Name: "Bash", Command: "rm x", Done: true, Failed: true, Verdict: ingest.Rejected, Reason: "keep it"},
		{Name: "Bash", Command: "go test", Done: true, Failed: true},
		{Name: "Read", Path: "a.go"},
	}
	s.Report = ingest.Report{Lines: 3000, SkippedTotal: 1002, Skipped: []ingest.Skip{{File: "t.jsonl", Line: 2,
		Offset: 1234, Reason: "not JSON"}},
		Unknown: map[string]int{"b": 1, "a": 1, "c": 7}, Tail: &ingest.Skip{File: "t.jsonl", Line: 9, Offset: 99}}
	in := ingest.Inspect(s)
	want := ingest.Counts{Prompts: 1, Messages: 1, MessagesAbandoned: 1, Commands: 1, Interrupts: 1, Branches: 1,
		Calls: 3, Rejected: 1, Failed: 1, Unanswered: 1}
	if diff := cmp.Diff(want, in.Counts); diff != "" {
		t.Errorf("counts, -want +got:\n%s", diff)
	}
	var text strings.Builder
	if err := in.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"unknown   c 7, a 1, b 1\n", "skipped   t.jsonl:2 (byte 1,234) · not JSON\n", "skipped   1,001 more lines\n",
		"Bash rm x  → rejected: keep it\n", "Bash go test  → failed\n", "Read a.go  → no " +
			"result\n", "waiting   t.jsonl:9",
	} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %q in:\n%s", part, text.String())
		}
	}
	if strings.Contains(text.String(), "\x1b") {
		t.Error("an escape sequence came through")
	}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var back ingest.Inspection
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, back); diff != "" {
		t.Errorf("through JSON, -want +got:\n%s", diff)
	}
}
