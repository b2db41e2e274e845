package claudecode

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recall/ingest"
)

const typedOnly = "aaaaaaaa-0000-4000-8000-00000000000a"

// The prompts of a session whose transcript is gone come back from history.jsonl, with what was
// pasted, their times and their folder; other sessions, and commands alone don't.
func TestSalvage(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "projects"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "history.jsonl"), strings.Join([]string{
		`{"display":"Keep the queue in SQLite, not Redis.","pastedContents":{},"timestamp":1776436320000,` +
			`"project":"/home/ann/app","sessionId":"` + typedOnly + `"}`,
		`{"display":"here","timestamp":1776436330000,"project":"/w","sessionId":"bbbbbbbb-0000-4000-8000-00000000000b"}`,
		`{"display":"/clear","timestamp":1776436330000,"project":"/w","sessionId":"cccccccc-0000-4000-8000-00000000000c"}`,
		`{"display":"of nobody","timestamp":1776436330000,"project":"/w"}`,
		`{"display":"out","timestamp":1776436330000,"project":"/w","sessionId":"../../x"}`,
		`torn {"display"`,
		`{"display":"Why does [Pasted text #1 +2 lines] fail? [Pasted text #2]","pastedContents":` +
			`{"1":{"id":1,"type":"text","content":"go test\nFAIL [Pasted text #1]"},` +
			`"2":{"id":2,"type":"text","contentHash":"x"}},"timestamp":1776436380000,` +
			`"project":"/home/ann/app","sessionId":"` + typedOnly + `"}`,
	}, "\n"))
	memory, problems := ingest.MemoryOf(Reader{}, root, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	wanted := func(id ingest.SessionID) bool { return !strings.HasPrefix(string(id), "b") }
	found, skipped, err := Reader{}.Salvage(context.Background(), memory, wanted)
	if err != nil || len(found) != 1 || found[0].ID != typedOnly {
		t.Fatalf("found %+v, %v; want %s alone", found, err, typedOnly)
	}
	if skipped.SkippedTotal != 2 || skipped.Skipped[1].Line != 6 {
		t.Errorf("skipped %+v, want the id that leads out and the torn line", skipped)
	}
	s, err := Reader{}.Parse(context.Background(), found[0])
	if err != nil {
		t.Fatal(err)
	}
	type turn struct {
		Kind ingest.TurnKind
		Text string
		At   time.Time
	}
	var got []turn
	for _, x := range s.Turns {
		got = append(got, turn{x.Kind, x.Text, x.At})
	}
	want := []turn{{ingest.Prompt, "Keep the queue in SQLite, not Redis.", time.UnixMilli(1776436320000).UTC()},
		{ingest.Prompt, "Why does go test\nFAIL [Pasted text #1] fail? [Pasted text #2]",
			time.UnixMilli(1776436380000).UTC()}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns, -want +got:\n%s", diff)
	}
	if s.Title != OnlyPrompts+"Keep the queue in SQLite, not Redis." ||
		len(s.Where.Cwds) != 1 || s.Where.Cwds[0].Dir != "/home/ann/app" {
		t.Errorf("title %q, folders %v", s.Title, s.Where.Cwds)
	}
	if r := s.Report; r.Lines != 2 || r.Records != 2 || len(r.Skipped) != 0 {
		t.Errorf("report %+v", r)
	}
	if _, err := ingest.PlacesOf(Reader{}, found[0], ""); err == nil {
		t.Error("a session without a transcript has a place to be restored to")
	}
}
