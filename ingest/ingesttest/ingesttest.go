// Package ingesttest holds what the tests of all Readers have in common.
package ingesttest

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

// All parses every session under path, by id.
func All(t testing.TB, r ingest.Reader, path string) map[ingest.SessionID]*ingest.Session {
	t.Helper()
	found, problems := r.Find(context.Background(), path, nil)
	for _, p := range problems {
		t.Errorf("find: %s: %s", p.Path, p.Reason())
	}
	out := map[ingest.SessionID]*ingest.Session{}
	for _, f := range found {
		out[f.ID] = Parse(t, r, f)
	}
	return out
}

// Parse parses a session, and checks it with Lines and Turns.
func Parse(t testing.TB, r ingest.Reader, f ingest.Found) *ingest.Session {
	t.Helper()
	s, err := r.Parse(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	Lines(t, s.Report)
	Turns(t, s)
	return s
}

// Bytes parses raw as a session's only file.
func Bytes(t testing.TB, r ingest.Reader, role ingest.FileRole, name string, raw []byte) *ingest.Session {
	t.Helper()
	return Parse(t, r, ingest.Found{ID: "s", Source: r.Source(), Files: []ingest.File{File(name, role, raw)}})
}

// File returns a session's file in memory.
func File(name string, role ingest.FileRole, raw []byte) ingest.File {
	return ingest.File{Name: name, Role: role, Size: int64(len(raw)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }}
}

// Lines checks that every line is accounted for: as record, duplicate, blank or skipped.
func Lines(t testing.TB, r ingest.Report) {
	t.Helper()
	if sum := r.Records + r.Duplicates + r.Blank + r.SkippedTotal; r.Lines != sum {
		t.Errorf("got %d lines, want %d: %d records, %d duplicates, %d blank, %d skipped", r.Lines, sum, r.Records,
			r.Duplicates, r.Blank, r.SkippedTotal)
	}
}

// Turns checks what holds for any session's turns: numbers, unique ids, valid UTF-8, clipped results.
func Turns(t testing.TB, s *ingest.Session) {
	t.Helper()
	ids := map[ingest.TurnID]bool{}
	for i, turn := range s.Turns {
		if turn.N != i+1 || turn.Role == "" || turn.Kind == "" {
			t.Errorf("turn %d: got %+v, want number, role and kind", i+1, turn)
		}
		if turn.ID == "" || ids[turn.ID] {
			t.Errorf("turn %d: got id %q, want one of its own", i+1, turn.ID)
		}
		ids[turn.ID] = true
		texts := []string{turn.Text}
		for _, c := range turn.Calls {
			texts = append(texts, c.Result)
			if len(c.Result) > 4*ingest.ClipResult {
				t.Errorf("turn %d: got a result of %d bytes", turn.N, len(c.Result))
			}
		}
		for _, text := range texts {
			if strings.ToValidUTF8(text, "") != text || strings.Contains(text, "\x00") {
				t.Errorf("turn %d: got %q, want clean UTF-8", turn.N, text)
			}
		}
	}
}

// Texts lists the texts of a kind of turns, either on abandoned branches or not.
func Texts(s *ingest.Session, kind ingest.TurnKind, abandoned bool) []string {
	out := []string{}
	for _, turn := range s.Turns {
		if turn.Kind == kind && turn.Abandoned == abandoned {
			out = append(out, turn.Text)
		}
	}
	return out
}

// Equal reports the differences between got and want.
func Equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
