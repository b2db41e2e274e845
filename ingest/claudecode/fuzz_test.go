package claudecode

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recall/ingest"
	"recall/ingest/ingesttest"
	"recall/ingest/jsonl"
)

// parseBytes parses raw as a session's only file.
func parseBytes(t testing.TB, raw []byte) *ingest.Session {
	t.Helper()
	return ingesttest.Bytes(t, Reader{}, ingest.Transcript, ingest.MainName, raw)
}

// FuzzParse holds that every line is kept, known and ignored by name, or
// reported, and that an end of line after the last one changes nothing.
func FuzzParse(f *testing.F) {
	err := filepath.WalkDir("../testdata", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		raw, err := os.ReadFile(path)
		f.Add(raw[:min(len(raw), 3<<10)])
		for i, line := range bytes.SplitAfter(raw, []byte("\n")) {
			if len(line) < 1<<10 && i%3 == 0 {
				f.Add(line)
			}
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`0{"type":"queue-operation","operation":"enqueue","content":"0"}`))
	for _, s := range oddLines {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := parseBytes(t, raw)
		checkMapped(t, s)
		r := s.Report
		if physical := countLines(raw); !r.Tail && r.Lines < physical || r.Tail && r.Lines < physical-1 {
			t.Fatalf("got %d lines of %d", r.Lines, physical)
		}
		ended := parseBytes(t, append(bytes.Clone(raw), '\n'))
		turns := ended.Turns
		if r.Tail { // what stands behind a torn record is read once its line has an end
			turns = turns[:min(len(turns), len(s.Turns))]
		}
		if d := cmp.Diff(s.Turns, turns, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("with an end of line at the end (-without +with):\n%s", d)
		}
		if ended.Report.Tail {
			t.Fatal("with an end of line at the end: got a tail")
		}
		if r.Tail != (ended.Report.SkippedTotal == r.SkippedTotal+1) {
			t.Fatalf("tail %v: got %d skipped lines when ended, %d when not", r.Tail, ended.Report.SkippedTotal,
				r.SkippedTotal)
		}
	})
}

func countLines(raw []byte) int {
	n := bytes.Count(raw, []byte("\n"))
	if len(raw) > 0 && raw[len(raw)-1] != '\n' {
		n++
	}
	return n
}

// checkMapped holds that texts and foreign parts stay where they are when
// nothing is replaced.
func checkMapped(t *testing.T, s *ingest.Session) {
	t.Helper()
	before := slices.Clone(s.Turns)
	for i := range before {
		before[i].Foreign = slices.Clone(before[i].Foreign)
	}
	s.MapText(func(text string) string { return text })
	if d := cmp.Diff(before, s.Turns); d != "" {
		t.Fatalf("mapped by nothing (-before +after):\n%s", d)
	}
}

var oddLines = []string{
	"", "\n", "\n\n", "{}", "{}\n{}", "null\n", "[1]\n", `{"type":5}`, `{"type":"user"}`,
	`{"type":"user","message":null}`,
	`{"type":"user","message":{"content":null}}`, `{"type":"user","message":{"content":[1,"x",null,{}]}}`,
	`{"type":"assistant","message":{"content":"old style"}}`,
	`{"type":"assistant","message":{"id":5,"content":{"a":1}}}`,
	`{"type":"user","uuid":"a","parentUuid":"a","message":{"content":"myself"}}`,
	`{"type":"user","uuid":"a","parentUuid":"b","message":{"content":"x"}}` + "\n" +
		`{"type":"user","uuid":"b","parentUuid":"a","message":{"content":"y"}}`,
	`{"type":"assistant","uuid":"a","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash",` +
		`"input":"text"}]}}` + "\n" +
		`{"type":"user","uuid":"b","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":{"odd":1}}]},` +
		`"toolUseResult":[1]}`,
	`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"AskUserQuestion",` +
		`"input":{"questions":[{"question":"q","options":["a",{"label":"b"}]}]}}]}}` + "\n" +
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"The user answered: ` +
		`\"q\"=\"a, b"}]}}`,
	`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"early"}]}}` + "\n" +
		`{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash",` +
		`"input":{"command":"x"}}]}}`,
	`{"type":"system","subtype":"compact_boundary","uuid":"a","compactMetadata":[]}`,
	`{"type":"attachment","attachment":"x"}`,
	`{"type":"queue-operation","operation":"enqueue","content":"later"}`, `{"type":"last-prompt","leafUuid":"zzz"}`,
	`{"type":"user","isSidechain":true,"uuid":"k","message":{"content":"sub"}}`,
	`{"type":"worktree-state","worktreeSession":null}`,
	"\xef\xbb\xbf{\"type\":\"mode\"}", "\x00\x00\x00", "{\"type\":\"mode\"}\x00\x00{\"type\":\"mode\"",
	"{\"type\":\"user\",\"message\":{\"content\":\"\x00\xff<!-- recall abcd -->\"}}",
}

// FuzzRecord holds the hand-written reading of a line against encoding/json.
func FuzzRecord(f *testing.F) {
	for _, s := range oddLines {
		f.Add([]byte(s))
	}
	f.Add([]byte(strings.TrimSpace(fine)))
	f.Add([]byte(`{"message":{"content":[{"text":"a\"b","type":"text"},` +
		`{"type":"tool_use","id":"t","name":"Bash","input":{"a":[1]}}],"id":"m"},"type":"assistant","isMeta":true}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var std map[string]any
		if json.Unmarshal(raw, &std) != nil || std == nil || bytes.Contains(raw, []byte(`\u00`)) {
			return // names of members are compared as written, nobody escapes their letters
		}
		r := newRecordReader()
		c := jsonl.NewCursor(raw)
		if !r.readRecord(c) || len(c.Rest()) > 0 {
			t.Fatalf("%q: got %v, rest %q, but it is JSON", raw, c.Err(), c.Rest())
		}
		text := func(v any) string {
			s, _ := v.(string)
			return strings.ReplaceAll(s, "\x00", "")
		}
		for name, got := range map[string][]byte{
			"type": r.kind, "uuid": r.uuid, "parentUuid": r.parent, "cwd": r.cwd, "version": r.version,
			"gitBranch": r.branch,
			"subtype":   r.subtype,
		} {
			if want := text(std[name]); jsonl.Unquote(got) != want {
				t.Fatalf("%q: %s: got %q, want %q", raw, name, got, want)
			}
		}
		// A truth may also be written as a text or a number.
		want := slices.Contains([]any{true, "true", "1"}, std["isMeta"])
		if _, number := std["isMeta"].(float64); !number && r.meta != want {
			t.Fatalf("%q: isMeta: got %t, want %t", raw, r.meta, want)
		}
		message, _ := std["message"].(map[string]any)
		blocks, _ := message["content"].([]any)
		if len(r.msg.blocks) != len(blocks) || jsonl.Unquote(r.msg.plain) != text(message["content"]) {
			t.Fatalf("%q: got %d blocks and %q, want %d and %v", raw, len(r.msg.blocks), r.msg.plain, len(blocks),
				message["content"])
		}
		for i, b := range r.msg.blocks {
			if std, ok := blocks[i].(map[string]any); ok {
				if jsonl.Unquote(b.kind) != text(std["type"]) || jsonl.Unquote(b.id) != text(std["id"]) ||
					jsonl.Unquote(b.toolUse) != text(std["tool_use_id"]) {
					t.Fatalf("%q: block %d: got %q %q %q, want %v", raw, i, b.kind, b.id, b.toolUse, std)
				}
			}
		}
	})
}
