package library_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"recall/library/check"
)

// A flipped bit in payload.md is damage where nobody has written to the file
// since, an edit where somebody has.
func TestFlippedPage(t *testing.T) {
	l, _ := everyKind(t)
	e, err := l.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.Folder, "payload.md")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	record, err := os.Stat(filepath.Join(e.Folder, "transcript.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		text  string
		later time.Duration
		want  check.FindingState
	}{
		{"one bit", string(good[:1]) + string(good[1]^4) + string(good[2:]), 0, check.Damaged},
		{"one bit, by somebody", string(good[:1]) + string(good[1]^4) + string(good[2:]), time.Second, check.Edited},
		{"a longer text", string(good) + "more\n", 0, check.Edited},
	} {
		at := record.ModTime().Add(c.later)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if v := verify(t, l); len(v.Findings) != 1 || v.Findings[0].State != c.want {
			t.Errorf("%s: got %s, want %s", c.name, said(v), c.want)
		}
		repair(t, l)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if mended := string(text) == string(good); mended != (c.want == check.Damaged) {
			t.Errorf("%s: after repair it reads %q", c.name, text)
		}
	}
}
