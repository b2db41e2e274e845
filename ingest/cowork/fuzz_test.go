package cowork

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	"recall/ingest/ingesttest"
)

func sampleFiles(t testing.TB, pattern string) [][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(sampleRoot, "*", "*", pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no sample %s: %v", pattern, err)
	}
	var list [][]byte
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

// Every line of an audit log is kept, known and ignored by name, or reported,
// and a newline at the end changes nothing.
func FuzzAudit(f *testing.F) {
	for _, b := range sampleFiles(f, "local_*/audit.jsonl") {
		f.Add(b)
		f.Add(b[:len(b)*2/3])
		f.Add(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
		for line := range bytes.Lines(b) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"type":"assistant","message":"text"}{"type":"user","message":{"content":["a",{"type":"text"}]}}`))
	f.Add([]byte(`{"type":"system","subtype":"permission_response","uuid":"x","granted":false}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := parseBytes(t, b)
		r := s.Report
		if got := r.Records + r.Duplicates + r.Blank + r.SkippedTotal; got != r.Lines {
			t.Errorf("%d lines, but %d records + %d duplicates + %d blank + %d skipped", r.Lines, r.Records,
				r.Duplicates,
				r.Blank, r.SkippedTotal)
		}
		if lines := bytes.Count(b, []byte("\n")); r.Lines < lines {
			t.Errorf("%d lines given, %d accounted for", lines, r.Lines)
		}
		for _, turn := range s.Turns {
			if turn.ID == "" || turn.Line < 1 {
				t.Errorf("turn %+v has no place", turn)
			}
		}
		if !r.Tail && len(b) > 0 && b[len(b)-1] != '\n' {
			if diff := cmp.Diff(outline(s), outline(parseBytes(t, append(bytes.Clone(b), '\n')))); diff != "" {
				t.Errorf("with a newline at the end:\n%s", diff)
			}
		}
	})
}

func parseBytes(t testing.TB, audit []byte) *ingest.Session {
	t.Helper()
	return ingesttest.Bytes(t, Reader{}, ingest.AuditLog, "audit.jsonl", audit)
}

// A log beside a transcript, in whatever state, loses none of its messages and
// doubles none that are the same.
func FuzzJoin(f *testing.F) {
	transcripts := sampleFiles(f, "local_*/.claude/projects/*/*.jsonl")
	for _, b := range sampleFiles(f, "local_*/audit.jsonl") {
		f.Add(transcripts[0], b)
		f.Add(b, transcripts[0])
	}
	f.Fuzz(func(t *testing.T, transcript, audit []byte) {
		files := []ingest.File{ingesttest.File("transcripts/c1.jsonl", ingest.Transcript, transcript),
			ingesttest.File("audit.jsonl", ingest.AuditLog, audit)}
		found := ingest.Found{ID: testID, Source: ingest.Cowork, Files: files}
		joined, err := Reader{}.Parse(context.Background(), found)
		if err != nil {
			t.Fatal(err)
		}
		found.Files = files[:1]
		alone, err := Reader{}.Parse(context.Background(), found)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[ingest.TurnID]bool{}
		for _, turn := range joined.Turns {
			ids[turn.ID] = true
		}
		for _, turn := range alone.Turns {
			if !ids[turn.ID] {
				t.Errorf("turn %s of the transcript was lost by joining", turn.ID)
			}
		}
	})
}

func FuzzRecord(f *testing.F) {
	for _, b := range sampleFiles(f, "local_*.json") {
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := readRecord(b)
		if err == nil && !bytes.Contains(b, []byte("{")) {
			t.Error("a record without a brace")
		}
		if !r.created.IsZero() && r.created.Year() < 2020 {
			t.Errorf("created in %d", r.created.Year())
		}
		spaceName([]ingest.File{ingesttest.File("spaces.json", SpacesFile, b)}, "x")
	})
}
