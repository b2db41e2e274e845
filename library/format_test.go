package library_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
	. "recall/library"
	"recall/library/disk"
	"recall/payload"
)

// format1 is a copy of the library in testdata/format1, which the last recall
// of that format wrote: a session whose transcript grew and was rewritten, with
// edits and notes, and one that isn't parsed.
func format1(t *testing.T) *Library {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Recall")
	if err := os.CopyFS(dir, os.DirFS("testdata/format1")); err != nil {
		t.Fatal(err)
	}
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

const (
	oldID  = "7f3c1a2b-0000-4000-8000-000000000001"
	oldRaw = "8f3c1a2b-0000-4000-8000-000000000002"
)

// A library of format 1 is read as it is, byte for byte.
func TestFormat1Reads(t *testing.T) {
	l := format1(t)
	before := tree(t, l.Dir())
	checkFormat1(t, l)
	if diff := cmp.Diff(before, tree(t, l.Dir())); diff != "" {
		t.Errorf("reading changed it (-before +after):\n%s", diff)
	}
}

func checkFormat1(t *testing.T, l *Library) {
	t.Helper()
	if all, err := l.Sessions(); err != nil || len(all) != 2 {
		t.Fatalf("got %d sessions, %v, want 2", len(all), err)
	}
	for name, want := range map[string]string{"transcript.jsonl": "{\"text\":\"other\"}\n",
		"tool-results/a.txt": "spilled\n"} {
		if got := content(t, l, oldID, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := content(t, l, oldRaw, "transcript.jsonl"); got != "{\"text\":\"unsorted\"}\n" {
		t.Errorf("not parsed: got %q", got)
	}
	edits, err := l.Edits(oldID)
	if err != nil || len(edits) == 0 || edits[0].Who != "ann" {
		t.Errorf("edits: got %v, %v", edits, err)
	}
	if notes, err := l.Notes(oldID); err != nil || len(notes) == 0 {
		t.Errorf("notes: got %s, %v", notes, err)
	}
	if c, err := l.Corrections(); err != nil || len(c) == 0 {
		t.Errorf("corrections: got %v, %v", c, err)
	}
	if gone, err := l.Forgotten("forgotten-1"); err != nil || !gone {
		t.Errorf("tombstone: got %v, %v", gone, err)
	}
}

// The first write brings library.toml to the newest format, and a session's
// folder is brought there when it is written. What was there stays, each line with
// its checksum.
func TestFormat1Upgrades(t *testing.T) {
	l := format1(t)
	src := t.TempDir()
	write(t, filepath.Join(src, "transcript.jsonl"), "{\"text\":\"other\"}\n{\"text\":\"more\"}\n")
	archive(t, l, find(t, oldID, src))
	if err := l.Correct(payload.Correction{Op: "join", A: "c", B: "d", At: tick}); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(filepath.Join(l.Dir(), "library.toml"))
	if !bytes.Contains(text, []byte("format = 3")) || disk.SealOfTOML(text) != disk.SealGood {
		t.Errorf("library.toml: got %s", text)
	}
	e, err := again(t, l).Session(oldID)
	if err != nil || e.Format != Format || e.Sums["payload.json"] == "" {
		t.Errorf("got format %d, sums %v, %v", e.Format, e.Sums, err)
	}
	if e, err := again(t, l).Session(ingest.SessionID(oldRaw)); err != nil || e.Format != 0 {
		t.Errorf("a session that wasn't written: got format %d, %v, want 0", e.Format, err)
	}
	if got := content(t, l, oldID, "transcript.jsonl"); got != "{\"text\":\"other\"}\n{\"text\":\"more\"}\n" {
		t.Errorf("after growth: got %q", got)
	}
}
